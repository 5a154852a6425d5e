/* SPDX-License-Identifier: MIT
 *
 * locker.c - a program that locks its memory
 *
 * locker KIB FILE: reads FILE, then mlockall within a limit of KIB KiB, as
 * nobody; reads it again by a descriptor that is higher than most. KIB 0: how
 * many KiB the program has mapped, and no more.
 * locker child FILE: the same in a child without a limit; how many KiB of
 * memory the child had at most.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum { NOBODY = 65534, HIGH_MAX = 1000000, BYTES = 100 };

static int mapped (void)
{
    FILE *f = fopen ("/proc/self/statm", "re");
    long pages = 0;

    (void)!fscanf (f, "%ld", &pages);
    (void)fclose (f);
    return (int)(pages * sysconf (_SC_PAGESIZE) / 1024);
}

static void look (const char *path, int high)
{
    char data[BYTES];
    int fd = open (path, O_RDONLY);

    if (high >= 0 && dup2 (fd, high) < 0)
        show ("dup2", -1);
    SHOW (read (high >= 0 ? high : fd, data, BYTES));
    (void)close (fd);
}

static int child (const char *path)
{
    struct rusage u;
    pid_t pid;

    look (path, -1);
    pid = fork ();
    if (pid == 0) {
        (void)mlockall (MCL_CURRENT | MCL_FUTURE);
        look (path, -1);
        _exit (0);
    }
    if (pid < 0 || waitpid (pid, NULL, 0) != pid ||
        getrusage (RUSAGE_CHILDREN, &u) < 0)
        return 3;
    (void)printf ("%ld\n", u.ru_maxrss);
    return 0;
}

int main (int argc, char **argv)
{
    rlim_t bytes = argc > 1 ? (rlim_t)atoi (argv[1]) * 1024 : 0;
    struct rlimit limit = {bytes, bytes}, many;
    int high;

    if (argc != 3)
        return 2;
    if (strcmp (argv[1], "child") == 0)
        return child (argv[2]);
    if (getrlimit (RLIMIT_NOFILE, &many) < 0)
        return 3;
    many.rlim_cur = many.rlim_max;
    if (setrlimit (RLIMIT_NOFILE, &many) < 0)
        return 3;
    high = many.rlim_cur > HIGH_MAX ? HIGH_MAX : (int)many.rlim_cur - 1;
    look (argv[2], -1);
    if (bytes == 0) {
        (void)printf ("%d\n", mapped ());
        return 0;
    }
    if (setrlimit (RLIMIT_MEMLOCK, &limit) < 0 || setuid (NOBODY) < 0)
        return 3;
    SHOW (mlockall (MCL_CURRENT | MCL_FUTURE));
    look (argv[2], high);
    look (argv[2], high / 2);
    return 5;
}
