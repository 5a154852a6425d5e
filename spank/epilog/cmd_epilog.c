/* SPDX-License-Identifier: MIT
 *
 * cmd_epilog.c - the end of a job on one node: gather, merge, analyze
 *
 * In:  SLURM_JOB_ID, SLURMD_NODENAME; root's marker of the job
 * Out: node.HOST.json; on the last node, what merge and analyze make
 * Caveat: a status other than 0 would drain the node, so there is none. All
 *         that touches the user's files is done as the user, in a process
 *         group that is killed when the time is over.
 */
#include "config.h"

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "spank/epilog/user_side.h"
#include "spank/epilog/tell.h"
#include "spank/epilog/keep.h"
#include "spank/epilog/verb.h"
#include "spank/epilog/node.h"
#include "spank/epilog/pack.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/marker.h"
#include "lib/base/text.h"
#include "lib/settings/site.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

enum {
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
    LEFTOVER_MS = 1000, /* less is not worth a try */
    LEFTOVER_PART = 10, /* of the time limit; the rest is the job's own */
    LEFTOVER_USERS = 8,
    KEEP_MS = 5000,       /* for the line of a job in the site's summary */
    CPU_SECONDS_SPARE = 2 /* the clock on the wall should end it first */
};

struct epilog {
    struct site site;
    const char *stage; /* of a step; NULL: the job has ended */
    int stage_fd;
    int leftover; /* of an earlier job: only what is staged */
    uint32_t job_id;
    char host[JOBDIR_NAME_MAX];
    struct marker marker;
    int careful;    /* a child crashed */
    int timed_out;  /* the last child was ended */
    unsigned *done; /* batches that it packed; NULL: nobody knows */
    char *group;    /* cgroup of the children; NULL: there is none */
    int told[2];    /* pipe from the user's side; -1: the site keeps nothing */
    char text[TELL_MAX]; /* what came through it */
    int claim;           /* of the marker of this turn; -1: none */
    int kept;            /* the marker has the name of a leftover */
};

/* -- as root ----------------------------------------------------------- */

static int user_main (const struct epilog *e, uint64_t limit_ms)
{
    unsigned long seconds = (unsigned long)(limit_ms / MS_PER_S);
    const struct become user = {
        .uid = e->marker.uid,
        .gid = e->marker.gid,
        /* of a leftover, which may be a week old: as they are now */
        .groups = e->leftover ? NULL : &e->marker.groups,
        .host = e->host,
        .cpu_seconds = seconds * (unsigned long)sysconf (_SC_NPROCESSORS_ONLN) +
                       CPU_SECONDS_SPARE,
        .memory = e->site.epilog_memory,
    };
    struct errtext err;
    int rc;

    if (e->claim >= 0)
        close (e->claim);
    if (become_user (&user, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    user_side_tell (e->told[1]);
    if (e->careful)
        user_side_be_careful ();
    pack_count (e->done);
    rc = e->stage
             ? user_side_collect (&e->marker, e->host, e->stage, e->stage_fd)
             : user_side_finish (&e->marker, e->host, &e->site);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

/* slurmd reads what its Epilog prints until nobody can print any more, without
 * a limit of time. A child that a dead file server holds must not keep it
 * waiting, and the node with it. */
static void leave_output (void)
{
    int fd = open ("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = STDIN_FILENO; fd >= 0 && i <= STDERR_FILENO; i++)
        (void)dup2 (fd, i);
    if (fd >= 0)
        close (fd);
}

/* The script waits until our output is closed: from now on the node goes on.
 * We go on beside its next job, unless another epilog does: then -1. */
static int leave_script (void *cookie)
{
    const struct epilog *e = cookie;
    char *path =
        xasprintf ("%s/.behind.%s", e->site.settings.state_dir, e->host);
    int fd = path ? open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)
                  : -1;

    free (path);
    leave_output ();
    return fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0 ? 0 : -1;
}

/* 0 when all is done, else (verb.h) something is left. */
static int run_as_user (struct epilog *e, uint64_t limit_ms)
{
    pid_t pid;
    int rc;

    fflush (NULL);
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    pid = killgroup_fork (e->group);
    if (pid < 0) {
        log_error ("epilog: fork: %s", strerror (errno));
        return -1;
    }
    if (pid == 0) {
        xalloc_status = REAP_NO_MEMORY;
        leave_output ();
        setpgid (0, 0);
        _exit (user_main (e, limit_ms));
    }
    setpgid (pid, pid);
    rc = reap_wait (pid, e->group, limit_ms, &e->timed_out);
    if (e->timed_out && reap_is_cut ())
        log_warn ("epilog: another one is at work beside the jobs: this one "
                  "is left to a later one");
    else if (e->timed_out)
        log_warn ("epilog: %llu ms are over: run `dftrace analyze` on the job "
                  "directory",
                  (unsigned long long)limit_ms);
    return rc;
}

/* slurmd may start us with closed descriptors; a file of ours must not become
 * standard output. */
static int open_standard_files (void)
{
    int fd;

    do
        fd = open ("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close (fd);
    return fd < 0 ? -1 : 0;
}

static void read_site (struct epilog *e)
{
    const char *conf = settings_environ (NULL, "DFTRACE_CONF");
    const char *state_dir = settings_environ (NULL, "DFTRACE_STATE_DIR");
    const char *wait = settings_environ (NULL, "DFTRACE_EPILOG_WAIT");
    char *word = conf && *conf ? xasprintf ("conf=%s", conf) : NULL;

    site_load (&e->site, word ? 1 : 0, &word);
    free (word);
    for (int i = 0; i < e->site.errors && i < SITE_ERRORS_MAX; i++)
        log_warn ("epilog: %s", e->site.error[i].text);
    if (state_dir && *state_dir)
        settings_set (&e->site.settings, "state_dir", state_dir, NULL);
    if (wait && *wait)
        settings_set (&e->site.settings, "epilog_wait", wait, NULL);
}

static int read_job (struct epilog *e, struct errtext *err)
{
    const char *id = settings_environ (NULL, "SLURM_JOB_ID");
    uint64_t n;

    if (!id || parse_u64 (id, &n) < 0 || n > UINT32_MAX)
        return errf (err, "SLURM_JOB_ID: not set: this is started by slurmd");
    e->job_id = (uint32_t)n;
    jobdir_host (settings_environ (NULL, "SLURMD_NODENAME"), e->host);
    return 0;
}

/* One turn for a job; one that got on is no try. */
static void run_leftover (struct epilog *e, struct leftover *l, uint64_t end_ms)
{
    const char *state_dir = e->site.settings.state_dir;
    char host[JOBDIR_NAME_MAX + 16];

    if (e->done)
        *e->done = 0;
    leftover_count (state_dir, e->host, l);
    leftover_host (e->host, l, host, sizeof (host));
    if (run_as_user (e, end_ms - reap_now_ms ()) == 0)
        marker_remove (state_dir, l->job_id, host);
    else if ((!e->timed_out || (e->done && *e->done)) &&
             l->tries < LEFTOVER_TRIES)
        leftover_uncount (state_dir, e->host, l);
    else if (l->tries >= LEFTOVER_TRIES)
        log_warn ("epilog: job %lu: its stage was given up after %d tries that "
                  "ran out of time",
                  (unsigned long)l->job_id, LEFTOVER_TRIES);
}

static void run_turn (struct epilog *e, struct leftover *l, uint64_t end_ms)
{
    char host[JOBDIR_NAME_MAX + 16];

    leftover_host (e->host, l, host, sizeof (host));
    e->claim = marker_claim (e->site.settings.state_dir, l->job_id, host);
    if (e->claim < 0)
        return;
    if (marker_read (e->site.settings.state_dir, l->job_id, host, &e->marker,
                     NULL) == 0) {
        run_leftover (e, l, end_ms);
        marker_free (&e->marker);
    }
    close (e->claim);
    e->claim = -1;
}

static uint64_t leftover_chance (void)
{
    uint64_t chance = 0;

    if (getrandom (&chance, sizeof (chance), GRND_NONBLOCK) < 0)
        chance = (uint64_t)getpid ();
    return chance;
}

/* Finish jobs that earlier epilogs left. They get a small part of our time, and
 * every owner the same part of that, so that one user does not keep others
 * waiting. Time that an owner does not need goes to those after him. */
static void run_leftovers (struct epilog *e, uint64_t limit_ms, uint64_t end_ms)
{
    uint64_t part = reap_now_ms () + LEFTOVER_MS + limit_ms / LEFTOVER_PART;
    struct leftover turn[LEFTOVER_USERS];
    size_t n = leftover_turns (e->site.settings.state_dir, e->host,
                               leftover_chance (), turn, LEFTOVER_USERS);

    if (part < end_ms)
        end_ms = part;
    e->leftover = 1;
    e->done = n ? mmap (NULL, sizeof (*e->done), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                : MAP_FAILED;
    if (e->done == MAP_FAILED)
        e->done = NULL;
    for (size_t i = 0;
         i < n && !reap_is_cut () && reap_now_ms () + LEFTOVER_MS < end_ms; i++)
        run_turn (e, &turn[i],
                  leftover_until (reap_now_ms (), end_ms, n - i, LEFTOVER_MS));
}

/* -- the site's summary ------------------------------------------------- */

static void keep_begin (struct epilog *e)
{
    e->told[0] = e->told[1] = -1;
    if ((*e->site.summaries || *e->site.slurm_comment) && !e->stage &&
        pipe2 (e->told, O_CLOEXEC | O_NONBLOCK) < 0)
        log_warn ("epilog: pipe: %s: no summary of this job is kept",
                  strerror (errno));
}

static int keep_main (const struct epilog *e, char *text)
{
    static struct hide hide;
    const struct keep_job job = {.host = e->host,
                                 .job_id = e->job_id,
                                 .uid = e->marker.uid,
                                 .now = (int64_t)time (NULL),
                                 .weight = e->marker.weight,
                                 .weights = e->marker.count,
                                 .hide = *e->site.hide ? &hide : NULL};
    struct errtext err;

    if (hide_columns (&hide, e->site.hide, &err) < 0)
        log_warn ("epilog: hide: %s", err.text);
    if (job.hide && hide_read_key (&hide, e->site.hide_key, &err) < 0)
        log_warn ("epilog: hide_key: %s: the names are left out", err.text);

    if (keep_jobs (e->site.summaries, &job, text, &err) < 0) {
        log_warn ("epilog: %s", err.text);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

/* The summary in a process of its own, since the directory may be on a file
 * server. */
static void keep_end (struct epilog *e)
{
    char *text = e->text;
    ssize_t n;
    pid_t pid;

    if (e->told[0] < 0)
        return;
    n = read (e->told[0], text, sizeof (e->text) - 1);
    close (e->told[0]);
    close (e->told[1]);
    e->told[0] = e->told[1] = -1;
    if (n <= 0)
        return;
    text[n] = '\0';
    if (!*e->site.summaries)
        return;
    fflush (NULL);
    pid = fork ();
    if (pid == 0) {
        leave_output ();
        setpgid (0, 0);
        _exit (keep_main (e, text));
    }
    if (pid > 0 && reap_wait (pid, NULL, KEEP_MS, &e->timed_out) != 0 &&
        e->timed_out)
        log_warn ("epilog: %s: no answer: no summary of this job is kept",
                  e->site.summaries);
}

/* A trace may make its reader crash, or need more memory than there is: then
 * once more, so that this is said in the directory, and what is left is done.
 */
static int run_job (struct epilog *e, uint64_t limit_ms, uint64_t begin)
{
    int rc = run_as_user (e, limit_ms);
    uint64_t now = reap_now_ms ();

    if (rc != REAP_CRASHED || e->stage || now >= begin + limit_ms)
        return rc;
    e->careful = 1;
    return run_as_user (e, begin + limit_ms - now);
}

static int has_stage (const struct marker *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (*m->stage[i])
            return 1;
    return 0;
}

/* From now on the marker is a leftover's, which an epilog that is killed leaves
 * to a later one. */
static void begin_job (struct epilog *e)
{
    const char *state_dir = e->site.settings.state_dir;

    e->claim = marker_claim (state_dir, e->job_id, e->host);
    e->kept = leftover_keep (state_dir, e->job_id, e->host) == 0;
}

/* The marker goes, or stays for a later epilog; then others' leftovers. */
static void end_job (
    struct epilog *e, int rc, int staged, uint64_t limit_ms, uint64_t begin)
{
    char left[JOBDIR_NAME_MAX + 16];

    leftover_host (e->host, &(struct leftover){0}, left, sizeof (left));
    if (rc == 0 || !(staged || reap_is_cut ()) || !e->kept)
        marker_remove (e->site.settings.state_dir, e->job_id,
                       e->kept ? left : e->host);
    if (e->claim >= 0)
        close (e->claim);
    e->claim = -1;
    run_leftovers (e, limit_ms, begin + limit_ms);
}

static void run_epilog (struct epilog *e)
{
    uint64_t begin = reap_now_ms (), limit_ms;
    struct errtext err;
    int rc = 0, staged;
    uid_t uid;

    read_site (e);
    if (read_job (e, &err) < 0) {
        log_error ("epilog: %s", err.text);
        return;
    }
    if (marker_read (e->site.settings.state_dir, e->job_id, e->host, &e->marker,
                     &err) < 0) {
        if (errno != ENOENT)
            log_error ("epilog: %s", err.text);
        return;
    }
    limit_ms = e->marker.limit_ms;
    uid = e->marker.uid;
    staged = has_stage (&e->marker);
    keep_begin (e);
    if (!e->stage) {
        setsid (); /* slurmd kills the script's process group */
        reap_front (begin + e->site.settings.epilog_wait / NS_PER_MS,
                    leave_script, e);
        begin_job (e);
    }
    e->group = killgroup_make ();
    if (e->marker.count)
        rc = run_job (e, limit_ms, begin);
    keep_end (e);
    marker_free (&e->marker);
    if (!e->stage)
        end_job (e, rc, staged, limit_ms, begin);
    killgroup_destroy (e->group);
    if (*e->site.slurm_comment && !e->stage &&
        comment_job (e->site.slurm_comment, e->job_id, uid, e->text, &err) < 0)
        log_warn ("epilog: %s", err.text);
}

static const struct verb_help help = {
    .usage = "dftrace epilog [--stage=DIR --stage-fd=N]",
    .summary = "end of a traced job on one node: gather, merge, analyze",
    .text = "Started by slurmd through etc/epilog.d/50-dftrace, as root. Reads "
            "the marker\nthat the plugin left in DFTRACE_STATE_DIR for "
            "SLURM_JOB_ID, becomes the user,\nwrites node.HOST.json and, on "
            "the last node of the job, merges and analyzes.\nTakes at most "
            "epilog_timeout (20s); the node waits for epilog_wait (500ms) of "
            "it.\nWith --stage, by slurmstepd: only moves the "
            "shards of a step's stage to the\njob directory.",
    .example = "  # SLURM_JOB_ID=4711 SLURMD_NODENAME=n1 dftrace epilog",
    .exits = "0  always: any other status would drain the node",
};

int cmd_epilog (int argc, char **argv)
{
    static struct epilog epilog = {.claim = -1};
    static const struct opt options[] = {
        {"stage", 0, OPT_TEXT, &epilog.stage, "DIR",
         "a step's stage, as its tasks know it"},
        {"stage-fd", 0, OPT_INT, &epilog.stage_fd, "N",
         "descriptor on which it is open"},
        {.name = NULL},
    };
    struct errtext err;
    int first;

    xalloc_status = EXIT_OK;
    log_for_daemons ();
    if (open_standard_files () < 0)
        return EXIT_OK;
    switch (optparse (options, &help, argc, argv, &first, &err)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        log_error ("epilog: %s", err.text);
        return EXIT_OK;
    case OPTPARSE_OK:
        run_epilog (&epilog);
    }
    return EXIT_OK;
}
