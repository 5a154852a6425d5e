/* SPDX-License-Identifier: MIT
 *
 * status.c - status files, the journal, one squeue -> report
 */
#include "config.h"

#include <signal.h>

#include "sweep/submit/slurm.h"
#include "sweep/submit/status.h"
#include "sweep/submit/submit.h"
#include "lib/base/array.h"

enum { SETTLED_S = OUTCOME_GRACE + 1 };

struct collection {
    struct sweepdir *sweep;
    struct journal journal;
    struct slurm_queue queue;
    unsigned sources;
    int64_t now;
    int64_t journal_time; /* when the driver last wrote */
    struct strmap *gone;  /* ids of runs that were cancelled */
    struct sweep_report *report;
};

static int64_t file_time (struct sweepdir *d, const char *name)
{
    struct stat st;

    if (stat (arena_format ("%s/%s", d->path, name), &st) < 0)
        return 0;
    return st.st_mtime;
}

/* Slurm forgets a pending task that is cancelled at once; the journal knows. */
static int status_was_cancelled (const struct collection *c,
                                 const struct run_report *r)
{
    const char *id;

    if (c->journal.cancelled[r->chunk - c->sweep->layout->chunk])
        return 1;
    if (!*c->journal.gone)
        return 0;
    id = run_id (c->sweep->grid, r->run);
    return strmap_find (c->gone, id, strlen (id)) >= 0;
}

/* Ended by the signals of a cancel, whose job Slurm still calls COMPLETING, or
 * has forgotten. */
static int status_was_killed (const struct collection *c,
                              const struct run_report *r)
{
    const struct runstatus *s = &r->status;
    int killed = s->caught == SIGTERM || s->exit == 128 + SIGTERM ||
                 s->exit == 128 + SIGKILL;

    return s->state == RUN_ENDED && killed && c->journal.killed_time &&
           s->end >= (double)c->journal.killed_time &&
           status_was_cancelled (c, r);
}

/* Runs that Slurm never got (local mode, not submitted) wait for us. */
static void status_judge (struct collection *c, struct run_report *r)
{
    const char *job = c->journal.job[r->chunk - c->sweep->layout->chunk];
    const struct slurm_task *t = NULL;
    int pack = c->sweep->spec->mode == MODE_PACK;
    int64_t heard = c->journal_time, silent;

    if (r->status.written > heard)
        heard = r->status.written;
    silent = c->sources & STATUS_SETTLED ? SETTLED_S : c->now - heard;
    if (job)
        t = slurm_queue_find (&c->queue, job, pack ? -1 : r->task);
    /* the job's end is not that of a run in it */
    if (pack && r->status.state == RUN_ENDED)
        t = NULL;
    r->reason = t && strcmp (t->reason, "None") ? t->reason : "";
    /* an attempt of an earlier round says nothing about this one */
    if (job && strcmp (r->status.array, r->chunk->name))
        r->status = (struct runstatus){.state = RUN_NONE};
    if (!job && (r->status.state == RUN_NONE || r->chunk->round)) {
        r->outcome =
            status_was_cancelled (c, r) ? OUTCOME_CANCELLED : OUTCOME_QUEUED;
        r->reason = r->outcome == OUTCOME_CANCELLED ? ""
                    : c->journal.submitted          ? "waits for a later wave"
                                                    : "not started";
        return;
    }
    /* without Slurm's answer silence proves nothing */
    if (job && !c->queue.known && !(c->sources & STATUS_SETTLED))
        silent = 0;
    /* Slurm was asked after the task had been submitted: it was cancelled */
    else if (job && !t && r->status.state == RUN_NONE &&
             c->sources & STATUS_SLURM) {
        silent = SETTLED_S;
        r->reason = "Slurm does not have its task: cancelled there?";
    }
    r->outcome = outcome_of (&r->status, t ? t->state : "", silent);
    if (pack && r->status.state == RUN_NONE && r->outcome == OUTCOME_RUNNING) {
        r->outcome = OUTCOME_QUEUED;
        r->reason = "its turn in the job";
    }
    if ((!t && job && r->status.state != RUN_ENDED &&
         status_was_cancelled (c, r)) ||
        ((r->outcome == OUTCOME_FAILED || r->outcome == OUTCOME_STOPPED) &&
         status_was_killed (c, r)))
        r->outcome = OUTCOME_CANCELLED;
}

/* -- runs and their rows ----------------------------------------------- */

static size_t row_key (const struct sweep_report *r, struct run run)
{
    return ((size_t)run.point * r->repeats + (size_t)run.repeat) * 2 +
           (size_t)run.control;
}

const struct run_report *status_of (const struct sweep_report *r,
                                    struct run run)
{
    uint32_t row = r->row[row_key (r, run)];

    return row && row <= r->count &&
                   row_key (r, r->run[row - 1].run) == row_key (r, run)
               ? &r->run[row - 1]
               : NULL;
}

const struct run_report *status_of_control (const struct sweepdir *d,
                                            const struct sweep_report *r,
                                            struct run run)
{
    if (!run_has_paired (d->spec, d->grid, run))
        return NULL;
    run.control = 1;
    return status_of (r, run);
}

int status_wants_retry (const struct sweepdir *d,
                        const struct sweep_report *r,
                        struct run run)
{
    const struct run_report *x = status_of (r, run),
                            *y = status_of_control (d, r, run);

    return (x && d->spec->retry.on >> x->outcome & 1) ||
           (y && d->spec->retry.on >> y->outcome & 1);
}

void status_count (struct sweep_report *r)
{
    ZERO (&r->by_outcome);
    r->good = r->open = r->bad = 0;
    for (size_t i = 0; i < r->count; i++) {
        enum outcome o = r->run[i].outcome;

        r->by_outcome[o]++;
        r->good += outcome_class (o) == OUTCOME_GOOD;
        r->open += outcome_class (o) == OUTCOME_OPEN;
        r->bad += outcome_class (o) == OUTCOME_BAD;
        if (r->row)
            r->row[row_key (r, r->run[i].run)] = (uint32_t)i + 1;
    }
}

static void place_run (struct sweep_report *r,
                       struct run run,
                       const struct chunk *c,
                       int task)
{
    uint32_t *at = &r->row[row_key (r, run)];

    if (!*at)
        *at = (uint32_t)++r->count;
    r->run[*at - 1].run = run;
    r->run[*at - 1].chunk = c;
    r->run[*at - 1].task = task;
}

/* Find the last array of each run: that is where it is now. */
static void place_runs (struct collection *c)
{
    struct sweepdir *d = c->sweep;

    c->report->repeats = d->spec->repeats;
    c->report->row = arena_array (d->grid->count * c->report->repeats * 2 + 1,
                                  sizeof (uint32_t));
    for (size_t i = 0; i < d->layout->chunks; i++)
        for (int t = 0; t < d->layout->chunk[i].count; t++) {
            struct run run = d->layout->chunk[i].run[t];

            place_run (c->report, run, &d->layout->chunk[i], t);
            if (!run_has_paired (d->spec, d->grid, run))
                continue;
            run.control = 1;
            place_run (c->report, run, &d->layout->chunk[i], t);
        }
}

static void collect_run (struct collection *c, struct run_report *r)
{
    struct sweepdir *d = c->sweep;

    r->attempt = sweepdir_last_attempt (d, r->run);
    if (r->attempt >= 0)
        runstatus_read (arena_format ("%s/status", sweepdir_attempt_path (
                                                       d, r->run, r->attempt)),
                        &r->status);
    status_judge (c, r);
}

static void ask_slurm (struct collection *c)
{
    struct sweepdir *d = c->sweep;
    struct slurm_config config;
    struct errtext err;
    const char *jobs = submit_job_list (d, &c->journal);

    if (!(c->sources & STATUS_SLURM) || !*jobs)
        return;
    if (c->journal.analysis)
        jobs = arena_format ("%s,%s", jobs, c->journal.analysis);
    if (slurm_config_read (&config, &err) < 0 ||
        slurm_queue_read (jobs, config.accounting, &c->queue, &err) < 0)
        c->report->silence = arena_text (err.text);
    c->report->slurm_known = c->queue.known;
}

/* Was the whole sweep cancelled? Its analysis is cancelled with it. */
static int status_all_cancelled (const struct collection *c)
{
    for (size_t i = 0; i < c->sweep->layout->chunks; i++)
        if (!c->journal.cancelled[i])
            return 0;
    return 1;
}

/* Not in Slurm any more, and the tables are older than it is. A pending job
 * that is cancelled is forgotten at once. */
static void status_analysis (struct collection *c)
{
    const char *job = c->journal.analysis;
    const struct slurm_task *t;

    if (!c->queue.known || !(c->sources & STATUS_SLURM) || !job ||
        c->journal.analysis_behind || status_all_cancelled (c))
        return;
    t = slurm_queue_find (&c->queue, job, -1);
    if ((!t || slurm_task_is_over (t)) &&
        file_time (c->sweep, "results/summary.txt") < c->journal.analysis_time)
        c->report->analysis_lost = job;
}

static void note_gone (struct collection *c)
{
    c->gone = strmap_create ();
    for (const char *id = c->journal.gone; *id;) {
        size_t n = strcspn (id, " ");

        strmap_intern (c->gone, id, n, NULL);
        id += n + strspn (id + n, " ");
    }
}

void status_read (struct sweepdir *d, unsigned sources, struct sweep_report *r)
{
    struct collection c = {
        .sweep = d, .sources = sources, .now = time (NULL), .report = r};

    ZERO (r);
    r->silence = "";
    r->run = arena_array (d->layout->runs * 2, sizeof (*r->run));
    journal_read (d, &c.journal);
    c.journal_time = file_time (d, "journal.jsonl");
    ask_slurm (&c);
    note_gone (&c);
    place_runs (&c);
    for (size_t i = 0; i < r->count; i++)
        collect_run (&c, &r->run[i]);
    status_count (r);
    status_analysis (&c);
    strmap_destroy (c.gone);
    slurm_queue_free (&c.queue);
}
