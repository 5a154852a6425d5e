/* SPDX-License-Identifier: MIT
 *
 * widetls.c - a program with 1008 KiB of thread-local data, which each thread's
 *             stack has to hold; prints how many threads it has
 *
 * Usage: widetls FILE
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WIDE = 1008 * 1024, READS = 400, NAP_NS = 2000000 };

static __thread volatile char wide[WIDE];

static int tasks (void)
{
    DIR *dir = opendir ("/proc/self/task");
    int n = -2; /* . and .. */

    while (dir && readdir (dir))
        n++;
    if (dir)
        (void)closedir (dir);
    return n;
}

int main (int argc, char **argv)
{
    struct timespec nap = {.tv_nsec = NAP_NS};
    int fd = argc > 1 ? open (argv[1], O_RDONLY) : -1;
    char c;

    wide[0] = wide[WIDE - 1] = 1;
    if (fd < 0)
        return 2;
    for (int i = 0; i < READS; i++) {
        (void)!pread (fd, &c, 1, 0);
        (void)nanosleep (&nap, NULL);
    }
    printf ("%d\n", tasks ());
    return 0;
}
