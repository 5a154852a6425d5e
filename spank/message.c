/* SPDX-License-Identifier: MIT
 *
 * message.c - what the first task of a step tells slurmstepd
 *
 * In:  struct message and descriptors, in the task
 * Out: the same, in slurmstepd
 * Caveat: both ends are closed by exec, so no program of the job has one.
 */
#include "config.h"

#include <stdarg.h>
#include <sys/socket.h>

#include "lib/base/text.h"
#include "spank/message.h"
#include "spank/spank_api.h"

static int channel[2] = {-1, -1}; /* slurmstepd's end, the tasks' end */

/* On the wire: which descriptors follow, in their order. */
struct envelope {
    uint32_t has; /* bit 1 << enum message_fd */
    struct message message;
};

union control {
    char bytes[CMSG_SPACE (MESSAGE_FDS * sizeof (int))];
    struct cmsghdr align;
};

void message_start (void)
{
    if (channel[0] >= 0)
        return;
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                    channel) < 0)
        say (SAY_LOG, "socketpair: %s", strerror (errno));
}

void message_send (const struct message *message, const int fd[MESSAGE_FDS])
{
    static struct envelope e;
    union control control = {{0}};
    struct iovec iov = {&e, sizeof (e)};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    struct cmsghdr *c = &control.align;
    size_t n = 0;

    e.has = 0;
    e.message = *message;
    for (int i = 0; i < MESSAGE_FDS; i++)
        if (fd[i] >= 0) {
            e.has |= 1u << i;
            memcpy (CMSG_DATA (c) + n++ * sizeof (int), &fd[i], sizeof (int));
        }
    if (n > 0) {
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN (n * sizeof (int));
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE (n * sizeof (int));
    }
    if (channel[1] >= 0 && sendmsg (channel[1], &msg, MSG_NOSIGNAL) < 0)
        say (SAY_LOG, "message: %s: left to the epilog", strerror (errno));
}

int message_receive (struct message *message, int fd[MESSAGE_FDS])
{
    static struct envelope e;
    union control control = {{0}};
    struct iovec iov = {&e, sizeof (e)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof (control.bytes)};
    const struct cmsghdr *c;
    size_t n = 0, at = 0;

    for (int i = 0; i < MESSAGE_FDS; i++)
        fd[i] = -1;
    if (channel[0] < 0 ||
        recvmsg (channel[0], &msg, MSG_CMSG_CLOEXEC) != sizeof (e))
        return -1;
    c = CMSG_FIRSTHDR (&msg);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        n = (c->cmsg_len - CMSG_LEN (0)) / sizeof (int);
    for (int i = 0; i < MESSAGE_FDS && at < n; i++)
        if (e.has & 1u << i)
            memcpy (&fd[i], CMSG_DATA (c) + at++ * sizeof (int), sizeof (int));
    *message = e.message;
    message->host[sizeof (message->host) - 1] = '\0';
    message->dir[sizeof (message->dir) - 1] = '\0';
    message->stage[sizeof (message->stage) - 1] = '\0';
    return 0;
}

/* ---- lines of ours in slurmd's log, and to the user ---- */

enum { SAY_BYTES = 4096 };

void say (enum say_to to, const char *fmt, ...)
{
    char text[SAY_BYTES], line[2 * SAY_BYTES];
    va_list ap;

    va_start (ap, fmt);
    vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    escape_text (line, sizeof (line), text, ESCAPE_LINES);
    switch (to) {
    case SAY_LOG:
        slurm_info ("dftrace: %s", line);
        break;
    case SAY_ERROR:
        slurm_error ("dftrace: %s", line);
        break;
    case SAY_USER:
        slurm_spank_log ("dftrace: %s", line);
        break;
    }
}
