/* SPDX-License-Identifier: MIT
 *
 * kernelside.c - settings, directory -> a recorder that runs
 *
 * Out: a process in a session of its own, with descriptor 3 and those variables
 *      of the environment that settings are; then, over that, a directory
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "lib/base/array.h"
#include "lib/base/kernelmark.h"
#include "lib/settings/kernelside.h"
#include "lib/base/sys.h"

enum {
    SOCKET_FD = 3, /* in the recorder */
    FREE_FD = 10,  /* not it */
    FD_MANY = 65536,
    READY_MS = 10000, /* loading takes some 100 ms */
    POLL_MS = 5,
    NS_PER_MS = 1000000,
    KILL_MS = 1000
};

/* --- its environment ------------------------------------------------------ */

struct variables {
    char *text[SETTING_COUNT_ALL + 2];
    size_t count;
};

static void variables_add (void *cookie, const char *name, const char *value)
{
    struct variables *v = cookie;
    size_t size = strlen (name) + strlen (value) + 2;
    char *text = v->count < SETTING_COUNT_ALL ? malloc (size) : NULL;

    if (!text)
        return;
    snprintf (text, size, "%s=%s", name, value);
    v->text[v->count++] = text;
    v->text[v->count] = NULL;
}

static void variables_free (struct variables *v)
{
    for (size_t i = 0; i < v->count; i++)
        free (v->text[i]);
}

/* --- start ---------------------------------------------------------------- */

static void kernelside_close_others (void)
{
#ifdef SYS_close_range
    if (sys_call (SYS_close_range, SOCKET_FD + 1, ~0u, 0) == 0)
        return;
#endif
    for (int i = SOCKET_FD + 1; i < FD_MANY; i++)
        close (i);
}

/* In the child; the socket is above what it becomes. */
static void kernelside_exec (const char *program,
                             const char *user,
                             struct variables *v,
                             int socket)
{
    char name[] = KERNELSIDE_PROGRAM, option[] = "-u", who[64] = "";
    char *argv[] = {name, user ? option : NULL, who, NULL};
    int null = open ("/dev/null", O_RDWR);
    sigset_t none;

    FORMAT (who, "%s", user ? user : "");
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    if (null < 0 || dup2 (null, 0) < 0 || dup2 (null, 1) < 0 ||
        dup2 (null, 2) < 0 || dup2 (socket, SOCKET_FD) < 0)
        _exit (1);
    kernelside_close_others ();
    chdir ("/");
    execve (program, argv, v->text);
    _exit (1);
}

/* Read the recorder's first message. */
static int
kernelside_hear (int socket, const char *program, struct errtext *err)
{
    struct pollfd p = {socket, POLLIN, 0};
    char text[sizeof (err->text)] = "";
    int n;

    do
        n = poll (&p, 1, READY_MS);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return errf (err, "layer kernel: %s: not ready in %d s", program,
                     READY_MS / 1000);
    if (recv (socket, text, sizeof (text) - 1, 0) <= 0)
        return errf (err, "layer kernel: %s: does not start", program);
    if (text[0] && text[0] != KERNELSIDE_NOTE)
        return errf (err, "%s", text);
    errf (err, "%s", text[0] ? text + 1 : "");
    return 0;
}

static pid_t kernelside_fork (const char *program,
                              const char *user,
                              struct variables *v,
                              int socket)
{
    int high = fcntl (socket, F_DUPFD_CLOEXEC, FREE_FD);
    pid_t pid = high < 0 ? -1 : fork ();

    if (pid == 0)
        kernelside_exec (program, user, v, high);
    if (high >= 0)
        close (high);
    return pid;
}

int kernelside_start (struct kernelside *k,
                      const char *program,
                      const struct settings *s,
                      const char *user,
                      struct errtext *err)
{
    struct variables v = {.count = 0};
    int pair[2];

    *k = (struct kernelside){0, -1};
    err->text[0] = '\0';
    if (access (program, X_OK) < 0)
        return errf (err, "layer kernel: %s: %s", program, strerror (errno));
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return errf (err, "layer kernel: socketpair: %s", strerror (errno));
    settings_export (s, variables_add, &v);
    k->pid = kernelside_fork (program, user, &v, pair[1]);
    k->socket = pair[0];
    close (pair[1]);
    variables_free (&v);
    if (k->pid < 0) {
        k->pid = 0;
        close (k->socket);
        return errf (err, "layer kernel: fork: %s", strerror (errno));
    }
    if (kernelside_hear (k->socket, program, err) == 0)
        return 0;
    kill (k->pid, SIGKILL);
    kernelside_end (k, KILL_MS, NULL);
    return -1;
}

/* --- meanwhile, and the end ----------------------------------------------- */

int kernelside_place (const struct kernelside *k, int dir)
{
    union {
        char bytes[CMSG_SPACE (sizeof (int))];
        struct cmsghdr align;
    } control = {{0}};
    char text = 0;
    struct iovec iov = {&text, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof (control.bytes)};
    struct cmsghdr *c = &control.align;

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN (sizeof (int));
    memcpy (CMSG_DATA (c), &dir, sizeof (int));
    return sendmsg (k->socket, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -1 : 0;
}

void kernelside_follow (void)
{
    sys_call (SYS_getppid, KERNELMARK_MAGIC, KERNELMARK_FOLLOW, 0);
}

/* 1: it has ended, as *status says. */
static int kernelside_wait (pid_t pid, unsigned ms, int *status)
{
    const struct timespec pause = {0, POLL_MS * NS_PER_MS};

    for (;; ms -= POLL_MS) {
        pid_t rc = waitpid (pid, status, WNOHANG);

        if (rc == pid)
            return 1;
        if (rc < 0 && errno != EINTR) { /* others have waited for it */
            *status = 0;
            return 1;
        }
        if (ms < POLL_MS)
            return 0;
        nanosleep (&pause, NULL);
    }
}

int kernelside_end (struct kernelside *k, unsigned ms, struct errtext *err)
{
    static const char missing[] = "what it had not written is missing";
    pid_t pid = k->pid;
    int status = 0;

    if (pid <= 0)
        return 0;
    close (k->socket);
    *k = (struct kernelside){0, -1};
    if (!kernelside_wait (pid, ms, &status)) {
        kill (pid, SIGKILL);
        kernelside_wait (pid, KILL_MS, &status);
        return errf (err, "layer kernel: its recorder did not end in %u ms: %s",
                     ms, missing);
    }
    if (WIFSIGNALED (status))
        return errf (err, "layer kernel: its recorder died of signal %d: %s",
                     WTERMSIG (status), missing);
    return 0;
}
