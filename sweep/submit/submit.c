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

#include <stdarg.h>

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "sweep/plan/sweepdir.h"
#include "sweep/submit/submit.h"
#include "sweep/submit/slurm.h"

struct submission {
    struct sweepdir *sweep;
    struct journal journal;
    FILE *talk; /* for people */
    struct submit_report report;
    struct errtext err; /* Slurm's last refusal */
};

static void say (struct submission *s, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

static void say (struct submission *s, const char *fmt, ...)
{
    va_list args;

    va_start (args, fmt);
    vfprintf (s->talk, fmt, args);
    va_end (args);
    fputc ('\n', s->talk);
    fflush (s->talk);
}

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

/* End with sbatch's message and the next step. */
static _Noreturn void wave_explain (struct submission *s, const char *name)
{
    const char *next = "correct the sweep file, remove the directory, and "
                       "submit again";

    if (strstr (s->err.text, "--dftrace"))
        next = "the Slurm plugin is not there: see `dftrace help`, or use "
               "`trace: off`";
    else if (slurm_is_limit (s->err.text))
        next = "not one task fits below the limit on submitted jobs: wait for "
               "other jobs to end and run `submit` again";
    die ("%s: %s: nothing was released: %s", name, s->err.text, next);
}

/* sbatch, after the intent is in the journal: SLURM_TAKEN, SLURM_ADOPTED or
 * SLURM_LIMIT. Where Slurm refuses, or what it did is not known, the command
 * ends. */
static enum slurm_answer wave_submit (struct submission *s,
                                      const char *what,
                                      const char *const *argv,
                                      const char **job)
{
    enum slurm_answer rc =
        slurm_submit (sweepdir_job_name (s->sweep, what), argv, job, &s->err);

    if (rc < 0)
        journal_add (s->sweep, "refused", "array", what, "why", s->err.text,
                     NULL);
    if (rc == SLURM_UNKNOWN)
        die ("%s", s->err.text);
    if (rc == SLURM_FAILED)
        wave_explain (s, what);
    return rc;
}

static void wave_intend (struct submission *s,
                         const char *what,
                         const char *script,
                         const char *text)
{
    xwrite_file (batch_script_path (s->sweep, script), 0755, text);
    journal_add (s->sweep, "intent", "array", what, "job_name",
                 sweepdir_job_name (s->sweep, what), NULL);
}

/* Slurm has the job of chunk n. */
static void
wave_take (struct submission *s, size_t n, const char *event, const char *job)
{
    journal_add (s->sweep, event, "array", s->sweep->layout->chunk[n].name,
                 "job", job, NULL);
    s->journal.job[n] = job;
    s->journal.analysis_behind = 1;
    s->report.arrays++;
}

/* False where it met the limit on submitted jobs. */
static int wave_submit_chunk (struct submission *s, size_t n)
{
    struct sweepdir *d = s->sweep;
    const struct chunk *c = &d->layout->chunk[n];
    const char **argv = batch_array_arguments (d, c, after_of (s, c)), *job;
    enum slurm_answer rc;

    wave_intend (s, c->name, c->name, batch_array_script (d, c, argv));
    rc = wave_submit (s, c->name, argv, &job);
    if (rc < 0)
        return 0;
    wave_take (s, n, rc == SLURM_ADOPTED ? "adopted" : "submitted", job);
    say (s, "%s: job %s, tasks 0-%d%s%s", c->name, job, c->count - 1,
         c->throttle ? arena_format ("%%%d", c->throttle) : "",
         rc == SLURM_ADOPTED ? " (sbatch failed, but Slurm has it)" : "");
    return 1;
}

/* The job of that name, or NULL; a Slurm that does not answer is the end. */
static const char *job_of (struct submission *s, const char *what)
{
    const char *job;

    if (slurm_find (sweepdir_job_name (s->sweep, what), &job, &s->err) < 0)
        die ("%s", s->err.text);
    return job;
}

/* An intent without an answer: did it get in before the crash? */
static void submit_adopt (struct submission *s, size_t n)
{
    const struct chunk *c = &s->sweep->layout->chunk[n];
    const char *job = s->journal.intended[n] ? job_of (s, c->name) : NULL;

    if (!job)
        return;
    wave_take (s, n, "adopted", job);
    say (s, "%s: job %s, found in Slurm", c->name, job);
}

/* Two arrays of half the size; what the journal knows moves with them. */
static void wave_halve (struct submission *s, size_t n)
{
    const struct chunk c = s->sweep->layout->chunk[n];

    round_split (s->sweep, n);
    journal_read (s->sweep, &s->journal);
    say (s,
         "%s: %d tasks are more than the limit on submitted jobs allows: "
         "divided",
         c.name, c.count);
}

static void submit_arrays (struct submission *s)
{
    struct sweepdir *d = s->sweep;

    for (size_t i = 0; i < d->layout->chunks; i++) {
        const struct chunk *c = &d->layout->chunk[i];
        int jobs = jobs_of_wave (s);

        if (!is_to_come (s, i)) {
            s->report.before += s->journal.job[i] != NULL;
            continue;
        }
        submit_adopt (s, i);
        if (s->journal.job[i])
            continue;
        if (d->wave && jobs && jobs + chunk_jobs (c, d->spec->mode) > d->wave)
            return;
        if (wave_submit_chunk (s, i))
            continue;
        if (jobs)
            return; /* the wave ends before it */
        if (d->spec->mode == MODE_PACK || c->count < 2)
            wave_explain (s, c->name);
        wave_halve (s, i--); /* it is half as long now */
    }
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
    const char *job = s->journal.analysis;

    if (job && !wave_is_own_job (job) && slurm_cancel (&job, 1, 1, NULL) == 0)
        say (s, "analysis %s: cancelled if it was still waiting", job);
}

/* No room below the limit for the job that goes on: give up an array. */
static void submit_analysis_make_room (struct submission *s)
{
    struct layout *l = s->sweep->layout;
    size_t last = l->chunks, first = last;
    const char *job;

    for (size_t i = 0; i < l->chunks; i++)
        if (wave_has (s, i)) {
            first = first == l->chunks ? i : first;
            last = i;
        }
    if (last == l->chunks || (first == last && l->chunk[last].count < 2))
        wave_explain (s, "analysis");
    job = s->journal.job[last];
    journal_add (s->sweep, "withdrawn", "array", l->chunk[last].name, "job",
                 job, NULL);
    if (slurm_cancel (&job, 1, 0, &s->err) < 0)
        die ("%s", s->err.text);
    journal_read (s->sweep, &s->journal);
    say (s,
         "%s: job %s withdrawn: the analysis needs its place below the limit",
         l->chunk[last].name, job);
    if (first != last)
        return;
    wave_halve (s, last);
    if (!wave_submit_chunk (s, last))
        wave_explain (s, "analysis");
}

/* False where it met the limit on submitted jobs. */
static int submit_analysis (struct submission *s)
{
    struct sweepdir *d = s->sweep;
    const char *what = arena_format ("analysis.%d", s->journal.analyses);
    const char *job = NULL;
    int goes_on = d->spec->retry.on || wave_runs_to_come (s);
    const char **argv = batch_analysis_arguments (d, awaited (s));

    if (s->journal.analysis_intended == s->journal.analyses)
        job = job_of (s, what);
    wave_intend (
        s, what, "analysis",
        batch_analysis_script (d, sweepdir_job_name (d, what), argv, goes_on));
    if (!job && wave_submit (s, what, argv, &job) < 0)
        return 0;
    s->journal.analysis = job;
    say (s, "analysis: job %s, after %s", job, wave_jobs (s));
    journal_add (d, "analysis", "job", job, "goes_on", goes_on ? "1" : "0",
                 "round", arena_format ("%d", d->rounds - 1), NULL);
    return 1;
}

/* -- the story --------------------------------------------------------- */

static void release (struct submission *s)
{
    const char *jobs = wave_jobs (s);
    size_t left = wave_runs_to_come (s);

    if (!*jobs)
        return;
    slurm_release (jobs);
    s->report.released = 1;
    if (left)
        say (s, "%zu run%s wait%s for a later wave: job %s submits it", left,
             left == 1 ? "" : "s", left == 1 ? "s" : "", s->journal.analysis);
    journal_add (s->sweep, "released", "round",
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

static void refuse_cancelled (const struct submission *s)
{
    const struct sweepdir *d = s->sweep;

    for (size_t i = 0; i < d->layout->chunks; i++)
        if (d->layout->chunk[i].round == d->rounds - 1 &&
            s->journal.cancelled[i])
            die ("%s: was cancelled: `dftrace sweep resume` runs what is not "
                 "done",
                 d->path);
}

struct submit_report submit_sweep (struct sweepdir *d, int hold, FILE *talk)
{
    struct submission s = {.sweep = d, .talk = talk};

    sweepdir_lock (d);
    journal_read (d, &s.journal);
    refuse_cancelled (&s);
    if (is_on_its_way (&s)) {
        s.report.before = 1;
        say (&s, "%zu runs wait for a later wave: job %s submits it",
             wave_runs_to_come (&s), s.journal.analysis);
    } else {
        submit_arrays (&s);
        if (s.journal.analysis_behind) {
            drop_analysis (&s);
            while (!submit_analysis (&s))
                submit_analysis_make_room (&s);
        }
        if (!hold)
            release (&s);
    }
    sweepdir_unlock (d);
    return s.report;
}

const char *submit_preview (struct sweepdir *d, const struct chunk *c)
{
    return batch_array_script (d, c, batch_array_arguments (d, c, NULL));
}
