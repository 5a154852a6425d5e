/* SPDX-License-Identifier: MIT
 *
 * jobbaseline.c - a job and its baseline without real data -> what the loader
 * costs
 *
 * In:  two jobs of the same configuration, the baseline e.g. with Megatron-LM's
 *      --mock-data
 * Out: a table, to cmd_analyze.c
 */
#include "config.h"

#include "analyze/tables/jobbaseline.h"

#include <stdlib.h>

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
