/* SPDX-License-Identifier: MIT
 *
 * stepkill.c - end a program with SIGKILL at one instruction
 *
 * stepkill STEPS PROGRAM ARGUMENT…
 *   runs PROGRAM, which stops itself (SIGSTOP) where the steps begin; lets it
 *   take so many instructions, system calls included; kills it. Says how many
 *   it took. Exit status 0: killed; 1: it ended before that; 2: something is
 *   wrong.
 * stepkill victim BEFORE AFTER LENGTH FILE
 *   is such a program: BEFORE and AFTER the stop, so many times, it tries to
 *   open a path of LENGTH bytes, another each time, that is not there (0: does
 *   not), and writes 10 bytes to FILE
 */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char name[4096];

/* So that it has nothing in common with the one before. */
static void change_name (void)
{
    static unsigned r = 1;

    for (char *p = name + 1; *p; p++)
        if (*p != '/')
            *p = (char)('a' + (r = r * 69069 + 5) / 65536 % 25);
}

static void use (int fd, int n)
{
    for (int i = 0; i < n; i++) {
        if (name[0] == '/') {
            change_name ();
            (void)open (name, O_RDONLY);
        }
        (void)!write (fd, "0123456789", 10);
    }
}

/* What opens FILE is no call of libc, so the first may come after the stop. */
static int victim (char **argv)
{
    int length = atoi (argv[2]);
    int fd = (int)syscall (SYS_openat, AT_FDCWD, argv[3],
                           O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

    if (length > 0 && length < (int)sizeof (name)) {
        memset (name, 'a', (size_t)length);
        for (int i = 0; i < length; i += 250)
            name[i] = '/';
    }
    use (fd, atoi (argv[0]));
    (void)syscall (SYS_kill, getpid (), SIGSTOP);
    use (fd, atoi (argv[1]));
    return 0;
}

/* Both on one processor: a step costs a tenth then. */
static void stay (void)
{
    cpu_set_t one;

    CPU_ZERO (&one);
    CPU_SET (sched_getcpu (), &one);
    (void)sched_setaffinity (0, sizeof (one), &one);
}

static int start (char **argv)
{
    pid_t pid = fork ();

    if (pid == 0) {
        (void)ptrace (PTRACE_TRACEME, 0, NULL, NULL);
        (void)execv (argv[0], argv);
        _exit (127);
    }
    return pid;
}

/* Go on to where it stops itself. */
static int go_to_stop (pid_t pid)
{
    int status;

    for (;;) {
        if (waitpid (pid, &status, 0) != pid || !WIFSTOPPED (status))
            return -1;
        if (WSTOPSIG (status) == SIGSTOP)
            return 0;
        if (ptrace (PTRACE_CONT, pid, NULL, NULL) < 0)
            return -1;
    }
}

/* How many steps of these were taken; fewer: it has ended. */
static long take_steps (pid_t pid, long steps)
{
    int status;

    for (long i = 0; i < steps; i++) {
        if (ptrace (PTRACE_SINGLESTEP, pid, NULL, NULL) < 0 ||
            waitpid (pid, &status, 0) != pid || !WIFSTOPPED (status))
            return i;
    }
    return steps;
}

int main (int argc, char **argv)
{
    long steps, taken;
    pid_t pid;

    if (argc == 6 && strcmp (argv[1], "victim") == 0)
        return victim (argv + 2);
    if (argc < 3)
        return 2;
    stay ();
    steps = atol (argv[1]);
    pid = start (argv + 2);
    if (pid < 0 || go_to_stop (pid) < 0)
        return 2;
    taken = take_steps (pid, steps);
    (void)printf ("%ld\n", taken);
    if (taken < steps)
        return 1;
    (void)kill (pid, SIGKILL);
    (void)waitpid (pid, NULL, 0);
    return 0;
}
