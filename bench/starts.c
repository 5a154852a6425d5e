/* SPDX-License-Identifier: MIT
 *
 * starts.c - what a process costs
 *
 * starts exec COUNT PROGRAM: COUNT times start PROGRAM and wait for it.
 * starts fork COUNT: COUNT times fork, _exit, wait.
 * Prints microseconds of wall time each.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now (void)
{
    struct timespec ts;

    (void)clock_gettime (CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static pid_t start (char **program)
{
    pid_t pid;

    if (program)
        return posix_spawn (&pid, program[0], NULL, NULL, program, environ) == 0
                   ? pid
                   : -1;
    pid = fork ();
    if (pid == 0)
        _exit (0);
    return pid;
}

int main (int argc, char **argv)
{
    long count = argc > 2 ? atol (argv[2]) : 0;
    char **program = argc > 3 ? argv + 3 : NULL;
    int64_t begun;

    if (count < 1 || (strcmp (argv[1], "exec") == 0) != (program != NULL)) {
        (void)fprintf (stderr, "usage: starts exec|fork COUNT [PROGRAM]\n");
        return 2;
    }
    begun = now ();
    for (long i = 0; i < count; i++) {
        pid_t pid = start (program);

        if (pid < 0 || waitpid (pid, NULL, 0) != pid)
            return 1;
    }
    (void)printf ("%.2f\n", (double)(now () - begun) / 1000 / (double)count);
    return 0;
}
