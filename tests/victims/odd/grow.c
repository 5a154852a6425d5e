/* SPDX-License-Identifier: MIT
 *
 * grow.c - a mapping of a file that grows in place, as LTP's mmap16 does
 *
 * grow FILE N: in N children: two pages are reserved and freed, a file of one
 * page is mapped there, and then grows to two. How many could not, on standard
 * output.
 */
#define _GNU_SOURCE
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int grows (const char *name)
{
    size_t page = (size_t)sysconf (_SC_PAGESIZE);
    int fd = open (name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *p;

    if (fd < 0 || write (fd, "x", 1) != 1)
        return 0;
    p = mmap (NULL, 2 * page, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap (p, 2 * page);
    p = mmap (p, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p != MAP_FAILED && ftruncate (fd, (off_t)(2 * page)) == 0 &&
           mremap (p, page, 2 * page, 0) != MAP_FAILED;
}

int main (int argc, char **argv)
{
    int bad = 0, status;

    for (int i = 0; argc == 3 && i < atoi (argv[2]); i++) {
        pid_t pid = fork ();

        if (pid == 0)
            _exit (!grows (argv[1]));
        bad += waitpid (pid, &status, 0) != pid || status != 0;
    }
    printf ("%d could not\n", bad);
    return argc != 3;
}
