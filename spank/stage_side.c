/* SPDX-License-Identifier: MIT
 *
 * stage_side.c - shards staged on the node -> the job directory, in time
 *
 * In:  the message of the first task of this node: a descriptor of the stage,
 *      and one that holds the job's marker until the stage is collected
 * Out: `dftrace epilog --stage`, which becomes the user and moves the shards;
 *      ends of tasks in shards/processes.HOST; why a job left no trace
 * Caveat: runs inside slurmstepd, so it waits no longer than epilog_timeout,
 *         hands on no variable of the job and no other descriptor.
 */
#include "config.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/format/calls.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/marker.h"
#include "lib/settings/notrace.h"
#include "lib/settings/taskenv.h"
#include "spank/jobenv.h"
#include "spank/message.h"
#include "spank/spank_api.h"
#include "spank/sides.h"

enum {
    STAGE_FD = 3,    /* in the command */
    FD_MANY = 65536, /* slurmstepd has a few dozen */
    POLL_MS = 20,
    SPARE_MS = 2000,  /* the command ends itself; this is for when it cannot */
    DYING_MS = 60000, /* what KillWait may give to tasks */
    MS_PER_S = 1000,
    NS_PER_MS = 1000000
};

static uint64_t weight = 1; /* of this job's marker */
static uint32_t ended;      /* tasks of this step on this node */
static int hold = -1;       /* in the first task */

/* -- the message -------------------------------------------------------- */

void stage_side_start (spank_t sp)
{
    ended = 0;
    end_side_start ();
    message_start ();
}

void stage_side_set_weight (uint64_t jobs)
{
    weight = jobs ? jobs : 1;
}

void stage_side_hold (const struct jobenv *job)
{
    hold =
        marker_hold (site_now ()->settings.state_dir, job->own_id, job->host);
}

/* Slurm says BATCH to the script and, through its environment, to its steps:
 * these leave the last word to the script. */
static enum message_end
what_to_say (spank_t sp, const struct plan *p, const struct jobenv *job)
{
    char text[16];

    if (!p->asked)
        return MESSAGE_END_QUIET;

    if (job->step == STEP_SHELL)
        return MESSAGE_END_SAY;
    if (job->info.nnodes != 1 ||
        (jobenv_get (sp, "ENVIRONMENT", text, sizeof (text)) &&
         strcmp (text, "BATCH") == 0))
        return MESSAGE_END_QUIET;
    return MESSAGE_END_SAY;
}

static int open_directory (const char *path)
{
    return *path ? open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                 : -1;
}

void stage_side_send (spank_t sp,
                      const struct plan *p,
                      const struct jobenv *job)
{
    static struct message message;
    int traced = p->decision == DECIDED_TRACE, fd[MESSAGE_FDS] = {-1, -1, hold};
    char sweep[SETTING_TEXT_MAX];

    message.own_id = job->own_id;
    message.restart = job->info.restart;
    message.apart = p->apart != 0;
    message.end = what_to_say (sp, p, job);
    message.sweep = jobenv_get (sp, PLAN_SWEEP, sweep, sizeof (sweep)) != NULL;
    message.layers = p->settings.layers;
    (void)snprintf (message.host, sizeof (message.host), "%s", job->host);
    (void)snprintf (message.dir, sizeof (message.dir), "%s", p->dir);
    message.stage[0] = '\0';
    if (traced && plan_step_stage (p, &job->info, message.stage) < 0)
        return;
    if (traced) {
        fd[MESSAGE_DIR] = open_directory (message.dir);
        fd[MESSAGE_STAGE] = open_directory (message.stage);
    }
    message_send (&message, fd);
    for (int i = 0; i < MESSAGE_HOLD; i++)
        if (fd[i] >= 0)
            (void)close (fd[i]);
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
static void collect_exec (const struct message *message, int fd)
{
    const struct site *site = site_now ();
    char stage[SETTING_TEXT_MAX + 16], id[48], host[JOBDIR_NAME_MAX + 32];
    char state[SETTING_TEXT_MAX + 32], conf[SETTING_TEXT_MAX + 32];
    char option_fd[32], path[] = "PATH=/usr/bin:/bin";
    char name[] = "dftrace", verb[] = "epilog";
    char *argv[] = {name, verb, stage, option_fd, NULL};
    char *envp[] = {path, id, host, state, conf, NULL};
    sigset_t none;

    (void)snprintf (stage, sizeof (stage), "--stage=%s", message->stage);
    (void)snprintf (option_fd, sizeof (option_fd), "--stage-fd=%d", STAGE_FD);
    (void)snprintf (id, sizeof (id), "SLURM_JOB_ID=%" PRIu32, message->own_id);
    (void)snprintf (host, sizeof (host), "SLURMD_NODENAME=%s", message->host);
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
static int stage_side_wait_for (pid_t pid)
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
        /* a file system that does not answer may keep it even so */
        for (left = SPARE_MS; left > POLL_MS; left -= POLL_MS) {
            if (waitpid (pid, NULL, WNOHANG) != 0)
                break;
            (void)nanosleep (&pause, NULL);
        }
    }
    return rc == pid && status == 0 ? 0 : -1;
}

static void stage_side_collect (const struct message *message, int fd)
{
    pid_t pid = fork ();

    if (pid == 0)
        collect_exec (message, fd);
    if (pid < 0)
        say (SAY_LOG, "fork: %s", strerror (errno));
    else if (stage_side_wait_for (pid) < 0)
        say (SAY_LOG, "%s: %s: not collected: left to the epilog",
             site_now ()->command, message->stage);
}

/* A batch script learns only late that it is not the job's first life; then
 * root's marker names the directory of the first. A task learns only late that
 * its directory is another job's. */
static void add_marker (const struct message *message, uid_t uid, gid_t gid)
{
    const struct settings *site = &site_now ()->settings;
    const struct marker_line line = {uid,
                                     gid,
                                     jobenv_groups (),
                                     site->epilog_timeout / NS_PER_MS,
                                     weight,
                                     message->dir,
                                     ""};

    if (message->apart ||
        (message->restart > 0 && !(message->layers & LAYER_NOBATCH)))
        (void)marker_add (site->state_dir, message->own_id, message->host,
                          &line, NULL);
}

/* Return 1 for a task of an array, found to be small, that its user wants
 * traced: what its epilog does costs more than the task, and the first `dftrace
 * analyze` does it as well. Not where the site wants to know of each job, nor
 * for a run of a sweep, whose tables are made of all. */
static int is_left_alone (spank_t sp, const struct message *message)
{
    const struct site *site = site_now ();
    uint32_t task = NO_VAL, step = 0;

    return message->end == MESSAGE_END_SAY && !message->sweep &&
           !message->apart && !*message->stage && !*site->summaries &&
           !*site->slurm_comment &&
           spank_get_item (sp, S_JOB_ARRAY_TASK_ID, &task) == ESPANK_SUCCESS &&
           task != NO_VAL &&
           spank_get_item (sp, S_JOB_STEPID, &step) == ESPANK_SUCCESS &&
           step == SLURM_BATCH_SCRIPT;
}

/* Then the epilog has nothing to do: unless a step has a stage or a directory
 * of its own. */
static void drop_marker (const struct message *message, uid_t uid)
{
    const char *state_dir = site_now ()->settings.state_dir;
    struct marker m;

    if (marker_read (state_dir, message->own_id, message->host, &m, NULL) < 0)
        return;
    if (m.count == 1 && m.uid == uid && !*m.stage[0] &&
        strcmp (m.dir[0], message->dir) == 0)
        (void)marker_remove (state_dir, message->own_id, message->host);
    marker_free (&m);
}

void stage_side_task_ended (spank_t sp)
{
    static struct message message;
    uint32_t tasks = 0, uid, gid;
    int fd[MESSAGE_FDS];

    end_side_task_ended (sp);
    if (spank_get_item (sp, S_JOB_LOCAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS)
        return;
    if (++ended < tasks || message_receive (&message, fd) < 0)
        return;
    if (fd[MESSAGE_STAGE] >= 0)
        stage_side_collect (&message, fd[MESSAGE_STAGE]);
    if (spank_get_item (sp, S_JOB_UID, &uid) == ESPANK_SUCCESS &&
        spank_get_item (sp, S_JOB_GID, &gid) == ESPANK_SUCCESS) {
        add_marker (&message, uid, gid);
        if (end_side_say (&message, fd[MESSAGE_DIR], uid, gid) &&
            is_left_alone (sp, &message))
            drop_marker (&message, uid);
    }
    for (int i = 0; i < MESSAGE_FDS; i++)
        if (fd[i] >= 0)
            (void)close (fd[i]);
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

/* ---- ends of tasks -> lines of shards/processes.HOST; a job that left no
 * trace -> one line of its output, why ---- */

enum {
    WAIT_MS = 5000, /* of a file system that does not answer */
    SMALL_BYTES = 128 << 10,
    TOLD_MAX = 256 /* tasks of a node that are named */
};

/* Tasks of this step on this node that failed, and the batch script. */
static struct {
    char text[TOLD_MAX][PROCLINE_ENDED_MAX];
    struct procline line[TOLD_MAX];
    size_t count;
} told;

void end_side_start (void)
{
    told.count = 0;
}

/* A task that ends with status 0 has recorded that itself; the batch script is
 * the job, whose end nobody else tells. */
void end_side_task_ended (spank_t sp)
{
    struct procline *l;
    uint32_t step = 0;
    int status = 0;
    pid_t pid = 0;

    if (told.count == TOLD_MAX ||
        spank_get_item (sp, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS ||
        spank_get_item (sp, S_TASK_PID, &pid) != ESPANK_SUCCESS ||
        spank_get_item (sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
        (status == 0 && step != SLURM_BATCH_SCRIPT) || pid <= 0)
        return;
    l = &told.line[told.count];
    *l = (struct procline){told.text[told.count++], PROCLINE_ENDED_MAX, 0};
    procline_ended (l, pid, status, PROCLINE_TASK);
}

/* A look at a job directory as the user, through APART_KEPT. */
struct end_side {
    const struct message *message;
    uid_t uid;
    gid_t gid;
    int has_directory;
    int clear, small; /* there is a trace; it is left to its first reader */
    enum notrace why; /* else */
};

/* Only this process, and not those that share its memory, as libc's functions
 * would do. The real user stays root, so that no process of the user may end
 * it or read its memory. */
static int end_side_become (const struct end_side *e)
{
    return geteuid () != 0 || (syscall (SYS_setgroups, 1, &e->gid) == 0 &&
                               syscall (SYS_setresgid, -1, e->gid, -1) == 0 &&
                               syscall (SYS_setresuid, -1, e->uid, -1) == 0);
}

/* In the memory of slurmstepd. Only `finish = large` asks how small the trace
 * is. */
static int end_side_glance (void *cookie)
{
    const struct site *site = site_now ();
    struct notrace_glance g;
    struct end_side *e = cookie;

    if (!end_side_become (e))
        return -1;
    for (size_t i = 0; i < told.count && e->has_directory; i++)
        (void)jobdir_append (APART_KEPT, e->message->host, &told.line[i], NULL);
    if (e->message->end == MESSAGE_END_QUIET || !e->has_directory)
        return 0;
    e->clear = notrace_glance (APART_KEPT, &g);
    e->small = strcmp (site->finish, "large") == 0 && g.traces > 0 &&
               g.traces < site->pack && g.bytes < SMALL_BYTES &&
               !g.unfinished && g.nodes <= 1;
    return 0;
}

/* In a copy, which parses what the user may have written. */
static int end_side_look (void *cookie)
{
    struct end_side *e = cookie;

    if (end_side_become (e))
        e->why = e->has_directory
                     ? notrace_look_again (APART_KEPT, e->message->dir)
                     : notrace_look_at (e->message->dir);
    return 0;
}

int end_side_say (const struct message *message,
                  int dirfd,
                  uid_t uid,
                  gid_t gid)
{
    struct end_side e = {message, uid, gid, dirfd >= 0, 0, 0, NOTRACE_NO};

    if ((message->end == MESSAGE_END_QUIET && !told.count) ||
        apart_run (end_side_glance, &e, sizeof (e), WAIT_MS, 1, dirfd) < 0 ||
        message->end == MESSAGE_END_QUIET)
        return 0;
    if (!e.clear &&
        apart_run (end_side_look, &e, sizeof (e), WAIT_MS, 0, dirfd) < 0)
        return 0;
    if (e.why != NOTRACE_NO)
        say (SAY_USER, "%s: job %u left no trace: %s", message->host,
             message->own_id, notrace_reason (e.why, message->layers));
    return e.small && e.why == NOTRACE_NO;
}
