/* SPDX-License-Identifier: MIT
 *
 * capture.c - a program's output and exit status
 *
 * In:  words of a command
 * Out: its text, its status
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/capture.h"
#include "lib/util/optparse.h"

enum { MS_PER_S = 1000, POLL_MS = 100, GRACE_MS = 1000, GRACE_STEPS = 500 };

static void child_exec (const char *const *argv, int out)
{
    int null = open ("/dev/null", O_RDONLY);

    (void)setpgid (0, 0);
    if (null < 0 || dup2 (null, STDIN_FILENO) < 0 ||
        dup2 (out, STDOUT_FILENO) < 0 || dup2 (out, STDERR_FILENO) < 0)
        _exit (EXIT_NOT_STARTED);
    (void)execvp (argv[0], (char *const *)argv);
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
            used += (size_t)n;
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
        (void)nanosleep (&pause, NULL);
        rc = waitpid (pid, &status, WNOHANG);
    }
    if (rc == 0) {
        (void)kill (-pid, SIGKILL);
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
        (void)setpgid (pid, pid); /* it may not have got as far itself */
    (void)close (pipefd[1]);
    if (pid > 0)
        take_output (pipefd[0], seconds, buf, size);
    (void)close (pipefd[0]);
    return pid > 0 ? capture_wait_for (pid) : -1;
}
