/* SPDX-License-Identifier: MIT
 *
 * stage_side.c - shards staged on the node -> the job directory, in time
 *
 * In:  a descriptor of the stage, from the first task of this node, and one
 *      that holds the job's marker until the stage is collected
 * Out: `dftrace epilog --stage`, which becomes the user and moves the shards
 * Caveat: runs inside slurmstepd, so it waits no longer than epilog_timeout,
 *         hands on no variable of the job and no other descriptor.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/core/settings/marker.h"
#include "spank/site.h"
#include "spank/stage_side.h"

enum {
    STAGE_FD = 3,    /* in the command */
    FD_MANY = 65536, /* slurmstepd has a few dozen */
    POLL_MS = 20,
    SPARE_MS = 2000,  /* the command ends itself; this is for when it cannot */
    DYING_MS = 60000, /* what KillWait may give to tasks */
    MS_PER_S = 1000,
    NS_PER_MS = 1000000
};

/* What a task says of its stage, beside the descriptor. */
struct letter {
    uint32_t own_id;
    char host[JOBDIR_NAME_MAX];
    char path[SETTING_TEXT_MAX];
};

static int channel[2] = {-1, -1}; /* slurmstepd's end, the tasks' end */
static uint32_t ended;            /* tasks of this step on this node */
static int hold = -1;             /* in the first task */

/* -- the channel ------------------------------------------------------- */

void stage_side_start (spank_t sp)
{
    (void)sp;
    ended = 0;
    if (channel[0] >= 0)
        return;
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                    channel) < 0)
        slurm_info ("dftrace: socketpair: %s", strerror (errno));
}

enum { THE_STAGE, THE_HOLD, FDS };

union control {
    char bytes[CMSG_SPACE (FDS * sizeof (int))];
    struct cmsghdr align;
};

void stage_side_hold (const struct jobenv *job)
{
    hold =
        marker_hold (site_now ()->settings.state_dir, job->own_id, job->host);
}

void stage_side_send (const struct plan *p, const struct jobenv *job)
{
    static struct letter letter;
    union control control = {{0}};
    struct iovec iov = {&letter, sizeof (letter)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof (control.bytes)};
    struct cmsghdr *c = CMSG_FIRSTHDR (&msg);
    int fd[FDS] = {-1, hold};
    size_t n = hold < 0 ? 1 : FDS;

    letter.own_id = job->own_id;
    (void)snprintf (letter.host, sizeof (letter.host), "%s", job->host);
    if (channel[1] < 0 || plan_step_stage (p, &job->info, letter.path) < 0)
        return;
    fd[THE_STAGE] =
        open (letter.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd[THE_STAGE] < 0)
        return;
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN (n * sizeof (int));
    msg.msg_controllen = CMSG_SPACE (n * sizeof (int));
    memcpy (CMSG_DATA (c), fd, n * sizeof (int));
    if (sendmsg (channel[1], &msg, MSG_NOSIGNAL) < 0)
        slurm_info ("dftrace: stage: %s: left to the epilog", strerror (errno));
    (void)close (fd[THE_STAGE]);
}

/* The descriptors, or -1 where no task has a stage. */
static void receive (struct letter *letter, int fd[FDS])
{
    union control control = {{0}};
    struct iovec iov = {letter, sizeof (*letter)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof (control.bytes)};
    const struct cmsghdr *c;

    fd[THE_STAGE] = fd[THE_HOLD] = -1;
    if (channel[0] < 0 ||
        recvmsg (channel[0], &msg, MSG_CMSG_CLOEXEC) != sizeof (*letter))
        return;
    c = CMSG_FIRSTHDR (&msg);
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return;
    if (c->cmsg_len == CMSG_LEN (sizeof (int)))
        memcpy (fd, CMSG_DATA (c), sizeof (int));
    else if (c->cmsg_len == CMSG_LEN (FDS * sizeof (int)))
        memcpy (fd, CMSG_DATA (c), FDS * sizeof (int));
}

/* -- the command ------------------------------------------------------- */

/* All but standard ones and the stage. */
static void close_others (void)
{
#ifdef SYS_close_range
    if (syscall (SYS_close_range, STAGE_FD + 1, ~0u, 0) == 0)
        return;
#endif
    for (int i = STAGE_FD + 1; i < FD_MANY; i++)
        (void)close (i);
}

/* In the child: as root, with nothing of the job's. */
static void collect_exec (const struct letter *letter, int fd)
{
    const struct site *site = site_now ();
    char stage[SETTING_TEXT_MAX + 16], id[48], host[JOBDIR_NAME_MAX + 32];
    char state[SETTING_TEXT_MAX + 32], conf[SETTING_TEXT_MAX + 32];
    char option_fd[32], path[] = "PATH=/usr/bin:/bin";
    char name[] = "dftrace", verb[] = "epilog";
    char *argv[] = {name, verb, stage, option_fd, NULL};
    char *envp[] = {path, id, host, state, conf, NULL};
    sigset_t none;

    (void)snprintf (stage, sizeof (stage), "--stage=%s", letter->path);
    (void)snprintf (option_fd, sizeof (option_fd), "--stage-fd=%d", STAGE_FD);
    (void)snprintf (id, sizeof (id), "SLURM_JOB_ID=%" PRIu32, letter->own_id);
    (void)snprintf (host, sizeof (host), "SLURMD_NODENAME=%s", letter->host);
    (void)snprintf (state, sizeof (state), "DFTRACE_STATE_DIR=%s",
                    site->settings.state_dir);
    (void)snprintf (conf, sizeof (conf), "DFTRACE_CONF=%s", site->conf);
    (void)sigemptyset (&none);
    (void)sigprocmask (SIG_SETMASK, &none, NULL);
    (void)setpgid (0, 0);
    if (fd == STAGE_FD)
        (void)fcntl (fd, F_SETFD, 0);
    else if (dup2 (fd, STAGE_FD) < 0)
        _exit (1);
    close_others ();
    (void)execve (site->command, argv, envp);
    _exit (1);
}

/* 0 when the command ran and ended in time. */
static int wait_for (pid_t pid)
{
    const struct timespec pause = {0, POLL_MS * NS_PER_MS};
    uint64_t left = site_now ()->settings.epilog_timeout / NS_PER_MS + SPARE_MS;
    int status = 0;
    pid_t rc;

    while ((rc = waitpid (pid, &status, WNOHANG)) == 0 && left > POLL_MS) {
        (void)nanosleep (&pause, NULL);
        left -= POLL_MS;
    }
    if (rc == 0) {
        (void)kill (-pid, SIGKILL);
        (void)kill (pid, SIGKILL);
        (void)waitpid (pid, NULL, 0);
    }
    return rc == pid && status == 0 ? 0 : -1;
}

static void collect (const struct letter *letter, int fd)
{
    pid_t pid = fork ();

    if (pid == 0)
        collect_exec (letter, fd);
    if (pid < 0)
        slurm_info ("dftrace: fork: %s", strerror (errno));
    else if (wait_for (pid) < 0)
        slurm_info ("dftrace: %s: %s: not collected: left to the epilog",
                    site_now ()->command, letter->path);
}

void stage_side_task_ended (spank_t sp)
{
    static struct letter letter;
    uint32_t tasks = 0;
    int fd[FDS];

    if (spank_get_item (sp, S_JOB_LOCAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS)
        return;
    if (++ended < tasks)
        return;
    receive (&letter, fd);
    if (fd[THE_STAGE] >= 0) {
        collect (&letter, fd[THE_STAGE]);
        (void)close (fd[THE_STAGE]);
    }
    if (fd[THE_HOLD] >= 0)
        (void)close (fd[THE_HOLD]);
}

void stage_side_step_ended (spank_t sp)
{
    const struct timespec pause = {0, POLL_MS * NS_PER_MS};
    const struct settings *site = &site_now ()->settings;
    uint64_t left = site->epilog_timeout / NS_PER_MS + DYING_MS;
    char host[JOBDIR_NAME_MAX];
    uint32_t step, job;

    if (spank_get_item (sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
        spank_get_item (sp, S_JOB_ID, &job) != ESPANK_SUCCESS ||
        step != SLURM_EXTERN_CONT)
        return;
    (void)jobdir_host (settings_environ (NULL, "SLURMD_NODENAME"), host);
    while (left > POLL_MS && marker_is_held (site->state_dir, job, host)) {
        (void)nanosleep (&pause, NULL);
        left -= POLL_MS;
    }
}
