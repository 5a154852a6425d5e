/* SPDX-License-Identifier: MIT
 *
 * stepjump.c - a signal after each single instruction of a call
 *
 * stepjump KIND FILE [EVERY]: child k of this program has a signal after
 * instruction k * EVERY of a pread, until a child's pread ends before that. The
 * handler jumps out of the call (KIND `reads` and `paths`) or reads itself
 * (`handler`). The child then makes AFTER reads and AFTER calls of stat.
 * `paths`: the calls of stat come first. No two children have the same number,
 * also where others start so many processes that the kernel begins again with
 * the lowest: such a child ends at once. Prints how many children there were;
 * "none" on a machine whose processor cannot be asked for single steps.
 */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEFORE = 4, AFTER = 10, MOST = 5000, OVER = 7, PIDS = 1 << 22 };

static const char *file;
static int fd;
static int jumps;
static volatile long left; /* instructions until the signal */
static sigjmp_buf env;
static unsigned char had[PIDS]; /* by a child */

static void steps (int on)
{
#if defined __x86_64__
    const unsigned long trap = 0x100;
    unsigned long flags;

    __asm__ volatile("sub $128, %%rsp\n\tpushfq\n\tpopq %0\n\tadd $128, %%rsp"
                     : "=r"(flags)::"memory");
    flags = on ? flags | trap : flags & ~trap;
    __asm__ volatile("sub $128, %%rsp\n\tpushq %0\n\tpopfq\n\tadd $128, %%rsp"
                     :
                     : "r"(flags)
                     : "memory", "cc");
#else
    (void)on;
#endif
}

/* The processor takes no steps within it. */
static void on_step (int sig)
{
    char c;

    if (--left != 0)
        return;
    if (jumps)
        siglongjmp (env, 1);
    (void)!pread (fd, &c, 1, 0);
}

static void reads (void)
{
    char c;

    for (int i = 0; i < AFTER; i++)
        (void)!pread (fd, &c, 1, 0);
}

static void paths (void)
{
    struct stat st;

    for (int i = 0; i < AFTER; i++)
        (void)stat (file, &st);
}

static int child (long k, int paths_first)
{
    char c;

    for (int i = 0; i < BEFORE; i++)
        (void)!pread (fd, &c, 1, 0);
    left = k;
    if (sigsetjmp (env, 1) == 0) {
        steps (1);
        (void)!pread (fd, &c, 1, 0);
        steps (0);
    }
    if (paths_first)
        paths ();
    reads ();
    if (!paths_first)
        paths ();
    return left > 0 ? OVER : 0;
}

int main (int argc, char **argv)
{
    struct sigaction sa = {.sa_handler = on_step, .sa_flags = SA_NODEFER};
    long k = 0, every = argc > 3 ? atol (argv[3]) : 1;
    int status = 0;

    if (argc < 3)
        return 2;
#if !defined __x86_64__
    return puts ("none") < 0;
#endif
    file = argv[2];
    jumps = strcmp (argv[1], "handler") != 0;
    fd = open (file, O_RDONLY);
    (void)sigaction (SIGTRAP, &sa, NULL);
    while (fd >= 0 && status == 0 && ++k < MOST) {
        pid_t pid = fork ();

        if (pid == 0)
            _exit (had[getpid ()]
                       ? 0
                       : child (k * every, strcmp (argv[1], "paths") == 0));
        if (pid < 0 || waitpid (pid, &status, 0) != pid)
            return 1;
        k -= had[pid];
        had[pid] = 1;
    }
    if (!WIFEXITED (status) || WEXITSTATUS (status) != OVER)
        return 1;
    return printf ("%ld\n", k) < 0;
}
