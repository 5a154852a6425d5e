/* SPDX-License-Identifier: MIT
 *
 * runner_bash.c - a script of a run as a process group that signals reach
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/run/runner_work.h"

static const int forwarded[] = {SIGTERM, SIGINT,  SIGHUP,
                                SIGUSR1, SIGUSR2, SIGCONT};

static void signals_block (sigset_t *set, sigset_t *before)
{
    sigemptyset (set);
    sigaddset (set, SIGCHLD);
    for (size_t i = 0; i < sizeof (forwarded) / sizeof (forwarded[0]); i++)
        sigaddset (set, forwarded[i]);
    (void)sigprocmask (SIG_BLOCK, set, before);
}

static _Noreturn void bash_exit (const struct runner *x,
                                 const struct variables *v,
                                 const char *script,
                                 const sigset_t *mask,
                                 int append)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
    int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open (runner_in (x, "stdout"), flags, 0644);
    int errors = open (runner_in (x, "stderr"), flags, 0644);

    (void)setpgid (0, 0);
    if (null < 0 || out < 0 || errors < 0 || dup2 (null, 0) < 0 ||
        dup2 (out, 1) < 0 || dup2 (errors, 2) < 0)
        _exit (126);
    for (size_t i = 0; i < v->count; i++) {
        if (v->value[i])
            (void)setenv (v->name[i], v->value[i], 1);
        else
            (void)unsetenv (v->name[i]);
    }
    (void)sigprocmask (SIG_SETMASK, mask, NULL);
    (void)execlp ("bash", "bash", runner_in (x, script), (char *)NULL);
    dprintf (2, "bash: %s\n", strerror (errno));
    _exit (127);
}

/* Until the child ends; what arrives meanwhile goes to its process group. */
static int
wait_and_forward (struct runner *x, pid_t pid, const sigset_t *set, int *status)
{
    for (;;) {
        siginfo_t info;
        int signal = sigwaitinfo (set, &info);

        if (waitpid (pid, status, WNOHANG) == pid)
            return 0;
        if (signal < 0 || signal == SIGCHLD)
            continue;
        if (signal != SIGCONT)
            x->status.caught = signal;
        if (kill (-pid, signal) < 0)
            (void)kill (pid, signal);
    }
}

int runner_bash (struct runner *x,
                 const struct variables *v,
                 const char *script,
                 int append,
                 int *status)
{
    sigset_t set, before;
    pid_t pid;

    signals_block (&set, &before);
    pid = fork ();
    if (pid == 0)
        bash_exit (x, v, script, &before, append);
    if (pid > 0) {
        (void)setpgid (pid, pid);
        (void)wait_and_forward (x, pid, &set, status);
    }
    (void)sigprocmask (SIG_SETMASK, &before, NULL);
    if (pid < 0)
        return errf (x->err, "bash: fork: %s", strerror (errno));
    return 0;
}
