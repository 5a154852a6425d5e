/* SPDX-License-Identifier: MIT
 *
 * restable_exact.c - numbers per run and point -> tables for programs
 */
#include "config.h"

#include <string.h>

#include "sweep/plan/plan.h"
#include "sweep/results/restable.h"
#include "sweep/results/verdict.h"

static void restable_exact_id_columns (struct textable *t,
                                       const struct resultset *r)
{
    const struct spec *s = r->sweep->spec;

    textable_column (t, "point", "point", NULL, 0);
    textable_column (t, "label", "label", NULL, 0);
    for (size_t i = 0; i < s->columns; i++)
        textable_column (t, s->column[i], s->column[i], NULL, 0);
}

static void restable_exact_id_cells (struct textable *t,
                                     const struct resultset *r,
                                     int point)
{
    const struct point *p = &r->sweep->grid->point[point];

    textable_text (t, p->id);
    textable_text (t, p->label);
    for (size_t i = 0; i < r->sweep->spec->columns; i++)
        plan_cell (t, r->sweep->arena, &p->column[i]);
}

/* How the node was before the run. */
static void before_cells (struct textable *t, const struct runstatus *s)
{
    textable_text (t, s->predecessor);
    if (s->state == RUN_NONE) {
        textable_na (t);
        textable_na (t);
    } else {
        textable_double (t, s->load, 2);
        textable_uint (t, (uint64_t)s->cached_kb);
    }
    if (s->state == RUN_NONE || s->data_cached_kb < 0)
        textable_na (t);
    else
        textable_uint (t, (uint64_t)s->data_cached_kb);
}

static void status_cells (struct textable *t, const struct run_report *x)
{
    textable_text (t, outcome_word (x->outcome));
    if (x->status.state == RUN_ENDED)
        textable_uint (t, (uint64_t)x->status.exit);
    else
        textable_na (t);
    textable_text (t, x->status.node);
    textable_text (t, x->status.job);
    textable_text (t, x->status.task);
    if (x->status.state == RUN_NONE)
        textable_na (t);
    else
        textable_double (t, x->status.start, 3);
    if (x->status.state == RUN_ENDED)
        textable_double (t, x->status.end - x->status.start, 3);
    else
        textable_na (t);
    before_cells (t, &x->status);
}

struct textable *restable_runs (const struct resultset *r)
{
    static const char *const own[] = {
        "repeat",      "control", "attempt",   "state",         "exit",
        "node",        "job",     "task",      "start_s",       "elapsed_s",
        "predecessor", "loadavg", "cached_kb", "data_cached_kb"};
    struct textable *t = textable_create ();
    struct arena *a = r->sweep->arena;

    textable_column (t, "run", "run", NULL, 0);
    restable_exact_id_columns (t, r);
    for (size_t i = 0; i < sizeof (own) / sizeof (own[0]); i++)
        textable_column (t, own[i], own[i], NULL, 0);
    for (size_t m = 0; m < r->metrics; m++)
        textable_column (t, r->metric[m].name, r->metric[m].name,
                         r->metric[m].unit, 1);
    for (size_t i = 0; i < r->report.count; i++) {
        const struct run_report *x = &r->report.run[i];

        textable_row (t);
        textable_text (t, run_id (a, r->sweep->grid, x->run));
        restable_exact_id_cells (t, r, x->run.point);
        textable_uint (t, (uint64_t)x->run.repeat);
        textable_uint (t, (uint64_t)x->run.control);
        if (x->attempt >= 0)
            textable_uint (t, (uint64_t)x->attempt);
        else
            textable_na (t);
        status_cells (t, x);
        for (size_t m = 0; m < r->metrics; m++) {
            if (r->run[i].measure[m].present)
                textable_double (t, r->run[i].measure[m].value, 6);
            else
                textable_na (t);
        }
    }
    return t;
}

struct textable *restable_points (const struct resultset *r)
{
    struct textable *t = textable_create ();

    restable_exact_id_columns (t, r);
    textable_column (t, "state", "state", NULL, 0);
    if (r->sweep->spec->checks)
        textable_column (t, "check", "check", NULL, 0);
    for (size_t m = 0; m < r->metrics; m++)
        restable_statistics_columns (t, r->sweep->arena, r->metric[m].name,
                                     r->metric[m].unit);
    for (size_t p = 0; p < r->sweep->grid->count; p++) {
        if (!resultset_has_point (r, (int)p))
            continue;
        textable_row (t);
        restable_exact_id_cells (t, r, (int)p);
        textable_text (t, resultset_point_state (r, (int)p));
        if (r->sweep->spec->checks)
            textable_text (t, verdict_word (verdict_point (r, (int)p)));
        for (size_t m = 0; m < r->metrics; m++)
            restable_statistics_cells (t, resultset_point (r, (int)p, (int)m),
                                       6);
    }
    return t;
}

struct textable *restable_long (const struct resultset *r)
{
    struct textable *t = textable_create ();

    textable_column (t, "point", "point", NULL, 0);
    textable_column (t, "label", "label", NULL, 0);
    textable_column (t, "repeat", "repeat", NULL, 1);
    textable_column (t, "control", "control", NULL, 1);
    textable_column (t, "state", "state", NULL, 0);
    textable_column (t, "metric", "metric", NULL, 0);
    textable_column (t, "unit", "unit", NULL, 0);
    textable_column (t, "value", "value", NULL, 1);
    for (size_t i = 0; i < r->report.count; i++)
        for (size_t m = 0; m < r->metrics; m++) {
            const struct run_report *x = &r->report.run[i];
            const struct point *p = &r->sweep->grid->point[x->run.point];

            textable_row (t);
            textable_text (t, p->id);
            textable_text (t, p->label);
            textable_uint (t, (uint64_t)x->run.repeat);
            textable_uint (t, (uint64_t)x->run.control);
            textable_text (t, outcome_word (x->outcome));
            textable_text (t, r->metric[m].name);
            textable_text (t, r->metric[m].unit);
            if (r->run[i].measure[m].present)
                textable_double (t, r->run[i].measure[m].value, 6);
            else
                textable_na (t);
        }
    return t;
}

struct textable *restable_operations (const struct resultset *r)
{
    struct textable *t = textable_create ();

    textable_column (t, "run", "run", NULL, 0);
    restable_exact_id_columns (t, r);
    textable_column (t, "category", "category", NULL, 0);
    textable_column (t, "name", "name", NULL, 0);
    textable_column (t, "count", "count", NULL, 1);
    textable_column (t, "sum_s", "sum", "s", 1);
    textable_column (t, "mean_us", "mean", "us", 1);
    for (size_t i = 0; i < r->report.count; i++)
        for (size_t k = 0; k < r->run[i].operations; k++) {
            const struct operation *o = &r->run[i].operation[k];
            struct run run = r->report.run[i].run;

            textable_row (t);
            textable_text (t, run_id (r->sweep->arena, r->sweep->grid, run));
            restable_exact_id_cells (t, r, run.point);
            textable_text (t, o->category);
            textable_text (t, o->name + strlen (o->category) + 1);
            textable_uint (t, (uint64_t)o->count);
            textable_double (t, o->sum, 6);
            textable_double (t, o->mean_us, 2);
        }
    return t;
}
