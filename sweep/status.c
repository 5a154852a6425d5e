/* SPDX-License-Identifier: MIT
 *
 * status.c - status files, the journal, one squeue -> report
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/util/json.h"
#include "lib/util/textable.h"
#include "sweep/price.h"
#include "sweep/slurm.h"
#include "sweep/status.h"
#include "sweep/submit.h"

enum { SETTLED_S = OUTCOME_GRACE + 1 };

struct collection {
    struct sweepdir *sweep;
    struct journal journal;
    struct slurm_queue queue;
    unsigned sources;
    int64_t now;
    int64_t journal_time; /* when the driver last wrote */
    struct sweep_report *report;
};

static int64_t file_time (struct sweepdir *d, const char *name)
{
    struct stat st;

    if (stat (arena_format (d->arena, "%s/%s", d->path, name), &st) < 0)
        return 0;
    return st.st_mtime;
}

/* Slurm forgets a pending task that is cancelled at once; the journal knows. */
static int was_cancelled (const struct collection *c,
                          const struct run_report *r)
{
    const char *id;

    if (c->journal.cancelled[r->chunk - c->sweep->layout->chunk])
        return 1;
    if (!*c->journal.gone)
        return 0;
    id = arena_format (c->sweep->arena, "%s ",
                       run_id (c->sweep->arena, c->sweep->grid, r->run));
    return strstr (c->journal.gone, id) != NULL;
}

/* Runs that Slurm never got (local mode, not submitted) wait for us. */
static void judge (struct collection *c, struct run_report *r)
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
        r->outcome = OUTCOME_QUEUED;
        r->reason = "not started";
        return;
    }
    /* without Slurm's answer silence proves nothing */
    if (job && !c->queue.known && !(c->sources & STATUS_SETTLED))
        silent = 0;
    r->outcome = outcome_of (&r->status, t ? t->state : "", silent);
    if (pack && r->status.state == RUN_NONE && r->outcome == OUTCOME_RUNNING) {
        r->outcome = OUTCOME_QUEUED;
        r->reason = "its turn in the job";
    }
    if (!t && job && r->status.state != RUN_ENDED && was_cancelled (c, r))
        r->outcome = OUTCOME_CANCELLED;
}

struct placing {
    struct collection *collection;
    uint32_t *row; /* of a run in the report, and one; 0: not there */
};

static void
place_run (struct placing *p, struct run run, const struct chunk *c, int task)
{
    struct sweep_report *r = p->collection->report;
    size_t repeats = (size_t)p->collection->sweep->spec->repeats;
    uint32_t *at =
        &p->row[((size_t)run.point * repeats + (size_t)run.repeat) * 2 +
                (size_t)run.control];

    if (!*at)
        *at = (uint32_t)++r->count;
    r->run[*at - 1].run = run;
    r->run[*at - 1].chunk = c;
    r->run[*at - 1].task = task;
}

/* Where a run is now: the last array that has it. */
static void place_runs (struct collection *c)
{
    struct sweepdir *d = c->sweep;
    struct placing p = {.collection = c};

    p.row = arena_array (d->arena,
                         d->grid->count * (size_t)d->spec->repeats * 2 + 1,
                         sizeof (*p.row));
    for (size_t i = 0; i < d->layout->chunks; i++)
        for (int t = 0; t < d->layout->chunk[i].count; t++) {
            struct run run = d->layout->chunk[i].run[t];

            place_run (&p, run, &d->layout->chunk[i], t);
            if (!run_has_twin (d->spec, d->grid, run))
                continue;
            run.control = 1;
            place_run (&p, run, &d->layout->chunk[i], t);
        }
}

static void collect_run (struct collection *c, struct run_report *r)
{
    struct sweepdir *d = c->sweep;

    r->attempt = sweepdir_last_attempt (d, r->run);
    if (r->attempt >= 0)
        (void)runstatus_read (
            arena_format (d->arena, "%s/status",
                          sweepdir_attempt_path (d, r->run, r->attempt)),
            &r->status);
    judge (c, r);
    c->report->by_outcome[r->outcome]++;
    if (outcome_class (r->outcome) == OUTCOME_GOOD)
        c->report->good++;
    else if (outcome_class (r->outcome) == OUTCOME_OPEN)
        c->report->open++;
    else
        c->report->bad++;
}

static void ask_slurm (struct collection *c, struct errtext *err)
{
    struct sweepdir *d = c->sweep;
    struct slurm_config config;
    const char *jobs = submit_job_list (d, &c->journal);

    if (!(c->sources & STATUS_SLURM) || !*jobs)
        return;
    if (slurm_config_read (d->arena, &config, err) == 0)
        (void)slurm_queue_read (d->arena, jobs, config.accounting, &c->queue,
                                err);
    c->report->slurm_known = c->queue.known;
}

int status_read (struct sweepdir *d,
                 unsigned sources,
                 struct sweep_report *r,
                 struct errtext *err)
{
    struct collection c = {.sweep = d,
                           .sources = sources,
                           .now = (int64_t)time (NULL),
                           .report = r};

    memset (r, 0, sizeof (*r));
    r->run = arena_array (d->arena, d->layout->runs * 2, sizeof (*r->run));
    if (journal_read (d, &c.journal, err) < 0)
        return -1;
    c.journal_time = file_time (d, "journal.jsonl");
    ask_slurm (&c, err);
    place_runs (&c);
    for (size_t i = 0; i < r->count; i++)
        collect_run (&c, &r->run[i]);
    return 0;
}

/* -- for people -------------------------------------------------------- */

static void print_bar (FILE *out, const struct sweep_report *r)
{
    enum { WIDTH = 20 };
    size_t full = r->count ? (r->good + r->bad) * WIDTH / r->count : 0;

    fputc ('[', out);
    for (size_t i = 0; i < WIDTH; i++)
        fputc (i < full ? '#' : '.', out);
    fputc (']', out);
}

/* "g0.0:0-22,24-33" of the runs with this outcome */
static const char *
task_ranges (struct sweepdir *d, const struct sweep_report *r, enum outcome o)
{
    const struct chunk *last = NULL;
    const char *text = "";

    for (size_t i = 0; i < r->count;) {
        size_t end = i;
        const char *range;

        if (r->run[i].outcome != o) {
            i++;
            continue;
        }
        while (end + 1 < r->count && r->run[end + 1].outcome == o &&
               r->run[end + 1].chunk == r->run[i].chunk)
            end++;
        range = end == i ? arena_format (d->arena, "%d", r->run[i].task)
                         : arena_format (d->arena, "%d-%d", r->run[i].task,
                                         r->run[end].task);
        if (r->run[i].chunk != last)
            text = arena_format (d->arena, "%s%s%s:%s", text, *text ? " " : "",
                                 r->run[i].chunk->name, range);
        else
            text = arena_format (d->arena, "%s,%s", text, range);
        last = r->run[i].chunk;
        i = end + 1;
    }
    return text;
}

static const char *why (struct sweepdir *d, const struct run_report *r)
{
    switch (r->outcome) {
    case OUTCOME_FAILED:
        if (r->status.signal)
            return arena_format (d->arena, "signal %d", r->status.signal);
        if (r->status.state == RUN_ENDED)
            return arena_format (d->arena, "exit %d", r->status.exit);
        return *r->reason ? r->reason : "before its first word";
    case OUTCOME_STOPPED:
        return arena_format (d->arena, "after signal %d", r->status.caught);
    case OUTCOME_RUNNING:
        return *r->status.nodes
                   ? arena_format (d->arena, "on %s", r->status.nodes)
                   : r->reason;
    case OUTCOME_BAD_TRACE:
        return "no trace in its directory";
    default:
        return r->reason;
    }
}

/* Which and why: the first of them, and how many more. */
static const char *
reasons (struct sweepdir *d, const struct sweep_report *r, enum outcome o)
{
    size_t more = 0;
    const char *text = "";

    if (outcome_class (o) == OUTCOME_GOOD)
        return text;
    for (size_t i = 0; i < r->count; i++) {
        const struct run_report *x = &r->run[i];
        const char *because = why (d, x);

        if (x->outcome != o)
            continue;
        if (*text) {
            more++;
            continue;
        }
        if (o == OUTCOME_QUEUED)
            text = *because ? because : "waiting";
        else
            text = arena_format (d->arena, "%s r%d%s%s",
                                 d->grid->point[x->run.point].label,
                                 x->run.repeat, *because ? ": " : "", because);
    }
    if (more && o != OUTCOME_QUEUED)
        text = arena_format (d->arena, "%s, and %zu more", text, more);
    return text;
}

static void
print_table (FILE *out, struct sweepdir *d, const struct sweep_report *r)
{
    struct textable *t = textable_create ();

    textable_column (t, "state", "state", NULL, 0);
    textable_column (t, "runs", "runs", NULL, 1);
    textable_column (t, "tasks", "array tasks", NULL, 0);
    textable_column (t, "reason", "reason", NULL, 0);
    for (int o = 0; o < OUTCOME_COUNT; o++) {
        if (!r->by_outcome[o])
            continue;
        textable_row (t);
        textable_text (t, outcome_word ((enum outcome)o));
        textable_uint (t, r->by_outcome[o]);
        textable_text (t, task_ranges (d, r, (enum outcome)o));
        textable_text (t, reasons (d, r, (enum outcome)o));
    }
    textable_print (t, out, TABLE_TEXT);
    textable_destroy (t);
}

void status_print (FILE *out, struct sweepdir *d, const struct sweep_report *r)
{
    fprintf (out, "%s  ", d->spec->name);
    print_bar (out, r);
    fprintf (out, "  %zu/%zu done, %zu running, %zu queued, %zu not done\n",
             r->good, r->count, r->by_outcome[OUTCOME_RUNNING],
             r->by_outcome[OUTCOME_QUEUED], r->bad);
    print_table (out, d, r);
    price_print (out, d, r);
    if (r->bad)
        fprintf (out,
                 "what they said: dftrace sweep logs %s\n"
                 "again: dftrace sweep resume %s\n",
                 d->path, d->path);
}

/* -- for programs ------------------------------------------------------ */

static void
json_run (struct json *j, struct sweepdir *d, const struct run_report *r)
{
    json_open (j, NULL, '{');
    json_text (j, "run", run_id (d->arena, d->grid, r->run));
    json_text (j, "label", d->grid->point[r->run.point].label);
    json_int (j, "repeat", r->run.repeat);
    json_bool (j, "control", r->run.control);
    json_text (j, "array", r->chunk->name);
    json_int (j, "task", r->task);
    json_text (j, "state", outcome_word (r->outcome));
    json_text (j, "reason", why (d, r));
    json_int (j, "attempt", r->attempt);
    if (r->status.state == RUN_ENDED)
        json_int (j, "exit", r->status.exit);
    else
        json_null (j, "exit");
    json_text (j, "node", r->status.node);
    json_text (j, "predecessor", r->status.predecessor);
    if (r->status.state == RUN_NONE) {
        json_null (j, "loadavg");
        json_null (j, "cached_kb");
    } else {
        json_double (j, "loadavg", r->status.load);
        json_int (j, "cached_kb", r->status.cached_kb);
    }
    if (r->status.state == RUN_NONE || r->status.data_cached_kb < 0)
        json_null (j, "data_cached_kb");
    else
        json_int (j, "data_cached_kb", r->status.data_cached_kb);
    if (r->attempt >= 0)
        json_text (j, "directory",
                   sweepdir_attempt_path (d, r->run, r->attempt));
    else
        json_null (j, "directory");
    json_close (j, '}');
}

void status_print_json (FILE *out,
                        struct sweepdir *d,
                        const struct sweep_report *r)
{
    struct json j;

    json_init (&j, out, 0);
    json_open (&j, NULL, '{');
    json_text (&j, "format", "dftrace-sweep-status");
    json_int (&j, "version", 1);
    json_text (&j, "sweep", d->spec->name);
    json_text (&j, "directory", d->path);
    json_uint (&j, "runs", r->count);
    json_uint (&j, "done", r->good);
    json_uint (&j, "open", r->open);
    json_uint (&j, "not_done", r->bad);
    json_bool (&j, "slurm_answered", r->slurm_known);
    price_json (&j, r);
    json_open (&j, "run", '[');
    for (size_t i = 0; i < r->count; i++)
        json_run (&j, d, &r->run[i]);
    json_close (&j, ']');
    json_close (&j, '}');
    fputc ('\n', out);
}
