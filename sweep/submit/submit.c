/* SPDX-License-Identifier: MIT
 *
 * submit.c - arrays of a frozen sweep -> Slurm, wave after wave
 *
 * In:  an open sweep directory, its journal
 * Out: jobs/NAME.sbatch, held arrays, one analysis job after all of them, then
 *      the release; each step in the journal before and after
 * Caveat: nothing runs before the journal is complete, so a crash leaves only
 *      held jobs, which the next submit adopts by their unique names. A wave
 *      is what Slurm takes at a time; its analysis job submits the next.
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "sweep/plan/sweepdir.h"
#include "sweep/submit/submit.h"
#include "sweep/submit/slurm.h"

struct submission {
    struct sweepdir *sweep;
    struct journal journal;
    int hold;
    void (*say) (void *cookie, const char *line);
    void *cookie;
    struct submit_report *report;
    struct errtext *err;
};

const char *submit_job_list (const struct sweepdir *d, const struct journal *j)
{
    const char *list = "";

    for (size_t i = 0; i < d->layout->chunks; i++)
        if (j->job[i])
            list = arena_format ("%s%s%s", list, *list ? "," : "", j->job[i]);
    return list;
}

/* -- one wave ---------------------------------------------------------- */

/* Submitted, and still held by us. */
static int wave_has (const struct submission *s, size_t n)
{
    return s->journal.job[n] && !s->journal.released[n] &&
           !s->journal.cancelled[n];
}

static int jobs_of_wave (const struct submission *s)
{
    const struct layout *l = s->sweep->layout;
    int jobs = 0;

    for (size_t i = 0; i < l->chunks; i++)
        if (wave_has (s, i))
            jobs += chunk_jobs (&l->chunk[i], s->sweep->spec->mode);
    return jobs;
}

static int is_to_come (const struct submission *s, size_t n)
{
    return !s->journal.job[n] && !s->journal.cancelled[n];
}

/* Runs that no array in Slurm has yet. */
static size_t wave_runs_to_come (const struct submission *s)
{
    size_t runs = 0;

    for (size_t i = 0; i < s->sweep->layout->chunks; i++)
        if (is_to_come (s, i))
            runs += s->sweep->layout->chunk[i].count;
    return runs;
}

/* Slurm refuses to wait for a job that it forgot. */
static int is_in_slurm (struct submission *s, const char *job)
{
    struct slurm_queue q;
    int going = 0;

    if (slurm_queue_read (job, 0, &q, NULL) < 0)
        return 0;
    for (size_t i = 0; i < q.count; i++)
        going |= !slurm_task_is_over (&q.task[i]);
    slurm_queue_free (&q);
    return going;
}

/* The array that must end before this one, while Slurm knows of it. */
static const char *after_of (struct submission *s, const struct chunk *c)
{
    const char *job = c->after < 0 ? NULL : s->journal.job[c->after];

    if (!job || wave_has (s, c->after) || is_in_slurm (s, job))
        return job;
    return NULL;
}

/* -- one array --------------------------------------------------------- */

/* Explain sbatch's message and the next step in err. Always returns -1. */
static int wave_explain (struct submission *s, const char *name)
{
    const char *text = arena_text (s->err->text);
    const char *next = "correct the sweep file, remove the directory, and "
                       "submit again";

    if (strstr (text, "--dftrace"))
        next = "the Slurm plugin is not there: see `dftrace help`, or use "
               "`trace: off`";
    else if (slurm_is_limit (text))
        next = "not one task fits below the limit on submitted jobs: wait for "
               "other jobs to end and run `submit` again";
    return errf (s->err, "%s: %s: nothing was released: %s", name, text, next);
}

static void say_array (struct submission *s,
                       const struct chunk *c,
                       const char *job,
                       const char *how)
{
    s->say (s->cookie,
            arena_format (
                "%s: job %s, tasks 0-%d%s%s", c->name, job, c->count - 1,
                c->throttle ? arena_format ("%%%d", c->throttle) : "", how));
}

/* 0, or as slurm_submit. */
static int wave_submit_chunk (struct submission *s, size_t n)
{
    struct sweepdir *d = s->sweep;
    const struct chunk *c = &d->layout->chunk[n];
    const char *name = sweepdir_job_name (d, c->name), *job;
    const char **argv = batch_array_arguments (d, c, after_of (s, c));
    int rc;

    if (write_file (batch_script_path (d, c->name), 0755,
                    batch_array_script (d, c, argv), s->err) < 0 ||
        journal_add (d, s->err, "intent", "array", c->name, "job_name", name,
                     NULL) < 0)
        return SLURM_FAILED;
    rc = slurm_submit (name, argv, &job, s->err);
    if (rc < 0) {
        journal_add (d, NULL, "refused", "array", c->name, "why", s->err->text,
                     NULL);
        return rc;
    }
    if (journal_add (d, s->err, rc == SLURM_ADOPTED ? "adopted" : "submitted",
                     "array", c->name, "job", job, NULL) < 0)
        return SLURM_FAILED;
    s->journal.job[n] = job;
    s->journal.analysis_behind = 1;
    s->report->arrays++;
    say_array (s, c, job,
               rc == SLURM_ADOPTED ? " (sbatch failed, but Slurm has it)" : "");
    return SLURM_TAKEN;
}

/* An intent without an answer: did it get in before the crash? */
static int submit_adopt (struct submission *s, size_t n)
{
    struct sweepdir *d = s->sweep;
    const struct chunk *c = &d->layout->chunk[n];
    const char *job;

    if (!s->journal.intended[n])
        return 0;
    if (slurm_find (sweepdir_job_name (d, c->name), &job, s->err) < 0)
        return -1;
    if (!job)
        return 0;
    s->journal.job[n] = job;
    s->journal.analysis_behind = 1;
    s->report->arrays++;
    s->say (s->cookie,
            arena_format ("%s: job %s, found in Slurm", c->name, job));
    return journal_add (d, s->err, "adopted", "array", c->name, "job", job,
                        NULL);
}

/* Two arrays of half the size; what the journal knows moves with them. */
static int wave_halve (struct submission *s, size_t n)
{
    const struct chunk *c = &s->sweep->layout->chunk[n];
    int count = c->count;
    const char *name = arena_text (c->name);

    if (round_split (s->sweep, n, s->err) < 0 ||
        journal_read (s->sweep, &s->journal, s->err) < 0)
        return -1;
    s->say (s->cookie,
            arena_format ("%s: %d tasks are more than the limit on submitted "
                          "jobs allows: divided",
                          name, count));
    return 0;
}

/* The limit on submitted jobs was met at chunk n: 1 when the wave ends before
 * it, 0 to try again with half of it. */
static int meet_limit (struct submission *s, size_t n)
{
    const struct chunk *c = &s->sweep->layout->chunk[n];

    if (jobs_of_wave (s))
        return 1;
    if (s->sweep->spec->mode == MODE_PACK || c->count < 2)
        return wave_explain (s, c->name);
    return wave_halve (s, n);
}

static int submit_arrays (struct submission *s)
{
    struct sweepdir *d = s->sweep;

    for (size_t i = 0; i < d->layout->chunks; i++) {
        int jobs = jobs_of_wave (s), rc;

        if (!is_to_come (s, i)) {
            s->report->before += s->journal.job[i] != NULL;
            continue;
        }
        if (submit_adopt (s, i) < 0)
            return -1;
        if (s->journal.job[i])
            continue;
        if (d->wave && jobs &&
            jobs + chunk_jobs (&d->layout->chunk[i], d->spec->mode) > d->wave)
            return 0;
        rc = wave_submit_chunk (s, i);
        if (rc == SLURM_LIMIT) {
            rc = meet_limit (s, i);
            if (rc)
                return rc < 0 ? -1 : 0;
            i--; /* it is half as long now */
        } else if (rc == SLURM_UNKNOWN) {
            return -1;
        } else if (rc < 0) {
            return wave_explain (s, d->layout->chunk[i].name);
        }
    }
    return 0;
}

/* ---- the job after the arrays of a wave: tables, and whatever is still to be
 * submitted ---- */

/* The arrays of this wave, and the earlier ones that Slurm still has. */
static const char *awaited (struct submission *s)
{
    const char *list = "";

    struct strmap *going = strmap_create ();
    struct slurm_queue q = {.count = 0};

    slurm_queue_read (submit_job_list (s->sweep, &s->journal), 0, &q, NULL);
    for (size_t i = 0; i < q.count; i++)
        if (!slurm_task_is_over (&q.task[i]))
            strmap_intern (going, q.task[i].array, strlen (q.task[i].array),
                           NULL);
    for (size_t i = 0; i < s->sweep->layout->chunks; i++) {
        const char *job = s->journal.job[i];

        if (job &&
            (wave_has (s, i) || strmap_find (going, job, strlen (job)) >= 0))
            list = arena_format ("%s%s%s", list, *list ? ":" : "", job);
    }
    strmap_destroy (going);
    slurm_queue_free (&q);
    return list;
}

/* "4711,4712": the arrays of the wave. */
static const char *wave_jobs (const struct submission *s)
{
    const char *list = "";

    for (size_t i = 0; i < s->sweep->layout->chunks; i++)
        if (wave_has (s, i))
            list = arena_format ("%s%s%s", list, *list ? "," : "",
                                 s->journal.job[i]);
    return list;
}

/* Are we in that job ourselves? */
static int wave_is_own_job (const char *job)
{
    const char *own = getenv ("SLURM_JOB_ID");

    return own && !strcmp (own, job);
}

/* The one that waits for the arrays of before would make tables too early. */
static void drop_analysis (struct submission *s)
{
    const char *jobs[] = {s->journal.analysis, NULL};

    if (wave_is_own_job (s->journal.analysis))
        return;
    if (slurm_cancel (jobs, 1, NULL) == 0)
        s->say (s->cookie, arena_format ("analysis %s: cancelled if "
                                         "it was still waiting",
                                         s->journal.analysis));
}

/* No room below the limit for the job that goes on: give up an array. */
static int submit_analysis_make_room (struct submission *s)
{
    size_t last = s->sweep->layout->chunks, first = last;
    const char *jobs[2] = {NULL, NULL};

    for (size_t i = 0; i < s->sweep->layout->chunks; i++)
        if (wave_has (s, i)) {
            first = first == s->sweep->layout->chunks ? i : first;
            last = i;
        }
    if (last == s->sweep->layout->chunks ||
        (first == last && s->sweep->layout->chunk[last].count < 2))
        return wave_explain (s, "analysis");
    jobs[0] = s->journal.job[last];
    if (journal_add (s->sweep, s->err, "withdrawn", "array",
                     s->sweep->layout->chunk[last].name, "job", jobs[0],
                     NULL) < 0 ||
        slurm_cancel (jobs, 0, s->err) < 0 ||
        journal_read (s->sweep, &s->journal, s->err) < 0)
        return -1;
    s->say (s->cookie,
            arena_format ("%s: job %s withdrawn: the analysis "
                          "needs its place below the limit",
                          s->sweep->layout->chunk[last].name, jobs[0]));
    if (first != last)
        return 0;
    if (wave_halve (s, last) < 0)
        return -1;
    return wave_submit_chunk (s, last) < 0 ? wave_explain (s, "analysis") : 0;
}

static int submit_analysis_once (struct submission *s)
{
    struct sweepdir *d = s->sweep;
    const char *what = arena_format ("analysis.%d", s->journal.analyses);
    const char *name = sweepdir_job_name (d, what), *job = NULL;
    int goes_on = d->spec->retry.on || wave_runs_to_come (s), rc = SLURM_TAKEN;
    const char **argv = batch_analysis_arguments (d, awaited (s));

    if (s->journal.analysis_intended == s->journal.analyses &&
        slurm_find (name, &job, s->err) < 0)
        return SLURM_FAILED;
    if (write_file (batch_script_path (d, "analysis"), 0755,
                    batch_analysis_script (d, name, argv, goes_on),
                    s->err) < 0 ||
        journal_add (d, s->err, "intent", "array", what, "job_name", name,
                     NULL) < 0)
        return SLURM_FAILED;
    if (!job)
        rc = slurm_submit (name, argv, &job, s->err);
    if (rc < 0)
        return rc;
    s->journal.analysis = job;
    s->say (s->cookie,
            arena_format ("analysis: job %s, after %s", job, wave_jobs (s)));
    return journal_add (d, s->err, "analysis", "job", job, "goes_on",
                        goes_on ? "1" : "0", "round",
                        arena_format ("%d", d->rounds - 1), NULL) < 0
               ? SLURM_FAILED
               : SLURM_TAKEN;
}

/* The analysis job, when arrays were submitted since the last. -1 and err. */
static int wave_submit_analysis (struct submission *s)
{
    int rc;

    if (!s->journal.analysis_behind)
        return 0;
    if (s->journal.analysis)
        drop_analysis (s);
    while ((rc = submit_analysis_once (s)) == SLURM_LIMIT)
        if (submit_analysis_make_room (s) < 0)
            return -1;
    return rc == SLURM_FAILED ? wave_explain (s, "analysis") : rc < 0 ? -1 : 0;
}

/* -- the story --------------------------------------------------------- */

static int release (struct submission *s)
{
    const char *jobs = wave_jobs (s);
    size_t left = wave_runs_to_come (s);

    if (s->hold || !*jobs)
        return 0;
    if (slurm_release (jobs, s->err) < 0)
        return -1;
    s->report->released = 1;
    if (left)
        s->say (s->cookie,
                arena_format ("%zu run%s wait%s for a later wave: job %s "
                              "submits it",
                              left, left == 1 ? "" : "s", left == 1 ? "s" : "",
                              s->journal.analysis));
    return journal_add (s->sweep, s->err, "released", "round",
                        arena_format ("%d", s->sweep->rounds - 1), NULL);
}

/* The wave before is at work, and its own job will go on: two drivers would
 * meet. That job itself is no reason to wait. */
static int is_on_its_way (struct submission *s)
{
    const char *job = s->journal.analysis;

    return job && s->journal.analysis_goes_on && !jobs_of_wave (s) &&
           !s->journal.analysis_behind && wave_runs_to_come (s) &&
           !wave_is_own_job (job) && is_in_slurm (s, job);
}

static int submit_was_cancelled (const struct submission *s)
{
    const struct sweepdir *d = s->sweep;

    for (size_t i = 0; i < d->layout->chunks; i++)
        if (d->layout->chunk[i].round == d->rounds - 1 &&
            s->journal.cancelled[i])
            return errf (s->err,
                         "%s: was cancelled: `dftrace sweep resume` runs "
                         "what is not done",
                         d->path);
    return 0;
}

int submit_sweep (struct sweepdir *d,
                  int hold,
                  void (*say) (void *cookie, const char *line),
                  void *cookie,
                  struct submit_report *report,
                  struct errtext *err)
{
    struct submission s = {.sweep = d,
                           .hold = hold,
                           .say = say,
                           .cookie = cookie,
                           .report = report,
                           .err = err};

    ZERO (report);
    if (sweepdir_lock (d, err) < 0 || journal_read (d, &s.journal, err) < 0 ||
        submit_was_cancelled (&s) < 0)
        return -1;
    if (is_on_its_way (&s)) {
        report->before = 1;
        s.say (s.cookie,
               arena_format ("%zu runs wait for a later wave: job "
                             "%s submits it",
                             wave_runs_to_come (&s), s.journal.analysis));
    } else if (submit_arrays (&s) < 0 || wave_submit_analysis (&s) < 0 ||
               release (&s) < 0) {
        return -1;
    }
    sweepdir_unlock (d);
    return 0;
}

const char *submit_preview (struct sweepdir *d, const struct chunk *c)
{
    return batch_array_script (d, c, batch_array_arguments (d, c, NULL));
}
