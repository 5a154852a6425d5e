/* SPDX-License-Identifier: MIT
 *
 * jobcompare.c - runs of two sides -> what changed, and how sure that is
 *
 * In:  traces of runs; a query
 * Out: rows of `dftrace compare`, three sentences
 */
#include "config.h"

#include <glob.h>

#include "analyze/facts/question.h"
#include "analyze/tables/jobcompare.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

static const double jobcompare_sure = 0.05;

/* Steps of one run a side do not say how runs vary: of 20 pairs of one program
 * on a busy machine, 5 had a row whose interval was beyond 10 %. */
static const double jobcompare_runs_vary = 2;

/* Steps that follow each other are alike: a group of them is one value. */
enum { STEP_GROUPS = 10, STEP_GROUPS_LEAST = 5, PARTS_TOLD = 3 };

/* --- a run ---------------------------------------------------------------- */

/* The directories of a point's runs: of each repeat the last attempt. */
static int jobcompare_add_point (struct joblist *side,
                                 const char *path,
                                 struct errtext *err)
{
    char *pattern = xasprintf ("%s/r*/a*/trace", path);
    glob_t found = {0};
    int rc = -1;

    if (glob (pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *run = found.gl_pathv[i];
            const char *next =
                i + 1 < found.gl_pathc ? run + strlen (path) : "";
            size_t repeat = strcspn (*next ? next + 1 : "", "/") + 1;

            if (*next && strncmp (next, found.gl_pathv[i + 1] + strlen (path),
                                  repeat + 1) == 0)
                continue;
            if ((rc = joblist_add (side, run, err)) < 0)
                break;
        }
    else
        rc = 1;
    globfree (&found);
    free (pattern);
    return rc;
}

static int
jobcompare_add (struct joblist *side, const char *path, struct errtext *err)
{
    size_t before = side->count;
    int rc = jobcompare_add_point (side, path, err);

    if (rc > 0)
        rc = joblist_add (side, path, err);
    else if (rc == 0)
        return 0;
    if (rc == 0 && side->count - before > 1)
        rc = errf (err,
                   "%s: a sweep: name a point, %s/runs/POINT, or compare "
                   "sweeps with dftrace report",
                   path, path);
    return rc;
}

int jobcompare_second (int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp (argv[i], "--") == 0)
            return argc - i - 1;
    return 0;
}

int jobcompare_sides (struct joblist jobs[2],
                      int operands,
                      char **operand,
                      int second,
                      struct errtext *err)
{
    int first = operands - (second && second < operands ? second : 1);

    for (int i = 0; i < operands; i++)
        if (jobcompare_add (&jobs[i >= first], operand[i], err) < 0)
            return -1;
    return 0;
}

/* Take the steps of the first rank that has any. */
static void jobcompare_take_steps (struct jobcompare_run *run,
                                   const struct query_context *context)
{
    for (size_t r = 0; r < context->ranks; r++)
        if (context->windows[r].of[MARK_STEP].count) {
            marks_append (&run->steps, &context->windows[r].of[MARK_STEP]);
            return;
        }
}

static int jobcompare_read (struct jobcompare *c,
                            struct jobcompare_run *run,
                            struct job *job,
                            const struct jobcompare_input *in,
                            struct errtext *err)
{
    struct totals totals = {0};
    struct summary s = {0};
    struct query_context context = {0};
    struct result r = {job, &totals, &s};
    int rc = -1;

    if (job_open (job, err) == 0 &&
        totals_load (&totals, job, NULL, NULL, in->threads, err) == 0 &&
        summary_make (&s, &totals, job, err) == 0 &&
        jobcontext_make (&context, &c->query, job, &totals, &s, err) == 0) {
        struct query_input input = {job, NULL, &context, in->threads};

        if (totals.processes == 0)
            errf (err, "%s: no readable trace in it", job->label);
        else
            rc = query_job (&run->answer, &c->query, &input, err);
        jobcompare_take_steps (run, &context);
        c->damaged |= in->damage (&r);
        run->seconds = (s.end - s.start) / 1e9;
        for (int part = 0; part < BILL_COUNT; part++)
            run->wall[part] = s.wall[part] / 1e9;
    }
    query_context_clear (&context);
    summary_clear (&s);
    totals_clear (&totals);
    job_close (job);
    return rc;
}

/* --- one value of many runs or steps ---------------------------------------
 */

/* Values of both sides, one a run or group of steps. */
struct jobcompare_values {
    const double *of[2];
    size_t n[2];
};

static struct jobcompare_ratio
jobcompare_ratio (const struct jobcompare_values *v)
{
    struct statistics side[2] = {{0}, {0}};
    struct mean_difference d;

    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < v->n[k]; i++) {
            if (!(v->of[k][i] > 0))
                return (struct jobcompare_ratio){NAN, NAN, NAN, NAN};
            statistics_add (&side[k], log (v->of[k][i]));
        }
        statistics_end (&side[k]);
    }
    d = statistics_compare (&side[0], &side[1]);
    return (struct jobcompare_ratio){exp (d.difference), exp (d.low),
                                     exp (d.high), d.p};
}

/* One run on a side does not say how runs vary. */
static int jobcompare_by_steps (const struct jobcompare *c)
{
    return c->runs[0] == 1 || c->runs[1] == 1;
}

static enum jobcompare_verdict jobcompare_judge (
    const struct jobcompare *c, const struct jobcompare_ratio *r, double limit)
{
    int steps = jobcompare_by_steps (c);
    double beyond = steps ? fmax (jobcompare_runs_vary, 1 + limit) : 1 + limit;

    if (isnan (r->p))
        return JOBCOMPARE_FEW;
    if (r->p < jobcompare_sure && (steps ? r->low : r->ratio) > beyond)
        return JOBCOMPARE_SLOWER;
    if (r->p < jobcompare_sure && (steps ? r->high : r->ratio) * beyond < 1)
        return JOBCOMPARE_FASTER;
    return r->high <= 1 + limit && r->low * (1 + limit) >= 1 ? JOBCOMPARE_SAME
                                                             : JOBCOMPARE_FEW;
}

static double jobcompare_change (const struct jobcompare_row *row)
{
    return row->seconds[1] - row->seconds[0];
}

/* --- groups of events ------------------------------------------------------
 */

/* Work on rows; value has c->units of A and of B a row. */
struct jobcompare_work {
    struct jobcompare *c;
    struct strmap *names;
    double *value;
    size_t room, value_room, width;
    double limit;
};

static void jobcompare_new_row (struct jobcompare_work *w,
                                const struct query_cell *any,
                                const char *title)
{
    struct jobcompare_row *row = APPEND (w->c->row, w->c->count, w->room);

    row->any = any;
    row->title = title;
    GROW_ZEROED (w->value, w->value_room, w->c->count * w->width + 1);
}

/* Keys of the caller: without the step. */
static int jobcompare_keys (const struct jobcompare *c)
{
    return c->query.keys - c->step;
}

/* Index of the row with the keys of a cell. */
static size_t jobcompare_find (struct jobcompare_work *w,
                               const struct query_cell *cell)
{
    char *key = NULL;
    size_t length = 0, at;
    FILE *f = xmemstream (&key, &length);
    int isnew = 0;

    for (int k = 0; k < jobcompare_keys (w->c); k++)
        fprintf (f, "%s%c", cell->value[k], '\0');
    xmemstream_end (f);
    at = strmap_intern (w->names, key, length, &isnew);
    free (key);
    if (isnew)
        jobcompare_new_row (w, cell, NULL);
    return at;
}

/* First and last number of a run's steps. */
static void jobcompare_span (const struct jobcompare_run *run, int64_t span[2])
{
    span[0] = INT64_MAX;
    span[1] = INT64_MIN;
    for (size_t i = 0; i < run->steps.count; i++) {
        int64_t n = run->steps.item[i].number;

        span[0] = MIN (n, span[0]);
        span[1] = MAX (n, span[1]);
    }
}

/* The group of steps that a step is in; -1: none. */
static long
jobcompare_group (const int64_t span[2], size_t groups, int64_t step)
{
    if (step < span[0] || step > span[1])
        return -1;
    return (long)((double)(step - span[0]) * (double)groups /
                  ((double)(span[1] - span[0]) + 1));
}

static void jobcompare_take (struct jobcompare_work *w, int side, size_t number)
{
    struct jobcompare *c = w->c;
    const struct jobcompare_run *run = &c->run[side][number];
    int64_t span[2];

    jobcompare_span (run, span);
    for (size_t i = 0; i < run->answer.count; i++) {
        const struct query_cell *cell = &run->answer.cell[i];
        size_t at = jobcompare_find (w, cell);
        double s = cell->ns / 1e9;
        const char *step = c->step ? cell->value[c->query.keys - 1] : "-";
        long unit = !c->step ? (long)number
                             : jobcompare_group (span, c->units[side],
                                                 strcmp (step, "-") == 0
                                                     ? QUERY_NO_NUMBER
                                                     : atoll (step));

        c->row[at].count[side] += (double)cell->count / (double)c->runs[side];
        c->row[at].seconds[side] += s / (double)c->runs[side];
        if (unit >= 0 && (size_t)unit < c->units[side])
            w->value[at * w->width + (side ? c->units[0] : 0) + (size_t)unit] +=
                s;
    }
}

static void jobcompare_judge_all (struct jobcompare_work *w, size_t from)
{
    struct jobcompare *c = w->c;
    double *p = ZEROED (p, c->count);

    for (size_t i = from; i < c->count; i++) {
        const double *value = &w->value[i * w->width];
        const struct jobcompare_values v = {{value, value + c->units[0]},
                                            {c->units[0], c->units[1]}};

        c->row[i].than = jobcompare_ratio (&v);
        p[i - from] = c->row[i].than.p;
    }
    statistics_holm (p, c->count - from);
    for (size_t i = from; i < c->count; i++) {
        struct jobcompare_row *row = &c->row[i];

        row->than.p = p[i - from];
        row->verdict = row->count[0] <= 0 ? JOBCOMPARE_NEW
                       : row->count[1] <= 0
                           ? JOBCOMPARE_GONE
                           : jobcompare_judge (c, &row->than, w->limit);
        c->verdicts[row->verdict] += !row->title;
    }
    free (p);
}

static int jobcompare_order (const void *a, const void *b, void *compare)
{
    const struct jobcompare_row *x = a, *y = b;
    double p = fabs (jobcompare_change (x)), q = fabs (jobcompare_change (y));
    int order = ORDER (q, p);

    for (int k = 0; !order && k < jobcompare_keys (compare); k++)
        order = strcmp (x->any->value[k], y->any->value[k]);
    return order;
}

/* --- the job as a whole ----------------------------------------------------
 */

/* Seconds of step groups are means of their steps. */
static void jobcompare_step_values (const struct jobcompare *c,
                                    int side,
                                    double *value,
                                    struct jobcompare_row *row)
{
    const struct jobcompare_run *run = &c->run[side][0];
    double steps[STEP_GROUPS] = {0};
    int64_t span[2];

    jobcompare_span (run, span);
    for (size_t i = 0; i < run->steps.count; i++) {
        const struct mark *m = &run->steps.item[i];
        double s = (m->end - m->start) / 1e9;
        long unit = jobcompare_group (span, c->units[side], m->number);

        value[unit] += s;
        steps[unit]++;
        row->seconds[side] += s / (double)run->steps.count;
    }
    for (size_t k = 0; k < c->units[side]; k++)
        value[k] /= steps[k];
    row->count[side] = run->steps.count;
}

/* A row of the job and, where steps are compared, one of a step. */
static void jobcompare_whole (struct jobcompare_work *w)
{
    struct jobcompare *c = w->c;
    int steps = jobcompare_by_steps (c);
    size_t first = c->count;

    jobcompare_new_row (w, NULL, "whole job");
    if (steps && c->units[0] && c->units[1])
        jobcompare_new_row (w, NULL, "a step");
    for (int side = 0; side < 2; side++) {
        double *value = &w->value[first * w->width] + (side ? c->units[0] : 0);

        for (size_t i = 0; i < c->runs[side]; i++) {
            c->row[first].seconds[side] +=
                c->run[side][i].seconds / (double)c->runs[side];
            if (!steps)
                value[i] = c->run[side][i].seconds;
        }
        c->row[first].count[side] = c->runs[side];
        if (c->count > first + 1)
            jobcompare_step_values (c, side, value + w->width,
                                    &c->row[first + 1]);
    }
    jobcompare_judge_all (w, first);
    if (isnan (c->row[first].than.ratio) && c->row[first].seconds[0] > 0)
        c->row[first].than.ratio =
            c->row[first].seconds[1] / c->row[first].seconds[0];
}

/* --- three sentences --------------------------------------------------------
 */

const char *jobcompare_word (enum jobcompare_verdict verdict)
{
    static const char *const words[] = {[JOBCOMPARE_FEW] = "too few to tell",
                                        [JOBCOMPARE_SAME] = "same",
                                        [JOBCOMPARE_SLOWER] = "slower",
                                        [JOBCOMPARE_FASTER] = "faster",
                                        [JOBCOMPARE_NEW] = "new",
                                        [JOBCOMPARE_GONE] = "gone"};

    return words[verdict];
}

static void jobcompare_say_change (struct jobcompare *c)
{
    const struct jobcompare_row *job = &c->row[0];
    char a[WORDS_MAX], b[WORDS_MAX], r[3][WORDS_MAX], interval[3 * WORDS_MAX];

    interval[0] = '\0';
    if (!isnan (job->than.low))
        FORMAT (interval, ", 95 %% interval %s to %s",
                number_words (r[1], job->than.low),
                number_words (r[2], job->than.high));
    FORMAT (c->headline[0], "B takes %s times as long as A%s: %s, was %s: %s.",
            number_words (r[0], job->than.ratio), interval,
            value_words (b, job->seconds[1], "s"),
            value_words (a, job->seconds[0], "s"),
            jobcompare_word (job->verdict));
}

static double jobcompare_wall (const struct jobcompare *c, int side, int part)
{
    double sum = 0;

    for (size_t i = 0; i < c->runs[side]; i++)
        sum += c->run[side][i].wall[part] / (double)c->runs[side];
    return sum;
}

/* Verdict on a row of the bill, by Bonferroni's method. */
static enum jobcompare_verdict
jobcompare_judge_part (const struct jobcompare_work *w, int part)
{
    const struct jobcompare *c = w->c;
    double *value = ZEROED (value, w->width);
    enum jobcompare_verdict verdict = JOBCOMPARE_FEW;

    if (!jobcompare_by_steps (c)) {
        const struct jobcompare_values v = {{value, value + c->units[0]},
                                            {c->units[0], c->units[1]}};
        struct jobcompare_ratio r;

        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < c->runs[side]; i++)
                value[(side ? c->units[0] : 0) + i] =
                    c->run[side][i].wall[part];
        r = jobcompare_ratio (&v);
        r.p = fmin (1, r.p * BILL_COUNT);
        verdict = jobcompare_judge (c, &r, w->limit);
    }
    free (value);
    return verdict;
}

/* The rows of the bill that changed most. */
static void jobcompare_say_parts (const struct jobcompare_work *w)
{
    struct jobcompare *c = w->c;
    double all = jobcompare_change (&c->row[0]);
    char words[WORDS_MAX], *to = c->headline[1];
    size_t room = sizeof (c->headline[1]);
    int told[BILL_COUNT] = {0};

    snprintf (to, room, "%s %s", value_words (words, fabs (all), "s"),
              all < 0 ? "less:" : "more:");
    for (int n = 0; n < PARTS_TOLD; n++) {
        int most = -1;
        double change = 0;
        size_t at = strlen (to);

        for (int part = 0; part < BILL_COUNT; part++) {
            double d =
                jobcompare_wall (c, 1, part) - jobcompare_wall (c, 0, part);

            if (!told[part] && fabs (d) > fabs (change)) {
                most = part;
                change = d;
            }
        }
        if (most < 0 || (n && fabs (change) < 0.1 * fabs (all)))
            break;
        told[most] = 1;
        snprintf (to + at, room - at, "%s %s %s%s (%s)", n ? ";" : "",
                  bill_table[most].title, change < 0 ? "\xe2\x88\x92" : "+",
                  value_words (words, fabs (change), "s"),
                  jobcompare_word (jobcompare_judge_part (w, most)));
    }
    snprintf (to + strlen (to), room - strlen (to), ".");
}

static void jobcompare_say_sure (const struct jobcompare_work *w)
{
    struct jobcompare *c = w->c;
    char *to = c->headline[2];
    size_t room = sizeof (c->headline[2]);
    char r[3][WORDS_MAX];

    if (!jobcompare_by_steps (c))
        snprintf (to, room, "%zu runs of A, %zu of B; p = %.2g.", c->runs[0],
                  c->runs[1], c->row[0].than.p);
    else if (c->count > 1 && c->row[1].title)
        snprintf (
            to, room,
            "One run a side: a step takes %s times as long (%s to %s: %s), but "
            "what varies from run to run is not known.",
            number_words (r[0], c->row[1].than.ratio),
            number_words (r[1], c->row[1].than.low),
            number_words (r[2], c->row[1].than.high),
            jobcompare_word (c->row[1].verdict));
    else
        snprintf (to, room,
                  "One run a side says nothing about chance: run each "
                  "three times or more, in turn (dftrace compare A1 A2 "
                  "A3 -- B1 B2 B3).");
    for (int v = JOBCOMPARE_GONE, n = 0; v >= JOBCOMPARE_FEW; v--)
        if (c->verdicts[v])
            snprintf (to + strlen (to), room - strlen (to), "%s %zu %s",
                      n++ ? "," : " Rows:", c->verdicts[v],
                      jobcompare_word (v));
    snprintf (to + strlen (to), room - strlen (to), ".");
}

/* --- all of it --------------------------------------------------------------
 */

/* Groups of a run's steps that are values; 0: too few steps. */
static size_t jobcompare_step_groups (const struct jobcompare_run *run)
{
    size_t groups = run->steps.count / 2;

    return groups < STEP_GROUPS_LEAST ? 0
           : groups < STEP_GROUPS     ? STEP_GROUPS_LEAST
                                      : STEP_GROUPS;
}

static void jobcompare_rows_make (struct jobcompare_work *w)
{
    struct jobcompare *c = w->c;
    struct jobcompare_row whole[2];
    size_t groups, wholes;

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < c->runs[side]; i++)
            jobcompare_take (w, side, i);
    groups = c->count;
    jobcompare_judge_all (w, 0);
    jobcompare_whole (w);
    if (groups)
        qsort_r (c->row, groups, sizeof (*c->row), jobcompare_order, c);
    wholes = c->count - groups;
    memcpy (whole, &c->row[groups], wholes * sizeof (*whole));
    memmove (&c->row[wholes], c->row, groups * sizeof (*whole));
    memcpy (c->row, whole, wholes * sizeof (*whole));
    jobcompare_say_change (c);
    jobcompare_say_parts (w);
    jobcompare_say_sure (w);
}

int jobcompare_make (struct jobcompare *c,
                     const struct jobcompare_input *in,
                     struct errtext *err)
{
    struct jobcompare_work w = {.c = c, .limit = in->limit};

    ZERO (c);
    c->query = *in->query;
    for (int side = 0; side < 2; side++)
        c->runs[side] = in->jobs[side].count;
    c->step = c->runs[0] == 1 && c->runs[1] == 1 &&
              in->query->keys < QUERY_KEYS_MAX &&
              !query_has_key (in->query, GROUP_step);
    if (c->step)
        c->query.key[c->query.keys++] = (struct query_key){.what = GROUP_step};
    for (int side = 0; side < 2; side++) {
        NEW (c->run[side], c->runs[side]);
        for (size_t i = 0; i < c->runs[side]; i++)
            if (jobcompare_read (c, &c->run[side][i], &in->jobs[side].item[i],
                                 in, err) < 0)
                return -1;
        c->units[side] = c->step ? jobcompare_step_groups (c->run[side])
                         : jobcompare_by_steps (c) ? 0
                                                   : c->runs[side];
    }
    w.width = c->units[0] + c->units[1];
    w.names = strmap_create ();
    jobcompare_rows_make (&w);
    strmap_destroy (w.names);
    free (w.value);
    return 0;
}

void jobcompare_clear (struct jobcompare *c)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; c->run[side] && i < c->runs[side]; i++) {
            query_answer_clear (&c->run[side][i].answer);
            marks_clear (&c->run[side][i].steps);
        }
        free (c->run[side]);
    }
    free (c->row);
    ZERO (c);
}

/* --- rows ----------------------------------------------------------------- */

void jobcompare_columns (struct textable *t, const struct jobcompare *c)
{
    static const char *const columns[][3] = {
        {"verdict", "B is", ""},    {"count_a", "count A", ""},
        {"count_b", "count B", ""}, {"sum_a_s", "time A", "s"},
        {"sum_b_s", "time B", "s"}, {"change_s", "B - A", "s"},
        {"ratio", "B / A", ""},     {"low", "from", "95 %"},
        {"high", "to", "95 %"}};

    for (int k = 0; k < jobcompare_keys (c); k++)
        textable_column (t, query_key_word (&c->query.key[k]),
                         query_key_title (&c->query.key[k]), "",
                         query_key_is_number (&c->query.key[k]));
    for (size_t i = 0; i < ITEMS (columns); i++)
        textable_column (t, columns[i][0], columns[i][1], columns[i][2], i > 0);
    textable_columns (t, "p#");
}

static void jobcompare_put (struct textable *t,
                            const struct jobcompare *c,
                            const struct jobcompare_row *row)
{
    textable_row (t);
    for (int k = 0; k < jobcompare_keys (c); k++)
        textable_text (t, !row->title ? row->any->value[k]
                          : k         ? "-"
                                      : row->title);
    textable_text (t, jobcompare_word (row->verdict));
    for (int side = 0; side < 2; side++)
        if (row->count[side] == floor (row->count[side]))
            textable_uint (t, row->count[side]);
        else
            textable_double (t, row->count[side], 1);
    for (int side = 0; side < 2; side++)
        textable_double (t, row->seconds[side], 4);
    textable_cells (t, "%.4f %.3f %.3f %.3f", jobcompare_change (row),
                    row->than.ratio, row->than.low, row->than.high);
    textable_probability (t, row->than.p, 4);
}

void jobcompare_rows (struct textable *t,
                      const struct jobcompare *c,
                      size_t top)
{
    size_t groups = 0;

    for (size_t i = 0; i < c->count; i++) {
        groups += !c->row[i].title;
        if (!top || groups <= top)
            jobcompare_put (t, c, &c->row[i]);
    }
}

/* --- a job and its baseline without real data ----------------------------- */

/* --- the other job ---------------------------------------------------- */

struct jobbaseline {
    struct joblist jobs;
    struct totals totals;
    struct summary summary;
    struct result r;
};

static int jobbaseline_load_job (struct jobbaseline *t,
                                 const struct analyze_options *o,
                                 struct errtext *err)
{
    struct job *job;

    if (joblist_add (&t->jobs, o->baseline, err) < 0)
        return -1;
    if (t->jobs.count != 1)
        return errf (err, "%s: a sweep: name one of its runs", o->baseline);
    job = &t->jobs.item[0];
    t->r = (struct result){job, &t->totals, &t->summary};
    if (job_open (job, err) < 0 ||
        totals_load (&t->totals, job, &o->rules, &o->where, o->threads, err) <
            0 ||
        summary_make (&t->summary, &t->totals, job, err) < 0)
        return -1;
    return 0;
}

struct jobbaseline *jobbaseline_load (const struct analyze_options *o,
                                      struct errtext *err)
{
    struct jobbaseline *t = ZEROED (t, 1);

    if (jobbaseline_load_job (t, o, err) < 0) {
        jobbaseline_destroy (t);
        t = NULL;
    }
    return t;
}

void jobbaseline_destroy (struct jobbaseline *t)
{
    if (!t)
        return;
    summary_clear (&t->summary);
    totals_clear (&t->totals);
    if (t->jobs.count)
        job_close (&t->jobs.item[0]);
    joblist_clear (&t->jobs);
    free (t);
}

const struct result *jobbaseline_result (const struct jobbaseline *t)
{
    return &t->r;
}

/* --- its table -------------------------------------------------------- */

/* NaN is not known. */
static void row (struct textable *t,
                 const char *name,
                 const char *unit,
                 int digits,
                 double own,
                 double baseline)
{
    textable_line (t, "%s", name);
    textable_double (t, own, digits);
    textable_double (t, baseline, digits);
    textable_double (t, own - baseline, digits);
    textable_cells (t, "%.3f %s", baseline > 0 ? own / baseline : NAN, unit);
}

/* Training time of a step, ms. */
static double step_time (const struct result *r)
{
    const struct train *n = &r->summary->train;

    return n->steps > 0 && n->max > 0 ? n->max / 1e6 / (double)n->steps : NAN;
}

static double metric_side (const struct result *r, int m)
{
    struct metric_value v = metric_compute (r->summary, m);

    return v.known ? v.value : NAN;
}

struct textable *jobbaseline_table (const struct result *r,
                                    const struct result *baseline)
{
    struct textable *t = textable_create ();

    textable_columns (t, "metric job# baseline# difference# ratio# unit");
    row (t, "loader_cost", "s", 4, metric_side (r, METRIC_train_time),
         metric_side (baseline, METRIC_train_time));
    row (t, "loader_cost_step", "ms", 4, step_time (r), step_time (baseline));
    for (int m = 0; m < METRIC_COUNT; m++) {
        double own = metric_side (r, m), other = metric_side (baseline, m);

        if (!isnan (own) || !isnan (other))
            row (t, metric_table[m].name, metric_table[m].unit,
                 metric_table[m].digits, own, other);
    }
    return t;
}
