/* SPDX-License-Identifier: MIT
 *
 * sitejob.c - `dftrace site job`: a job id -> its directories, first screen
 *
 * In:  directories of job directories, with the job.json of each
 * Out: those of the job
 * Caveat: anybody may have written any of it.
 */
#include "config.h"

#include <dirent.h>
#include <glob.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "analyze/cmd.h"
#include "analyze/report/job/jobdata.h"
#include "analyze/tables/screen.h"
#include "lib/util/launch.h"
#include "cli/site/site.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/chart/scale.h"
#include "lib/format/calls.h"
#include "lib/settings/notrace.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"
#include "lib/util/ytree.h"
#include "spank/epilog/user_side.h"

/* A job, or a task of an array. */
struct sitejob_id {
    uint64_t job;
    int64_t task; /* -1: not said */
};

struct sitejob_dir {
    const char *path;
    uid_t uid;   /* who owns it, and its job.json */
    uid_t whose; /* the job's, by its job.json */
    gid_t gid;
    struct timespec made;
    uint64_t job, restart;
    int64_t task; /* of an array; -1 none */
    int profile;  /* it has layer profile */
};

struct sitejob {
    struct sitejob_id id;
    struct sitejob_dir *dir;
    size_t dirs;
    const char *denied; /* one that by its name is of the job and that the
                           caller may not read; NULL: none */
    uid_t denied_uid;
    uint64_t unreadable; /* other directories that the caller may not read */
};

enum { WALK_DEPTH = 6, SITEJOB_JSON_MAX = 1 << 24 };

/* "4711" or "4711_3". 0, or -1: it is no such thing. */
static int sitejob_parse (const char *text, struct sitejob_id *id)
{
    const char *under = strchr (text, '_');
    char job[24];
    uint64_t task;

    id->task = -1;
    if (!under)
        return parse_u64 (text, &id->job) < 0 || !id->job ? -1 : 0;
    (void)snprintf (job, sizeof (job), "%.*s", (int)(under - text), text);
    if (parse_u64 (job, &id->job) < 0 || !id->job ||
        parse_u64 (under + 1, &task) < 0 || task > INT32_MAX)
        return -1;
    id->task = (int64_t)task;
    return 0;
}

/* As jobdir_path makes names: "train-4711", "train-4711_3.r1". */
static int sitejob_named (const struct sitejob *s, const char *name)
{
    char want[32];
    const char *at = strrchr (name, '-');
    size_t n;

    n = (size_t)snprintf (want, sizeof (want), "-%" PRIu64, s->id.job);
    return at && strncmp (at, want, n) == 0 &&
           (at[n] == '\0' || at[n] == '_' || at[n] == '.');
}

static int sitejob_is (const struct sitejob *s,
                       struct sitejob_dir *d,
                       const struct ynode *n)
{
    uint64_t array = ynode_number (n, "array_job_id"), task;

    d->job = ynode_number (n, "job_id");
    d->restart = ynode_number (n, "restart");
    d->whose = ynode_get (n, "uid") ? (uid_t)ynode_number (n, "uid") : d->uid;
    d->task = -1;
    if (array && parse_u64 (ynode_text (n, "array_task_id", ""), &task) == 0 &&
        task <= INT32_MAX)
        d->task = (int64_t)task;
    if (s->id.task >= 0)
        return array == s->id.job && d->task == s->id.task;
    return d->job == s->id.job || array == s->id.job;
}

/* When the directory was made; 0: the file system does not know. */
static struct timespec sitejob_made (const char *dir)
{
    struct timespec made = {0, 0};
    struct statx st;

    /* libc has it since 2.28 only */
    if (syscall (SYS_statx, AT_FDCWD, dir, AT_SYMLINK_NOFOLLOW, STATX_BTIME,
                 &st) == 0 &&
        st.stx_mask & STATX_BTIME) {
        made.tv_sec = st.stx_btime.tv_sec;
        made.tv_nsec = st.stx_btime.tv_nsec;
    }
    return made;
}

static void sitejob_read (void *jobs,
                          const char *dir,
                          const char *json,
                          const struct stat *owner)
{
    struct sitejob *s = jobs;
    struct sitejob_dir d = {.uid = owner->st_uid, .gid = owner->st_gid};
    struct ytree *t = site_json (json, SITEJOB_JSON_MAX);
    const struct ynode *n = t ? ytree_root (t) : NULL;
    unsigned layers = 0;
    struct stat st;

    s->unreadable += !n;
    if (n && sitejob_is (s, &d, n) && lstat (dir, &st) == 0 &&
        st.st_uid == d.uid) {
        (void)layers_parse (ynode_text (n, "layers", ""), &layers, NULL);
        d.profile = (layers & LAYER_PROFILE) != 0;
        d.made = sitejob_made (dir);
        d.path = arena_text (dir);
        s->dir = arena_grow (s->dir, s->dirs, sizeof (d));
        s->dir[s->dirs++] = d;
    }
    ytree_destroy (t);
}

static void sitejob_deny (void *jobs, const char *dir)
{
    struct sitejob *s = jobs;
    const char *slash = strrchr (dir, '/');
    struct stat st;

    if (s->denied || !sitejob_named (s, slash ? slash + 1 : dir) ||
        lstat (dir, &st) < 0) {
        s->unreadable++;
        return;
    }
    s->denied = arena_text (dir);
    s->denied_uid = st.st_uid;
}

/* ---- directories -> those of jobs ---- */

static void walk_below (const struct site_walk *w, const char *dir, int depth)
{
    DIR *d = opendir (dir);
    const struct dirent *entry;
    struct stat st;

    if (!d) {
        w->denied (w->cookie, dir);
        return;
    }
    while ((entry = readdir (d)))
        if (entry->d_name[0] != '.' &&
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR (st.st_mode)) {
            char *path = path_join (dir, entry->d_name);

            site_walk (w, path, depth + 1);
            free (path);
        }
    closedir (d);
}

void site_walk (const struct site_walk *w, const char *dir, int depth)
{
    char *json = path_join (dir, "job.json");
    struct stat st;

    if (lstat (json, &st) == 0) {
        if (S_ISREG (st.st_mode))
            w->job (w->cookie, dir, json, &st);
    } else if (errno == EACCES) {
        w->denied (w->cookie, dir);
    } else if (depth < WALK_DEPTH) {
        if (w->other)
            w->other (w->cookie, dir);
        walk_below (w, dir, depth);
    }
    free (json);
}

struct ytree *site_json (const char *path, size_t max)
{
    size_t length;
    char *text = read_file (path, max, &length, NULL);
    struct ytree *t = text ? ytree_parse (path, text, length, NULL) : NULL;

    free (text);
    return t;
}

/* ---- the directories of a job ---- */

/* Keep those for which keep (directory, uid) is true, if there are any. */
static void sitejob_keep (struct sitejob *s,
                          int (*keep) (const struct sitejob_dir *, int64_t),
                          int64_t uid)
{
    size_t n = 0;

    for (size_t i = 0; i < s->dirs; i++)
        if (keep (&s->dir[i], uid)) {
            struct sitejob_dir d = s->dir[i];

            memmove (&s->dir[n + 1], &s->dir[n], (i - n) * sizeof (d));
            s->dir[n++] = d;
        }
    if (n)
        s->dirs = n;
}

/* ---- `dftrace site job`: the first screen of a job by its id ---- */

enum {
    JOBSHOW_EVENT_BYTES = 6, /* of a trace, about: doc/performance.md */
    JOBSHOW_CPU_S = 600,     /* of root's question, as the user */
    JOBSHOW_SLURM_S = 10,
    JOBSHOW_USER_MAX = 64
};

/* --- one job directory ---------------------------------------------------- */

static const char *jobshow_user (uid_t uid)
{
    const struct passwd *pw = getpwuid (uid);

    return pw ? arena_text (pw->pw_name) : arena_format ("uid %u", uid);
}

static void jobshow_more (const struct jobdata *d)
{
    double events = (double)d->totals.profile.calls;
    char calls[WORDS_MAX], bytes[WORDS_MAX];

    (void)printf (
        "\nA full trace of this job would have about %s events in %s, and "
        "add:\n"
        "  where the time of each rank went, what overlapped what (--view "
        "bill, "
        "io)\n"
        "  bandwidths over the time in which something was moved\n"
        "  steps and epochs, phases, who waited for whom\n"
        "  each call: --view event, --where, --by, --show, --view tree\n"
        "sbatch --dftrace=posix,app JOB traces it in full\n",
        number_words (calls, events),
        value_words (bytes, events * JOBSHOW_EVENT_BYTES, "B"));
}

/* Show the results of an earlier analysis. */
static void jobshow_left (const struct jobdata *d)
{
    (void)printf ("its traces have gone; an earlier analysis says:\n");
    for (int m = 0; m < METRIC_COUNT; m++)
        if (!isnan (d->metric[m].value) && d->metric[m].value != 0)
            (void)printf ("  %s: %.*f %s\n", metric_table[m].name,
                          metric_table[m].digits, d->metric[m].value,
                          metric_table[m].unit);
}

/* Neither traces nor results of an earlier analysis are there. */
static _Noreturn void jobshow_nothing (const struct sitejob_dir *dir)
{
    enum notrace why = notrace_look_at (dir->path);
    glob_t g = {.gl_pathc = 0};
    int ended = glob (arena_format ("%s/node.*.json", dir->path), GLOB_NOSORT,
                      NULL, &g) == 0;

    die ("site: job %" PRIu64 ": %s: no trace%s: %s", dir->job, dir->path,
         ended ? "" : ", and no epilog has run, the job may be running",
         why == NOTRACE_NO ? "its traces cannot be read, or are still on its "
                             "nodes"
                           : notrace_reason (why, LAYER_POSIX));
}

static void jobshow_sums (const struct sitejob_dir *dir)
{
    static const struct kind_rules rules;
    struct errtext err;
    struct jobdata d;

    if (jobdata_load (&d, dir->path, &rules, &err) < 0)
        die ("site: %s", err.text);
    if (!d.live)
        jobshow_left (&d);
    else {
        screen_print (&d.result, stdout);
        if (summary_is_profile (&d.summary))
            jobshow_more (&d);
    }
    jobdata_clear (&d);
}

/* Analyze the traces; kept answers make that quick. */
static int jobshow_trace (const struct sitejob_dir *dir)
{
    char *argv[] = {(char *)"analyze", (char *)"--no-write", (char *)dir->path,
                    NULL};

    return cmd_analyze (3, argv);
}

static int jobshow_has_traces (const struct sitejob_dir *dir)
{
    struct joblist jobs = {.item = NULL};
    int yes = joblist_add (&jobs, dir->path, NULL) == 0 && jobs.count == 1 &&
              job_list (&jobs.item[0], NULL) == 0;

    joblist_clear (&jobs);
    return yes;
}

static int jobshow_dir (const struct sitejob_dir *dir)
{
    int status = EXIT_OK, traces;

    printf ("job %" PRIu64 " of %s: %s", dir->job, jobshow_user (dir->whose),
            dir->path);
    if (dir->uid != dir->whose)
        printf (", a copy of %s", jobshow_user (dir->uid));
    putchar ('\n');
    fflush (stdout);
    traces = jobshow_has_traces (dir);
    if (traces && !dir->profile)
        status = jobshow_trace (dir);
    else if (traces ||
             access (arena_format ("%s/metrics.json", dir->path), F_OK) == 0)
        jobshow_sums (dir);
    else
        jobshow_nothing (dir);
    return fflush (stdout) == 0 ? status : EXIT_FAILED;
}

/* As its owner, in a process of its own, which is at the root directory. */
static int jobshow_as (struct sitejob_dir *dir)
{
    struct errtext err = {""};
    const struct passwd *pw = getpwuid (dir->uid);
    const struct become user = {.uid = dir->uid,
                                .gid = pw ? pw->pw_gid : dir->gid,
                                .host = "",
                                .cpu_seconds = JOBSHOW_CPU_S};
    char *path = realpath (dir->path, NULL);
    int status = 0;
    pid_t pid;

    if (path)
        dir->path = path;
    (void)fflush (NULL);
    pid = fork ();
    if (pid == 0) {
        if (become_user (&user, &err) < 0)
            die ("site: %s", err.text);
        _exit (jobshow_dir (dir));
    }
    while (pid > 0 && waitpid (pid, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILED;
    return pid > 0 && WIFEXITED (status) ? WEXITSTATUS (status) : EXIT_FAILED;
}

/* --- which one ------------------------------------------------------------ */

static int jobshow_later (const void *a, const void *b)
{
    const struct sitejob_dir *x = a, *y = b;

    return ORDER (x->task, y->task)
           ?: ORDER (y->restart, x->restart)
           ?: ORDER (x->uid, y->uid)
           ?: ORDER (x->made.tv_sec, y->made.tv_sec)
           ?: ORDER (x->made.tv_nsec, y->made.tv_nsec)
           ?: strcmp (x->path, y->path);
}

/* True if both are one run of one user, and so one is a copy. */
static int jobshow_same (const struct sitejob_dir *x,
                         const struct sitejob_dir *y)
{
    return x->uid == y->uid && x->job == y->job && x->task == y->task &&
           x->restart == y->restart;
}

/* The user of the job as Slurm knows it; -1: it does not. By number alone: a
 * job's name may hold anything. */
static int64_t jobshow_slurm (uint64_t job)
{
    const char *id = arena_format ("%" PRIu64, job);
    const char *const ask[][9] = {
        {"squeue", "-h", "-t", "all", "-o", "%U", "-j", id, NULL},
        {"sacct", "-nXPD", "-o", "UID", "-j", id, NULL}};
    char out[4096];
    uint64_t uid;

    for (size_t i = 0; i < 2; i++) {
        if (capture (ask[i], JOBSHOW_SLURM_S, out, sizeof (out)) != 0)
            continue;
        out[strcspn (out, " \n")] = '\0';
        if (parse_u64 (out, &uid) == 0 && uid < UINT32_MAX)
            return (int64_t)uid;
    }
    return -1;
}

static int jobshow_is_of (const struct sitejob_dir *d, int64_t uid)
{
    return d->uid == uid;
}

static int jobshow_is_owned (const struct sitejob_dir *d, int64_t uid)
{
    return d->uid == d->whose;
}

static int jobshow_users (const struct sitejob *s)
{
    for (size_t i = 1; i < s->dirs; i++)
        if (s->dir[i].uid != s->dir[0].uid)
            return 1;
    return 0;
}

/* Leave out copies, which are said. Anybody may copy a directory and write any
 * job.json. A directory whose owner is not the user in its job.json is a copy.
 * The caller's own are the caller's; for root, Slurm says whose job it is. */
static void jobshow_copies (struct sitejob *s, const char *id)
{
    size_t all = s->dirs, n = 1;

    sitejob_keep (s, jobshow_is_owned, 0);
    if (jobshow_users (s) && geteuid ())
        sitejob_keep (s, jobshow_is_of, geteuid ());
    if (jobshow_users (s))
        sitejob_keep (s, jobshow_is_of, jobshow_slurm (s->dir[0].job));
    SORT (s->dir, s->dirs, jobshow_later);
    for (size_t i = 1; i < s->dirs; i++)
        if (!jobshow_same (&s->dir[n - 1], &s->dir[i]))
            s->dir[n++] = s->dir[i];
    s->dirs = n;
    if (s->dirs < all)
        log_info ("site: job %s: %zu more directories are copies of it", id,
                  all - s->dirs);
}

/* Several directories: of one task the last restart; else which to ask for. */
static void jobshow_choose (struct sitejob *s, const char *id)
{
    size_t same = 1;

    jobshow_copies (s, id);
    while (same < s->dirs && s->dir[same].uid == s->dir[0].uid &&
           s->dir[same].task == s->dir[0].task &&
           s->dir[same].restart != s->dir[same - 1].restart)
        same++;
    if (same == s->dirs) {
        if (s->dirs > 1)
            log_info ("site: job %s: %zu runs of it: this is the last one", id,
                      s->dirs);
        return;
    }
    log_error (jobshow_users (s)
                   ? "site: job %s: users have %zu job directories of it, and "
                     "Slurm does not say whose it is: name one of them"
                   : "site: job %s: it has %zu job directories: ask for a task "
                     "(ID_TASK), or name one of them",
               id, s->dirs);
    for (size_t i = 0; i < s->dirs; i++)
        fprintf (stderr, "  %s of %s\n", s->dir[i].path,
                 jobshow_user (s->dir[i].uid));
    exit (EXIT_FAILED);
}

static _Noreturn void jobshow_none (const struct sitejob *s, const char *id)
{
    const char *user = jobshow_user (s->denied_uid);

    if (s->denied)
        log_error ("site: job %s: %s: it belongs to %s: only %s and root may "
                   "ask for it",
                   id, s->denied, user, user);
    else
        log_error ("site: job %s: no job directory of it was found: name the "
                   "directory that has it, or a database of dftrace site "
                   "collect",
                   id);
    if (s->unreadable)
        log_warn ("site: %" PRIu64 " directories could not be read: they may "
                  "be of other users",
                  s->unreadable);
    exit (EXIT_FAILED);
}

/* --- a database ----------------------------------------------------------- */

static void jobshow_take (void *table, int n, const struct sitecell *cell)
{
    for (int i = 0; i < n; i++) {
        struct summary_info info = summary_info (i);

        if (!cell[i].text && isnan (cell[i].number))
            continue;
        textable_line (table, "%s", info.name);
        if (cell[i].text)
            textable_text (table, cell[i].text);
        else
            textable_double (table, cell[i].number,
                             i < (int)SUMMARY_FIELDS
                                 ? 0
                                 : metric_table[i - SUMMARY_FIELDS].digits);
        textable_text (table, info.unit);
    }
}

/* The newest line of the job. */
static int jobshow_db (const struct site_options *o,
                       const char *path,
                       const struct sitejob_id *id,
                       const char *said)
{
    struct textable *t = textable_create ();
    const char *args[] = {arena_format ("%" PRIu64, id->job), NULL};
    const char *names = "";

    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        names = arena_format ("%s%s%s", names, i ? ", " : "",
                              summary_info (i).name);
    textable_columns (t, "what value# unit");
    sitedb_open (path, 0);
    sitedb_ask (arena_format ("SELECT %s FROM job WHERE job = CAST (?1 AS "
                              "INTEGER) ORDER BY ended DESC LIMIT 1",
                              names),
                args, jobshow_take, t);
    if (!textable_rows (t))
        die ("site: job %s: %s: no such job in it: see dftrace site collect",
             said, path);
    textable_print (t, stdout, o->format);
    textable_destroy (t);
    return EXIT_OK;
}

/* --- all of it ------------------------------------------------------------ */

int site_job (const struct site_options *o, int count, char **operands)
{
    struct sitejob s = {.dirs = 0};
    const struct site_walk walk = {
        .job = sitejob_read, .denied = sitejob_deny, .cookie = &s};
    struct stat st;
    int failed = 0;

    if (sitejob_parse (operands[0], &s.id) < 0)
        die_with (EXIT_USAGE,
                  "site: job: %s: not a job id: try 4711, or 4711_3 of an "
                  "array",
                  operands[0]);
    if (count == 2 && stat (operands[1], &st) == 0 && S_ISREG (st.st_mode))
        return jobshow_db (o, operands[1], &s.id, operands[0]);
    for (int i = 0; i < (count > 1 ? count - 1 : 1); i++) {
        const char *place = count > 1 ? operands[i + 1] : "dftrace";

        if (stat (place, &st) == 0) {
            site_walk (&walk, place, 0);
            continue;
        }
        failed = 1;
        log_error ("site: %s: %s: name the directory that has the job "
                   "directories",
                   place, strerror (errno));
    }
    if (!s.dirs && failed)
        return EXIT_FAILED;
    if (!s.dirs)
        jobshow_none (&s, operands[0]);
    if (s.dirs > 1)
        jobshow_choose (&s, operands[0]);
    return geteuid () == 0 && s.dir[0].uid ? jobshow_as (&s.dir[0])
                                           : jobshow_dir (&s.dir[0]);
}
