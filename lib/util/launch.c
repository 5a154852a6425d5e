/* SPDX-License-Identifier: MIT
 *
 * launch.c - programs: in our place, or with their output kept
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "lib/util/launch.h"
#include "lib/base/array.h"
#include "lib/util/optparse.h"

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

    sigemptyset (&set);
    for (size_t i = 0; i < ITEMS (forwarded); i++)
        sigaddset (&set, forwarded[i]);
    sigaddset (&set, SIGCHLD);
    sigaction (SIGCHLD, &def, &l->chld);
    sigprocmask (SIG_BLOCK, &set, &l->mask);
}

static void restore_signals (const struct launch *l)
{
    sigaction (SIGCHLD, &l->chld, NULL);
    sigprocmask (SIG_SETMASK, &l->mask, NULL);
}

static void
child (struct launch *l, char **argv, launch_setup_f setup, void *cookie)
{
    int err;

    close (l->report[0]);
    setup (cookie);
    restore_signals (l);
    execvp (argv[0], argv);
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

    sigprocmask (SIG_BLOCK, NULL, &set);
    for (;;) {
        pid_t rc = waitpid (pid, &status, WNOHANG);

        if (rc == pid)
            return status;
        if (sigwaitinfo (&set, &si) > 0 && si.si_signo != SIGCHLD)
            hand_on (pid, &si);
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
    close (l.report[1]);
    if (pid > 0) {
        err = exec_error (l.report[0]);
        *status = launch_wait_for (pid);
    }
    close (l.report[0]);
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
    setrlimit (RLIMIT_CORE, &no_core);
    signal (WTERMSIG (status), SIG_DFL);
    sigemptyset (&set);
    sigaddset (&set, WTERMSIG (status));
    sigprocmask (SIG_UNBLOCK, &set, NULL);
    raise (WTERMSIG (status));
    return SIGNAL_STATUS + WTERMSIG (status);
}

/* ---- a program's output and exit status ---- */

enum { MS_PER_S = 1000, POLL_MS = 100, GRACE_MS = 1000, GRACE_STEPS = 500 };

static void child_exec (const char *const *argv, int out)
{
    int null = open ("/dev/null", O_RDONLY);

    setpgid (0, 0);
    if (null < 0 || dup2 (null, STDIN_FILENO) < 0 ||
        dup2 (out, STDOUT_FILENO) < 0 || dup2 (out, STDERR_FILENO) < 0)
        _exit (EXIT_NOT_STARTED);
    execvp (argv[0], (char *const *)argv);
    _exit (EXIT_NOT_FOUND);
}

/* Until the end of the output or of the time; what does not fit is dropped. */
static void take_output (int fd, unsigned seconds, char *buf, size_t size)
{
    size_t used = 0;
    long left = (long)seconds * MS_PER_S;
    char rest[4096];

    while (left > 0) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int room = used + 1 < size;
        ssize_t n;

        if (poll (&p, 1, POLL_MS) <= 0) {
            left -= POLL_MS;
            continue;
        }
        n = read (fd, room ? buf + used : rest,
                  room ? size - 1 - used : sizeof (rest));
        if (n <= 0)
            break;
        if (room)
            used += n;
    }
    buf[used] = '\0';
}

/* It closed its output just now: a moment for its end. */
static int capture_wait_for (pid_t pid)
{
    const struct timespec pause = {0, GRACE_MS / GRACE_STEPS * 1000000L};
    int status = -1;
    pid_t rc = waitpid (pid, &status, WNOHANG);

    for (int i = 0; rc == 0 && i < GRACE_STEPS; i++) {
        nanosleep (&pause, NULL);
        rc = waitpid (pid, &status, WNOHANG);
    }
    if (rc == 0) {
        kill (-pid, SIGKILL);
        while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

int capture (const char *const *argv, unsigned seconds, char *buf, size_t size)
{
    int pipefd[2];
    pid_t pid;

    buf[0] = '\0';
    if (pipe2 (pipefd, O_CLOEXEC) < 0)
        return -1;
    pid = fork ();
    if (pid == 0)
        child_exec (argv, pipefd[1]);
    if (pid > 0)
        setpgid (pid, pid); /* it may not have got as far itself */
    close (pipefd[1]);
    if (pid > 0)
        take_output (pipefd[0], seconds, buf, size);
    close (pipefd[0]);
    return pid > 0 ? capture_wait_for (pid) : -1;
}
