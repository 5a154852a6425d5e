/* SPDX-License-Identifier: MIT
 *
 * syscalls.c - what a system call costs: the least of many rounds
 *
 * In:  FILE
 * Out: ns of a getuid, of a read of 4 KiB of the file that is in memory, and of
 *      a close and open of it: what a recorder of layer kernel adds is the
 *      difference to a run without one. The least round is the one that nobody
 *      disturbed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 400, CALLS = 2000, BYTES = 4096 };

static double now_ns (void)
{
    struct timespec t;

    (void)clock_gettime (CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void call_getuid (int fd, const char *path)
{
    (void)fd;
    (void)path;
    (void)syscall (SYS_getuid);
}

static void call_read (int fd, const char *path)
{
    static char buf[BYTES];

    (void)path;
    (void)!pread (fd, buf, sizeof (buf), 0);
}

static void call_open (int fd, const char *path)
{
    (void)fd;
    (void)close (open (path, O_RDONLY | O_CLOEXEC));
}

static double least (void (*call) (int, const char *), int fd, const char *path)
{
    double min = 1e18;

    for (int r = 0; r < ROUNDS; r++) {
        double begin = now_ns ();

        for (int i = 0; i < CALLS; i++)
            call (fd, path);
        begin = now_ns () - begin;
        if (begin < min)
            min = begin;
    }
    return min / CALLS;
}

int main (int argc, char **argv)
{
    int fd = argc == 2 ? open (argv[1], O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0)
        return 2;
    (void)printf ("%.0f %.0f %.0f\n", least (call_getuid, fd, argv[1]),
                  least (call_read, fd, argv[1]),
                  least (call_open, fd, argv[1]));
    return 0;
}
