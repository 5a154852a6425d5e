/* SPDX-License-Identifier: MIT
 *
 * runreport.c - report of runs -> tables, JSON; ranks and overhead of runs
 */
#include "config.h"

#include "lib/base/text.h"
#include "lib/util/json.h"
#include "lib/util/textable.h"
#include "sweep/plan/plan.h"
#include "sweep/results/runreport.h"
#include "sweep/results/compare.h"
#include "sweep/submit/status.h"

enum { RANGES_SHOWN = 8 }; /* of tasks: --format csv has them all */

/* -- for people -------------------------------------------------------- */

static void print_bar (FILE *out, const struct sweep_report *r)
{
    enum { WIDTH = 20 };
    size_t full = r->count ? r->good * WIDTH / r->count : 0;

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
    int ranges = 0;

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
        if (++ranges > RANGES_SHOWN)
            return arena_format ("%s, …", text);
        range = end == i
                    ? arena_format ("%d", r->run[i].task)
                    : arena_format ("%d-%d", r->run[i].task, r->run[end].task);
        if (r->run[i].chunk != last)
            text = arena_format ("%s%s%s:%s", text, *text ? " " : "",
                                 r->run[i].chunk->name, range);
        else
            text = arena_format ("%s,%s", text, range);
        last = r->run[i].chunk;
        i = end + 1;
    }
    return text;
}

const char *status_why (struct sweepdir *d, const struct run_report *r)
{
    switch (r->outcome) {
    case OUTCOME_FAILED:
        if (r->status.signal)
            return arena_format ("signal %d", r->status.signal);
        if (r->status.state == RUN_ENDED)
            return arena_format ("exit %d", r->status.exit);
        return *r->reason ? r->reason : "before its first word";
    case OUTCOME_OUT_OF_MEMORY:
        return r->status.oom ? "a step was killed for its memory" : r->reason;
    case OUTCOME_STOPPED:
        return arena_format ("after signal %d", r->status.caught);
    case OUTCOME_RUNNING:
        return *r->status.nodes ? arena_format ("on %s", r->status.nodes)
                                : r->reason;
    case OUTCOME_BAD_TRACE:
        return *r->status.why ? arena_text (r->status.why)
                              : "no trace in its directory";
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
        const char *because = status_why (d, x);

        if (x->outcome != o)
            continue;
        if (*text) {
            more++;
            continue;
        }
        if (o == OUTCOME_QUEUED)
            text = *because ? because : "waiting";
        else
            text =
                arena_format ("%s r%d%s%s", d->grid->point[x->run.point].label,
                              x->run.repeat, *because ? ": " : "", because);
    }
    if (more && o != OUTCOME_QUEUED)
        text = arena_format ("%s, and %zu more", text, more);
    return text;
}

static void statusprint_print_table (FILE *out,
                                     struct sweepdir *d,
                                     const struct sweep_report *r)
{
    struct textable *t = textable_create ();

    textable_columns (t, "state runs#");
    textable_column (t, "tasks", "array tasks", NULL, 0);
    textable_columns (t, "reason");
    for (int o = 0; o < OUTCOME_COUNT; o++) {
        if (!r->by_outcome[o])
            continue;
        textable_line (t, "%s %zu %s %s", outcome_word (o), r->by_outcome[o],
                       task_ranges (d, r, o), reasons (d, r, o));
    }
    textable_print (t, out, TABLE_TEXT);
    textable_destroy (t);
}

void status_print (FILE *out, struct sweepdir *d, const struct sweep_report *r)
{
    size_t count[VERDICTS];

    fprintf (out, "%s  ", d->spec->name);
    print_bar (out, r);
    fprintf (out, "  %zu/%zu done, %zu running, %zu queued, %zu not done\n",
             r->good, r->count, r->by_outcome[OUTCOME_RUNNING],
             r->by_outcome[OUTCOME_QUEUED], r->bad);
    statusprint_print_table (out, d, r);
    overhead_print (out, d, r);
    ranks_print (out, d, r);
    if (verdict_written (d, count))
        fprintf (out,
                 "checks: %zu passed, %zu failed when the tables were "
                 "written: dftrace sweep results %s\n",
                 count[VERDICT_PASS], count[VERDICT_FAIL], d->path);
    if (r->analysis_lost)
        fprintf (out,
                 "analysis: job %s is gone and has made no tables: dftrace "
                 "sweep resume %s\n",
                 r->analysis_lost, d->path);
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
    struct ranks ranks;

    json_put (j,
              "{ run:%s label:%s repeat:%d control:%db array:%s task:%d "
              "state:%s reason:%s attempt:%d",
              run_id (d->grid, r->run), d->grid->point[r->run.point].label,
              r->run.repeat, r->run.control, r->chunk->name, r->task,
              outcome_word (r->outcome), status_why (d, r), r->attempt);
    if (r->status.state == RUN_ENDED)
        json_int (j, "exit", r->status.exit);
    else
        json_null (j, "exit");
    if (ranks_of (d, r->run, r->attempt, &ranks)) {
        json_put (j, "ranks:%ju ranks_started:%ju", ranks.found, ranks.started);
    }
    json_put (j, "node:%s predecessor:%s", r->status.node,
              r->status.predecessor);
    if (r->status.state == RUN_NONE) {
        json_put (j, "loadavg:- cached_kb:-");
    } else {
        json_put (j, "loadavg:%f cached_kb:%jd", r->status.loadavg,
                  r->status.cached_kb);
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
    size_t count[VERDICTS];

    json_init (&j, out, 0);
    json_put (
        &j,
        "{ format:'dftrace-sweep-status' version:%d sweep:%s directory:%s "
        "runs:%zu done:%zu open:%zu not_done:%zu slurm_answered:%db",
        1, d->spec->name, d->path, r->count, r->good, r->open, r->bad,
        r->slurm_known);
    if (r->analysis_lost)
        json_text (&j, "analysis_lost", r->analysis_lost);
    else
        json_null (&j, "analysis_lost");
    overhead_json (&j, r);
    if (verdict_written (d, count)) {
        json_put (&j, "checks_passed:%zu checks_failed:%zu",
                  count[VERDICT_PASS], count[VERDICT_FAIL]);
    }
    json_open (&j, "run", '[');
    for (size_t i = 0; i < r->count; i++)
        json_run (&j, d, &r->run[i]);
    json_put (&j, "] }");
    fputc ('\n', out);
}

/* ---- runs -> rows ---- */

static void runtable_id_columns (struct textable *t, const struct sweepdir *d)
{
    textable_columns (t, "run label");
    for (size_t i = 0; i < d->spec->axes; i++)
        textable_column (t, d->spec->column[i], d->spec->column[i], NULL, 0);
    textable_columns (t, "repeat# control#");
}

static void
runtable_id_cells (struct textable *t, struct sweepdir *d, struct run r)
{
    const struct point *p = &d->grid->point[r.point];

    textable_line (t, "%s %s", run_id (d->grid, r), p->label);
    for (size_t i = 0; i < d->spec->axes; i++)
        plan_cell (t, &p->column[i]);
    textable_cells (t, "%d %d", r.repeat, r.control);
}

struct textable *
runtable_planned (struct sweepdir *d, const struct run *run, size_t runs)
{
    struct textable *t = textable_create ();

    runtable_id_columns (t, d);
    for (size_t i = 0; i < runs; i++)
        runtable_id_cells (t, d, run[i]);
    return t;
}

static void
state_cells (struct textable *t, struct sweepdir *d, const struct run_report *x)
{
    textable_cells (t, "%s %d %s %s %d?%d %s", x->chunk->name, x->task,
                    outcome_word (x->outcome), status_why (d, x),
                    x->attempt >= 0, x->attempt, x->status.nodes);
    if (x->status.state == RUN_ENDED) {
        textable_cells (t, "%d %.3f", x->status.exit,
                        x->status.end - x->status.start);
    } else {
        textable_cells (t, "- -");
    }
    if (x->attempt >= 0)
        textable_text (t, sweepdir_attempt_path (d, x->run, x->attempt));
    else
        textable_na (t);
}

struct textable *runtable_make (struct sweepdir *d,
                                const struct sweep_report *r)
{
    struct textable *t = textable_create ();

    runtable_id_columns (t, d);
    textable_columns (t, "array task state reason attempt nodes exit "
                         "elapsed_s directory");
    for (size_t i = 0; i < r->count; i++) {
        runtable_id_cells (t, d, r->run[i].run);
        state_cells (t, d, &r->run[i]);
    }
    return t;
}

/* ---- the object job of metrics.json -> ranks of a run ---- */

enum { HEAD_BYTES = 16 * 1024 /* a label has at most a path's length */ };

static int ranks_member (const char *text, const char *name, uint64_t *value)
{
    const char *at = strstr (text, name);
    char digits[24];
    size_t n;

    if (!at)
        return 0;
    at += strlen (name);
    n = strspn (at, "0123456789");
    if (n == 0 || n >= sizeof (digits))
        return 0;
    memcpy (digits, at, n);
    digits[n] = '\0';
    return parse_u64 (digits, value) == 0;
}

/* From the first lines of a metrics.json. 1; 0 where there is none yet, or it
 * is of an older version. */
static int ranks_read (const char *path, struct ranks *r)
{
    char text[HEAD_BYTES + 1];
    FILE *f = fopen (path, "re");
    size_t n;

    if (!f)
        return 0;
    n = fread (text, 1, HEAD_BYTES, f);
    fclose (f);
    text[n] = '\0';
    return ranks_member (text, "\n    \"ranks\": ", &r->found) &&
           ranks_member (text, "\n    \"ranks_started\": ", &r->started);
}

int ranks_of (const struct sweepdir *d,
              struct run run,
              int attempt,
              struct ranks *r)
{
    if (attempt < 0 || run.control)
        return 0;
    return ranks_read (arena_format ("%s/trace/metrics.json",
                                     sweepdir_attempt_path (d, run, attempt)),
                       r);
}

void ranks_print (FILE *out, struct sweepdir *d, const struct sweep_report *r)
{
    size_t fewer = 0;
    const char *first = "";

    for (size_t i = 0; i < r->count; i++) {
        const struct run_report *x = &r->run[i];
        struct ranks n;

        if (x->outcome != OUTCOME_DONE ||
            !ranks_of (d, x->run, x->attempt, &n) || n.found >= n.started)
            continue;
        if (fewer++ == 0)
            first = arena_format ("%s r%d (%llu of %llu)",
                                  d->grid->point[x->run.point].label,
                                  x->run.repeat, (unsigned long long)n.found,
                                  (unsigned long long)n.started);
    }
    if (fewer)
        fprintf (
            out,
            "ranks: fewer left a trace than were started in %zu %s: %s%s\n",
            fewer, fewer == 1 ? "run" : "runs", first, fewer > 1 ? ", …" : "");
}

/* ---- the tracing overhead, with an interval ---- */

static const struct run_report *
overhead_control_of (const struct sweep_report *r, const struct run_report *x)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->run[i].run.control && r->run[i].run.point == x->run.point &&
            r->run[i].run.repeat == x->run.repeat)
            return &r->run[i];
    return NULL;
}

static double overhead_elapsed (const struct run_report *x)
{
    return x->status.end - x->status.start;
}

static int has_controls (const struct sweep_report *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->run[i].run.control)
            return 1;
    return 0;
}

struct statistics overhead_of (const struct sweep_report *r)
{
    struct statistics s = {.n = 0};
    int controls = has_controls (r);

    for (size_t i = 0; controls && i < r->count; i++) {
        const struct run_report *x = &r->run[i], *control;

        if (x->run.control || x->outcome != OUTCOME_DONE)
            continue;
        control = overhead_control_of (r, x);
        if (control && control->outcome == OUTCOME_DONE &&
            overhead_elapsed (control) > 0 && overhead_elapsed (x) > 0)
            statistics_add (
                &s, log (overhead_elapsed (x) / overhead_elapsed (control)));
    }
    statistics_end (&s);
    return s;
}

void overhead_print (FILE *out,
                     const struct sweepdir *d,
                     const struct sweep_report *r)
{
    struct statistics s;

    if (!d->spec->control.wanted)
        return;
    s = overhead_of (r);
    if (!s.n)
        fprintf (out, "tracing costs: not known yet (no pair is done)\n");
    else if (s.n == 1)
        fprintf (out, "tracing costs %+.1f %% of the time (1 pair)\n",
                 expm1 (s.mean) * 100);
    else
        fprintf (out,
                 "tracing costs %+.1f %% of the time, 95 %% interval "
                 "[%+.1f, %+.1f] (%zu pairs)\n",
                 expm1 (s.mean) * 100,
                 expm1 (s.mean - statistics_half (&s)) * 100,
                 expm1 (s.mean + statistics_half (&s)) * 100, s.n);
}

void overhead_json (struct json *j, const struct sweep_report *r)
{
    struct statistics s = overhead_of (r);

    if (!s.n) {
        json_null (j, "tracing_overhead");
        return;
    }
    json_put (j, "tracing_overhead:{ pairs:%zu mean:%f low:%f high:%f }", s.n,
              expm1 (s.mean), expm1 (s.mean - statistics_half (&s)),
              expm1 (s.mean + statistics_half (&s)));
}
