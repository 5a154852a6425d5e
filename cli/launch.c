/* SPDX-License-Identifier: MIT
 *
 * launch.c - fork, exec, wait, and signals in between
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/launch.h"

enum { SIGNAL_STATUS = 128 };

/* Handed on to the command. SIGKILL and SIGSTOP cannot be. */
static const int forwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                                SIGUSR2, SIGALRM, SIGCONT, SIGWINCH};

struct launch {
    sigset_t mask;         /* ours, before */
    struct sigaction chld; /* of SIGCHLD, before */
    int report[2];         /* errno of a failed exec; closed by a good one */
};

static void block_signals (struct launch *l)
{
    struct sigaction def = {.sa_handler = SIG_DFL};
    sigset_t set;

    (void)sigemptyset (&set);
    for (size_t i = 0; i < sizeof (forwarded) / sizeof (forwarded[0]); i++)
        (void)sigaddset (&set, forwarded[i]);
    (void)sigaddset (&set, SIGCHLD);
    (void)sigaction (SIGCHLD, &def, &l->chld);
    (void)sigprocmask (SIG_BLOCK, &set, &l->mask);
}

static void restore_signals (const struct launch *l)
{
    (void)sigaction (SIGCHLD, &l->chld, NULL);
    (void)sigprocmask (SIG_SETMASK, &l->mask, NULL);
}

static void
child (struct launch *l, char **argv, launch_setup_f setup, void *cookie)
{
    int err;

    (void)close (l->report[0]);
    setup (cookie);
    restore_signals (l);
    (void)execvp (argv[0], argv);
    err = errno;
    (void)!write (l->report[1], &err, sizeof (err));
    _exit (SIGNAL_STATUS - 1);
}

/* A signal of the terminal has reached the command already. */
static int hand_on (pid_t pid, const siginfo_t *si)
{
    return si->si_code == SI_KERNEL ? 0 : kill (pid, si->si_signo);
}

static int launch_wait_for (pid_t pid)
{
    sigset_t set;
    siginfo_t si;
    int status;

    (void)sigprocmask (SIG_BLOCK, NULL, &set);
    for (;;) {
        pid_t rc = waitpid (pid, &status, WNOHANG);

        if (rc == pid)
            return status;
        if (sigwaitinfo (&set, &si) > 0 && si.si_signo != SIGCHLD)
            (void)hand_on (pid, &si);
    }
}

/* errno of the exec, 0 when it went well. */
static int exec_error (int fd)
{
    int err = 0;
    ssize_t n;

    do
        n = read (fd, &err, sizeof (err));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof (err) ? err : 0;
}

pid_t launch (char **argv, launch_setup_f setup, void *cookie, int *status)
{
    struct launch l;
    pid_t pid;
    int err;

    if (pipe2 (l.report, O_CLOEXEC) < 0)
        return -1;
    block_signals (&l);
    pid = fork ();
    if (pid == 0)
        child (&l, argv, setup, cookie);
    err = pid < 0 ? errno : 0;
    (void)close (l.report[1]);
    if (pid > 0) {
        err = exec_error (l.report[0]);
        *status = launch_wait_for (pid);
    }
    (void)close (l.report[0]);
    restore_signals (&l);
    errno = err;
    return err ? -1 : pid;
}

int launch_exit_status (int status)
{
    static const struct rlimit no_core = {0, 0};
    sigset_t set;

    if (WIFEXITED (status))
        return WEXITSTATUS (status);
    (void)setrlimit (RLIMIT_CORE, &no_core);
    (void)signal (WTERMSIG (status), SIG_DFL);
    (void)sigemptyset (&set);
    (void)sigaddset (&set, WTERMSIG (status));
    (void)sigprocmask (SIG_UNBLOCK, &set, NULL);
    (void)raise (WTERMSIG (status));
    return SIGNAL_STATUS + WTERMSIG (status);
}
