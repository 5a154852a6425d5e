/* SPDX-License-Identifier: MIT
 *
 * reader.c - one read of stdio, one of POSIX, a stat and a fork, of a file;
 * built by the tests in all the ways in which programs are built
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    char *buf = malloc (100);
    struct stat st;
    FILE *f = fopen (argv[1], "r");
    int c = getc (f), fd = open (argv[1], O_RDONLY), status = 0;
    ssize_t n = read (fd, buf, 100);
    pid_t pid;
    fclose (f);
    close (fd);
    stat (argv[1], &st);
    pid = fork ();
    if (pid == 0)
        _exit (3);
    waitpid (pid, &status, 0);
    printf ("%c %ld %ld %d\n", c, (long)n, (long)st.st_size, status);
    free (buf);
    return 7;
}
