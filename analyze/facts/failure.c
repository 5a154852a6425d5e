/* SPDX-License-Identifier: MIT
 *
 * failure.c - ends of processes -> the one that failed, and job.json
 *
 * In:  struct totals, whose processes have their ends
 * Out: struct failure, to screen.c and the page of the job; the end of the job
 *      and of its processes that failed, in job.json
 */
#include "config.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "analyze/facts/ancestry.h"
#include "analyze/facts/failure.h"
#include "analyze/trace/find.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/cpulimits.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/xalloc.h"

/* Numbers of steps are below it (SLURM_MAX_NORMAL_STEP_ID). */
#define FAILURE_STEPS 0xfffffff0

static unsigned failure_number (const struct process *p)
{
    return p->who->p.ended & SHARD_ENDED_NUMBER;
}

/* Status of the command of the job, -1: not known, or a signal ended it. */
static int failure_status (const struct job *job)
{
    return job->ended & SHARD_ENDED_EXIT
               ? (int)(job->ended & SHARD_ENDED_NUMBER)
               : -1;
}

/* A signal by which programs end others that they need no more, or that says
 * that nobody reads what they write. */
static int failure_is_usual (unsigned signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
           signal == SIGPIPE;
}

static int failure_by_signal (const struct process *p, int failed)
{
    return p->ending == ENDING_SIGNAL && failure_number (p) != SIGPIPE &&
           (failed || !failure_is_usual (failure_number (p)));
}

static int failure_by_status (const struct process *p, int status)
{
    return status > 0 && (p->who->p.ended & SHARD_ENDED_EXIT) &&
           (int)failure_number (p) == status;
}

static int failure_is_root (const struct process *p)
{
    return (p->who->p.ended & SHARD_ENDED_ROOT) != 0;
}

/* Return 1 for a process of a step of srun. A batch script has no step number,
 * or one that Slurm keeps for itself. */
static int failure_in_step (const struct process *p)
{
    return p->who->p.step_id >= 0 && p->who->p.step_id < FAILURE_STEPS;
}

/* A batch script is ended with its steps, or ends as they did. */
static int failure_is_earlier (const struct process *p,
                               const struct process *than)
{
    int batch = failure_is_root (p) && !failure_in_step (p);

    if (than && batch != (failure_is_root (than) && !failure_in_step (than)))
        return !batch;
    return !than || p->end < than->end;
}

/* Helpers that a program starts are short processes. */
static int failure_is_nearer (const struct process *p,
                              const struct process *than)
{
    if (!than || failure_in_step (p) != failure_in_step (than))
        return !than || failure_in_step (p);
    if (failure_is_root (p))
        return failure_is_earlier (p, than);
    return p->end - p->start > than->end - than->start;
}

/* The command of a job is often a shell, which ends as what it ran, and soon
 * after it. */
static const struct process *failure_inner (const struct process *root,
                                            const struct process *inner)
{
    if (!root || !inner)
        return root ? root : inner;
    if (failure_in_step (root) != failure_in_step (inner))
        return failure_in_step (root) ? root : inner;
    return inner->end > root->start + (root->end - root->start) / 2 ? inner
                                                                    : root;
}

/* Killed, and nobody waited for it: its job is over. */
static int failure_is_lost (const struct job *job, const struct process *p)
{
    return job->ended && p->ending == ENDING_UNKNOWN &&
           doing_of (job, p->who) != NULL;
}

/* Whether this is that one, or has failed, too: by its status only one has. */
static int failure_has (const struct job *job,
                        const struct failure *f,
                        const struct process *p)
{
    return p == f->process ||
           failure_by_signal (p, job->ended & ~(unsigned)SHARD_ENDED_EXIT) ||
           failure_is_lost (job, p);
}

/* The first process that a signal has ended, else one whose end is not known
 * and that was in a call, else the one whose status the command of the job had.
 * Helpers that end with a status of their own, and those that the job ends when
 * it has done its work, have not failed. Tasks of a step before the batch
 * script, which ends as they did. */
static void
failure_find (struct failure *f, const struct job *job, const struct totals *t)
{
    const struct process *killed = NULL, *lost = NULL;
    const struct process *failed[2] = {NULL, NULL}; /* the second: root */
    int status = failure_status (job);

    *f = (struct failure){NULL, 0};
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        if (failure_by_signal (p, job->ended & ~(unsigned)SHARD_ENDED_EXIT)) {
            f->more += killed != NULL;
            if (failure_is_earlier (p, killed))
                killed = p;
        } else if (failure_by_status (p, status) &&
                   failure_is_nearer (p, failed[failure_is_root (p)]))
            failed[failure_is_root (p)] = p;
        if (!lost && failure_is_lost (job, p))
            lost = p;
    }
    f->process = killed ? killed
                 : lost ? lost
                        : failure_inner (failed[1], failed[0]);
}

/* --- words -----------------------------------------------------------------
 */

/* Return the end of a long path, after "...". */
int failure_doing (char buf[FAILURE_TEXT_MAX],
                   const struct job *job,
                   const struct process *p)
{
    const struct doing *d = doing_of (job, p->who);
    size_t room = FAILURE_TEXT_MAX - sizeof (" ..."), n;

    if (!d)
        return 0;
    room -= strlen (d->call);
    n = strlen (d->file);
    snprintf (buf, FAILURE_TEXT_MAX, "%s%s%s%s", d->call, n > 0 ? " " : "",
              n > room ? "..." : "", d->file + (n > room ? n - room : 0));
    return 1;
}

uint64_t failure_doing_ns (const struct job *job,
                           const struct summary *s,
                           const struct process *p)
{
    const struct doing *d = doing_of (job, p->who);
    uint64_t end = p->ending == ENDING_SIGNAL ? p->end : s->end;

    return d && d->since && end > d->since ? end - d->since : 0;
}

static void failure_put_doing (
    char *buf, size_t size, const struct doing *d, uint64_t ns, int killed)
{
    const char *slash = strrchr (d->file, '/');
    const char *file = slash ? slash + 1 : d->file;

    char time[32];

    FORMAT (time, "%s", killed ? "" : ",");
    if (d->since)
        FORMAT (time, "%s %.1f s", killed ? " after" : ", for", ns / 1e9);
    snprintf (buf, size, "%s in %s%s%.40s%s%s%s", time, d->call,
              *file ? " (" : "", file, *file ? ")" : "",
              *d->region ? ", in region " : "", d->region);
}

/* "python3 (4711): killed by signal 9 after 4.0 s in flock (lock)", "sh (4711):
 * exit status 3", "dd (4711): no end known, in read for 7.1 s". */
static void failure_text (char buf[FAILURE_TEXT_MAX],
                          const struct job *job,
                          const struct summary *s,
                          const struct process *p)
{
    const char *exe = p->who->text[SHARD_STRING_EXE];
    const char *slash = strrchr (exe, '/');
    const struct doing *d = doing_of (job, p->who);
    int killed = p->ending == ENDING_SIGNAL, n;
    char end[32] = "no end known";

    if (p->who->p.ended)
        FORMAT (end, "%s %u", killed ? "killed by signal" : "exit status",
                failure_number (p));
    n = snprintf (buf, FAILURE_TEXT_MAX, "%.40s (%u): %s",
                  slash ? slash + 1 : exe, p->who->p.pid, end);
    if (d && n > 0 && n < FAILURE_TEXT_MAX)
        failure_put_doing (buf + n, FAILURE_TEXT_MAX - (size_t)n, d,
                           failure_doing_ns (job, s, p), killed);
}

enum failed failure_sentence (char buf[FAILURE_SENTENCE_MAX],
                              const struct job *job,
                              const struct totals *t,
                              const struct summary *s)
{
    char text[FAILURE_TEXT_MAX];
    struct failure f;

    failure_find (&f, job, t);
    buf[0] = '\0';
    if (!f.process)
        return FAILED_NONE;
    failure_text (text, job, s, f.process);
    if (f.more)
        snprintf (buf, FAILURE_SENTENCE_MAX, "%s; %zu more by signals", text,
                  f.more);
    else
        snprintf (buf, FAILURE_SENTENCE_MAX, "%s", text);
    return f.process->who->p.ended & SHARD_ENDED_EXIT ? FAILED_STATUS
                                                      : FAILED_OTHERWISE;
}

/* --- how a job and those of its processes that failed ended -> job.json -----
 */

enum {
    ENDFILE_BYTES = 1 << 24, /* of job.json */
    ENDFILE_LISTED = 64      /* processes; the rest is counted */
};

static const char endfile_head[] = ",\n  \"ended\": {",
                  endfile_tail[] = "\n  }";

/* --- processes ------------------------------------------------------------
 */

/* Without their events. */
static void
endfile_heads (struct totals *t, struct parts *parts, const struct job *job)
{
    struct ancestry kin = {NULL, NULL, NULL, 0};

    parts_make (parts, job);
    NEW (t->process, parts->count + 1);
    t->processes = parts->count;
    for (size_t i = 0; i < t->processes; i++) {
        struct process *p = &t->process[i];
        const struct shard_process *own;

        p->who = parts->item[i].who;
        own = &p->who->p;
        p->start = p->end = own->start_real;
        if (own->end_ns > own->start_ns)
            p->end += own->end_ns - own->start_ns;
    }
    ancestry_open (&kin, t);
    for (size_t i = 0; i < t->processes; i++)
        t->process[i].ending = summary_ending (&kin, &t->process[i]);
    ancestry_close (&kin);
}

/* --- text -----------------------------------------------------------------
 */

static void endfile_put_number (struct json *j, uint32_t ended)
{
    double number = ended & SHARD_ENDED_NUMBER;

    json_put (j, "exit_status:%f signal:%f",
              ended & SHARD_ENDED_EXIT ? number : NAN,
              ended & SHARD_ENDED_SIGNAL ? number : NAN);
}

static void endfile_put_process (struct json *j,
                                 const struct job *job,
                                 const struct process *p)
{
    const struct doing *d = doing_of (job, p->who);
    char doing[FAILURE_TEXT_MAX];
    int known = p->end > p->start;

    json_put (j, "{ host:%s pid:%u exe:%s", p->who->text[SHARD_STRING_HOST],
              p->who->p.pid, p->who->text[SHARD_STRING_EXE]);
    endfile_put_number (j, p->who->p.ended);
    json_put (j, "end_s:%f doing:%s doing_s:%f doing_region:%s }",
              known ? (p->end / 1000) / 1e6 : NAN,
              failure_doing (doing, job, p) ? doing : NULL,
              d && d->since && known && p->end > d->since
                  ? ((p->end - d->since) / 1000) / 1e6
                  : NAN,
              d && *d->region ? d->region : NULL);
}

static void endfile_put (struct json *j,
                         const struct job *job,
                         const struct totals *t,
                         const struct failure *f,
                         size_t failed)
{
    size_t left = ENDFILE_LISTED;

    json_open (j, "ended", '{');
    endfile_put_number (j, job->ended);
    json_uint (j, "failed_processes", failed);
    if (failed)
        json_open (j, "failed", '[');
    for (size_t i = 0; failed && left && i < t->processes; i++)
        if (failure_has (job, f, &t->process[i])) {
            endfile_put_process (j, job, &t->process[i]);
            left--;
        }
    if (failed)
        json_close (j, ']');
    json_close (j, '}');
}

/* --- job.json -------------------------------------------------------------
 */

/* Take an older one out of the text. 1: there was one. */
static int endfile_drop (char *text)
{
    char *at = strstr (text, endfile_head);
    char *end = at ? strstr (at + 1, endfile_tail) : NULL;

    if (!end)
        return 0;
    end += sizeof (endfile_tail) - 1;
    memmove (at, end, strlen (end) + 1);
    return 1;
}

/* Before the lists that untraced.c puts at the end. NULL: it is not as we write
 * it. */
static const char *endfile_place (const char *text)
{
    static const char end[] = "\n}\n";
    const char *at = strstr (text, ",\n  \"untraced");
    size_t n = strlen (text);

    if (at)
        return at;
    return n > sizeof (end) && strcmp (text + n - (sizeof (end) - 1), end) == 0
               ? text + n - (sizeof (end) - 1)
               : NULL;
}

/* The text of job.json, with members that are put between what comes before the
 * place and what begins there. */
struct endfile_text {
    FILE *out;
    char *text; /* malloc'd */
    size_t size;
    struct json json;
};

static struct json *
endfile_begin (struct endfile_text *e, const char *old, const char *place)
{
    e->out = xmemstream (&e->text, &e->size);
    e->json = (struct json){.out = e->out, .depth = 1};
    fwrite (old, 1, place - old, e->out);
    return &e->json;
}

/* Write it where the file has another one. */
static int endfile_end (struct endfile_text *e,
                        const char *place,
                        const char *path,
                        const char *was,
                        struct errtext *err)
{
    int rc = 0;

    fputs (place, e->out);
    xmemstream_end (e->out);
    if (strcmp (e->text, was) != 0)
        rc = write_file (path, 0600, e->text, err);
    free (e->text);
    return rc;
}

static int endfile_replace (const char *path,
                            const struct job *job,
                            const struct totals *t,
                            struct errtext *err)
{
    char *old = read_file (path, ENDFILE_BYTES, NULL, err), *body;
    struct endfile_text e;
    struct failure f;
    size_t failed = 0;
    const char *place;
    int had, rc = 0;

    if (!old)
        return errno == ENOENT ? 0 : -1;
    body = xstrdup (old);
    had = endfile_drop (body);
    place = endfile_place (body);
    failure_find (&f, job, t);
    for (size_t i = 0; i < t->processes; i++)
        failed += failure_has (job, &f, &t->process[i]) != 0;
    if ((!job->ended && (had || !failed)) || !is_own_file (path))
        rc = 0; /* no more is known than was */
    else if (!place)
        rc = errf (err, "%s: not as dftrace writes it", path);
    else {
        endfile_put (endfile_begin (&e, body, place), job, t, &f, failed);
        rc = endfile_end (&e, place, path, old, err);
    }
    free (body);
    free (old);
    return rc;
}

int endfile_write (const struct job *job, struct errtext *err)
{
    struct totals t = {.process = NULL};
    struct parts parts = {.count = 0};
    char *path;
    int rc;

    if (!job->dir)
        return 0;
    path = path_join (job->dir, "job.json");
    endfile_heads (&t, &parts, job);
    rc = endfile_replace (path, job, &t, err);
    free (t.process);
    parts_clear (&parts);
    free (path);
    return rc;
}

static uint32_t endfile_status (int status)
{
    return WIFSIGNALED (status)
               ? SHARD_ENDED_SIGNAL | (uint32_t)WTERMSIG (status)
               : SHARD_ENDED_EXIT | (uint32_t)WEXITSTATUS (status);
}

int endfile_write_run (const char *dir, int status, struct errtext *err)
{
    struct joblist jobs = {0};
    struct errtext no_trace;
    int rc = 1;

    if (status != 0 && joblist_add (&jobs, dir, &no_trace) == 0) {
        filelimit_raise ();
        if (jobs.count == 1 && job_open (&jobs.item[0], &no_trace) == 0)
            rc = endfile_write (&jobs.item[0], err);
    }
    if (jobs.count == 1)
        job_close (&jobs.item[0]);
    joblist_clear (&jobs);
    if (rc == 1) {
        char *own = xstrdup (dir);
        const struct job job = {.dir = own, .ended = endfile_status (status)};

        rc = endfile_write (&job, err);
        free (own);
    }
    return rc;
}

/* The counts of the text of a job.json -> what they have grown by. 0: it has
 * none, or the smallest limit of this process's cgroups is that of another. */
static int endfile_throttled (const char *text, struct cpulimits *now)
{
    static const char counts[] = ",\n  \"" JOBDIR_THROTTLED "\": [";
    const char *c = strstr (text, counts);
    struct cpulimits then = {.counts = 1};

    if (!c ||
        sscanf (c + sizeof (counts) - 1, "%" SCNu64 ", %" SCNu64 ", %" SCNu64,
                &then.throttled, &then.periods, &then.group) != 3)
        return 0;
    cpulimits_read (now);
    return cpulimits_growth (now, &then);
}

int endfile_write_throttled (const char *dir, struct errtext *err)
{
    char *path = path_join (dir, "job.json");
    char *old = read_file (path, ENDFILE_BYTES, NULL, err);
    const char *place = old ? endfile_place (old) : NULL;
    int rc = old || errno == ENOENT ? 0 : -1;
    struct endfile_text e;
    struct cpulimits grown;

    if (place && is_own_file (path) &&
        !strstr (old, ",\n  \"cpu_throttled_s\": ") &&
        endfile_throttled (old, &grown)) {
        json_put (endfile_begin (&e, old, place),
                  "cpu_throttled_s:%f cpu_throttled_periods:%ju",
                  grown.throttled / 1e6, grown.periods);
        rc = endfile_end (&e, place, path, old, err);
    }
    free (old);
    free (path);
    return rc;
}
