/* SPDX-License-Identifier: MIT
 *
 * starts.c - what a process costs
 *
 * starts exec COUNT PROGRAM [ARGUMENT...]: COUNT times start PROGRAM and wait.
 * starts fork COUNT [FILE]: COUNT times fork, _exit, wait; with FILE the child
 * opens it, reads 512 bytes and closes it.
 * starts once [FILE]: the same in this process, which then ends.
 * Prints microseconds of wall time each, and of processor time, of the children
 * and of this process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { BLOCK = 512, US_PER_S = 1000000 };

static int64_t now (void)
{
    struct timespec ts;

    (void)clock_gettime (CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int64_t cpu_us (int who)
{
    struct rusage u;

    (void)getrusage (who, &u);
    return (int64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * US_PER_S +
           u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static int once (const char *file)
{
    char buf[BLOCK];
    int fd = file ? open (file, O_RDONLY) : -1;

    if (!file)
        return 0;
    if (fd < 0 || read (fd, buf, sizeof (buf)) < 0)
        return 1;
    return close (fd) < 0;
}

static pid_t start (int is_fork, char **words)
{
    pid_t pid;

    if (!is_fork)
        return posix_spawn (&pid, words[0], NULL, NULL, words, environ) == 0
                   ? pid
                   : -1;
    pid = fork ();
    if (pid == 0)
        _exit (once (words[0]));
    return pid;
}

int main (int argc, char **argv)
{
    int is_fork = argc > 1 && strcmp (argv[1], "fork") == 0;
    long count = argc > 2 ? atol (argv[2]) : 0;
    int64_t begun, cpu;

    if (argc > 1 && strcmp (argv[1], "once") == 0)
        return once (argv[2]);
    if (count < 1 || argc < (is_fork ? 3 : 4)) {
        (void)fprintf (stderr,
                       "usage: starts exec COUNT PROGRAM [ARGUMENT...]\n"
                       "       starts fork COUNT [FILE]\n"
                       "       starts once [FILE]\n");
        return 2;
    }
    cpu = cpu_us (RUSAGE_SELF);
    begun = now ();
    for (long i = 0; i < count; i++) {
        pid_t pid = start (is_fork, argv + 3);
        int status;

        if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
            return 1;
    }
    begun = now () - begun;
    cpu = cpu_us (RUSAGE_SELF) - cpu + cpu_us (RUSAGE_CHILDREN);
    (void)printf ("%.2f %.2f\n", (double)begun / 1000 / (double)count,
                  (double)cpu / (double)count);
    return 0;
}
