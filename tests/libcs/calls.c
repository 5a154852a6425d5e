/* SPDX-License-Identifier: MIT
 *
 * calls.c - reads and writes of all kinds, a thread, a child; with arguments
 * that program, started in five ways; with "environ" the environment
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char b[20000];

static void *run (void *name)
{
    char part[100];
    int fd = open (name, O_RDONLY);
    while (read (fd, part, 100) > 0)
        ;
    close (fd);
    return NULL;
}

static void bytes (void)
{
    int a, d, fd = open ("data", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pthread_t t;
    FILE *f;
    for (int i = 0; i < 10; i++)
        write (fd, b, 1000);
    pwrite (fd, b, 77, 5);
    close (fd);
    f = fopen ("data", "r");
    while (fread (b, 333, 1, f) > 0)
        ;
    rewind (f);
    while (getc (f) != EOF)
        ;
    fclose (f);
    f = fopen ("text", "w");
    for (int i = 0; i < 2000; i++)
        fprintf (f, "%d %d\n", i, i * i);
    fputs ("end\n", f);
    putc ('1', f);
    putc ('\n', f);
    fclose (f);
    f = fopen ("text", "r");
    while (fscanf (f, "%d %d", &a, &d) == 2)
        ;
    fseek (f, 20, SEEK_SET);
    fgets (b, 100, f);
    ungetc ('a', f);
    fgets (b, 100, f);
    fclose (f);
    f = fopen ("text", "a+");
    fgets (b, 100, f);
    fseek (f, 0, SEEK_END);
    fwrite (b, 1, 20000, f);
    fwrite (b, 1, 3, f); /* in the buffer at the end */
    pthread_create (&t, NULL, run, "data");
    pthread_join (t, NULL);
    if (fork () == 0) {
        run ("data");
        _exit (0);
    }
    wait (NULL);
}

static void children (char **argv)
{
    char *nothing[] = {NULL}, line[4096] = "exec";
    pid_t pid;
    FILE *p;
    for (char **a = argv; *a; a++)
        strcat (strcat (line, " "), *a);
    if (fork () == 0)
        _exit (execve (argv[0], argv, nothing));
    wait (NULL);
    if (vfork () == 0)
        _exit (execvp (argv[0], argv));
    wait (NULL);
    posix_spawn (&pid, argv[0], NULL, NULL, argv, environ);
    wait (NULL);
    system (line);
    p = popen (line, "r");
    while (fgets (line, 100, p))
        fputs (line, stdout);
    pclose (p);
}

int main (int argc, char **argv)
{
    memset (b, 'x', sizeof (b));
    if (argc == 1)
        bytes ();
    else if (strcmp (argv[1], "environ") != 0)
        children (argv + 1);
    else
        for (char **e = environ; *e; e++)
            puts (*e);
    return 7;
}
