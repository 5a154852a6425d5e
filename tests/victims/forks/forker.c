/* SPDX-License-Identifier: MIT
 *
 * forker.c - many calls, then a child, CHILDREN times
 *
 * Linked statically. Each child reads a byte, too.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 200, CALLS = 50 };

int main (void)
{
    char byte;
    int fd = open ("f.dat", O_RDWR | O_CREAT, 0600);

    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid;

        for (int k = 0; k < CALLS; k++)
            (void)!pread (fd, &byte, 1, k);
        pid = fork ();
        if (pid == 0)
            _exit (pread (fd, &byte, 1, i) < 0);
        (void)waitpid (pid, NULL, 0);
    }
    return 0;
}
