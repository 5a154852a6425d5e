/* SPDX-License-Identifier: MIT
 *
 * jobcompare.c - the answers of two jobs to one question -> what changed
 *
 * In:  cells of both, with histograms of durations
 * Out: rows of `dftrace compare`
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tables/jobcompare.h"

static const double jobcompare_sure = 0.05;

/* --- pairs ---------------------------------------------------------------- */

/* As the cells of an answer are sorted. */
static int jobcompare_keys (const struct query *q,
                            const struct query_cell *x,
                            const struct query_cell *y)
{
    int order = 0;

    for (int k = 0; !order && k < q->keys; k++)
        order = query_key_is_number (&q->key[k])
                    ? query_number_order (x->value[k], y->value[k])
                    : strcmp (x->value[k], y->value[k]);
    return order;
}

static void jobcompare_pair (struct jobcompare *c,
                             const struct query_cell *a,
                             const struct query_cell *b)
{
    struct jobcompare_row *row = &c->row[c->count++];

    *row = (struct jobcompare_row){
        .cell = {a, b},
        .than = hist_compare (a ? a->times : NULL, b ? b->times : NULL)};
}

static enum jobcompare_verdict
jobcompare_judge (const struct jobcompare_row *row, double limit)
{
    if (!row->cell[0])
        return JOBCOMPARE_NEW;
    if (!row->cell[1])
        return JOBCOMPARE_GONE;
    if (isnan (row->than.p) || row->than.p >= jobcompare_sure)
        return JOBCOMPARE_SAME;
    return row->than.ratio > 1 + limit         ? JOBCOMPARE_SLOWER
           : row->than.ratio * (1 + limit) < 1 ? JOBCOMPARE_FASTER
                                               : JOBCOMPARE_SAME;
}

static double jobcompare_change (const struct jobcompare_row *row)
{
    return (row->cell[1] ? (double)row->cell[1]->ns : 0) -
           (row->cell[0] ? (double)row->cell[0]->ns : 0);
}

static int jobcompare_order (const void *a, const void *b, void *query)
{
    const struct jobcompare_row *x = a, *y = b;
    double p = fabs (jobcompare_change (x)), q = fabs (jobcompare_change (y));

    if (p != q)
        return p < q ? 1 : -1;
    return jobcompare_keys (query, x->cell[0] ? x->cell[0] : x->cell[1],
                            y->cell[0] ? y->cell[0] : y->cell[1]);
}

static int jobcompare_judge_all (struct jobcompare *c, double limit)
{
    double *p = calloc (c->count + 1, sizeof (*p));
    int rc;

    if (!p)
        return -1;
    for (size_t i = 0; i < c->count; i++)
        p[i] = c->row[i].than.p;
    rc = statistics_holm (p, c->count);
    for (size_t i = 0; rc == 0 && i < c->count; i++) {
        c->row[i].than.p = p[i];
        c->row[i].verdict = jobcompare_judge (&c->row[i], limit);
        c->slower += c->row[i].verdict == JOBCOMPARE_SLOWER;
    }
    free (p);
    return rc;
}

int jobcompare_make (struct jobcompare *c,
                     const struct query *q,
                     const struct query_answer *a,
                     const struct query_answer *b,
                     double limit)
{
    memset (c, 0, sizeof (*c));
    if (!(c->row = calloc (a->count + b->count + 1, sizeof (*c->row))))
        return -1;
    for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
        int order = i == a->count ? 1
                    : k == b->count
                        ? -1
                        : jobcompare_keys (q, &a->cell[i], &b->cell[k]);

        jobcompare_pair (c, order <= 0 ? &a->cell[i] : NULL,
                         order >= 0 ? &b->cell[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    if (jobcompare_judge_all (c, limit) < 0)
        return -1;
    qsort_r (c->row, c->count, sizeof (*c->row), jobcompare_order,
             (void *)(uintptr_t)q);
    return 0;
}

void jobcompare_clear (struct jobcompare *c)
{
    free (c->row);
    memset (c, 0, sizeof (*c));
}

/* --- rows ----------------------------------------------------------------- */

void jobcompare_columns (struct textable *t, const struct query *q)
{
    for (int k = 0; k < q->keys; k++)
        textable_column (t, query_key_word (&q->key[k]),
                         query_key_title (&q->key[k]), "",
                         query_key_is_number (&q->key[k]));
    textable_column (t, "verdict", "B is", "", 0);
    textable_column (t, "count_a", "count A", "", 1);
    textable_column (t, "count_b", "count B", "", 1);
    textable_column (t, "sum_a_s", "time A", "s", 1);
    textable_column (t, "sum_b_s", "time B", "s", 1);
    textable_column (t, "change_s", "B - A", "s", 1);
    textable_column (t, "ratio", "B / A", "each", 1);
    textable_column (t, "low", "from", "95 %", 1);
    textable_column (t, "high", "to", "95 %", 1);
    textable_column (t, "p", "p", "", 1);
}

static void jobcompare_number (struct textable *t, double x, int digits)
{
    if (isfinite (x))
        textable_double (t, x, digits);
    else
        textable_na (t);
}

static void jobcompare_row (struct textable *t,
                            const struct query *q,
                            const struct jobcompare_row *row)
{
    static const char *const verdicts[] = {[JOBCOMPARE_SAME] = "same",
                                           [JOBCOMPARE_SLOWER] = "slower",
                                           [JOBCOMPARE_FASTER] = "faster",
                                           [JOBCOMPARE_NEW] = "new",
                                           [JOBCOMPARE_GONE] = "gone"};
    const struct query_cell *any = row->cell[0] ? row->cell[0] : row->cell[1];

    textable_row (t);
    for (int k = 0; k < q->keys; k++)
        textable_text (t, any->value[k]);
    textable_text (t, verdicts[row->verdict]);
    for (int side = 0; side < 2; side++)
        textable_uint (t, row->cell[side] ? row->cell[side]->count : 0);
    for (int side = 0; side < 2; side++)
        textable_double (
            t, row->cell[side] ? (double)row->cell[side]->ns / 1e9 : 0, 4);
    textable_double (t, jobcompare_change (row) / 1e9, 4);
    jobcompare_number (t, row->than.ratio, 3);
    jobcompare_number (t, row->than.low, 3);
    jobcompare_number (t, row->than.high, 3);
    textable_probability (t, row->than.p, 4);
}

void jobcompare_rows (struct textable *t,
                      const struct query *q,
                      const struct jobcompare *c,
                      size_t top)
{
    for (size_t i = 0; i < c->count && (!top || i < top); i++)
        jobcompare_row (t, q, &c->row[i]);
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
    struct jobbaseline *t = calloc (1, sizeof (*t));

    if (!t)
        (void)errf (err, "out of memory");
    else if (jobbaseline_load_job (t, o, err) < 0) {
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

struct side {
    int known;
    double value;
};

static void
jobbaseline_put (struct textable *t, const struct side *s, int digits)
{
    if (s->known)
        textable_double (t, s->value, digits);
    else
        textable_na (t);
}

static void row (struct textable *t,
                 const char *name,
                 const char *unit,
                 int digits,
                 struct side own,
                 struct side baseline)
{
    int both = own.known && baseline.known;
    struct side difference = {both, own.value - baseline.value};
    struct side ratio = {both && baseline.value > 0, 0};

    if (ratio.known)
        ratio.value = own.value / baseline.value;
    textable_row (t);
    textable_text (t, name);
    jobbaseline_put (t, &own, digits);
    jobbaseline_put (t, &baseline, digits);
    jobbaseline_put (t, &difference, digits);
    jobbaseline_put (t, &ratio, 3);
    textable_text (t, unit);
}

/* Training time of a step, ms. */
static struct side step_time (const struct result *r)
{
    const struct train *n = &r->summary->train;
    struct side s = {n->steps > 0 && n->max > 0, 0};

    if (s.known)
        s.value = (double)n->max / 1e6 / (double)n->steps;
    return s;
}

static struct side metric_side (const struct result *r, int m)
{
    struct metric_value v = metric_compute (r->summary, (enum metric)m);

    return (struct side){v.known, v.value};
}

struct textable *jobbaseline_table (const struct result *r,
                                    const struct result *baseline)
{
    struct textable *t = textable_create ();

    if (!t)
        return NULL;
    textable_column (t, "metric", "metric", "", 0);
    textable_column (t, "job", "job", "", 1);
    textable_column (t, "baseline", "baseline", "", 1);
    textable_column (t, "difference", "difference", "", 1);
    textable_column (t, "ratio", "ratio", "", 1);
    textable_column (t, "unit", "unit", "", 0);
    row (t, "loader_cost", "s", 4, metric_side (r, METRIC_train_time),
         metric_side (baseline, METRIC_train_time));
    row (t, "loader_cost_step", "ms", 4, step_time (r), step_time (baseline));
    for (int m = 0; m < METRIC_COUNT; m++) {
        struct side own = metric_side (r, m), other = metric_side (baseline, m);

        if (own.known || other.known)
            row (t, metric_table[m].name, metric_table[m].unit,
                 metric_table[m].digits, own, other);
    }
    return t;
}
