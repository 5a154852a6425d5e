/* SPDX-License-Identifier: MIT
 *
 * runtable.c - runs -> rows
 */
#include "config.h"

#include "sweep/plan/plan.h"
#include "sweep/run/runtable.h"

static void runtable_id_columns (struct textable *t, const struct sweepdir *d)
{
    textable_column (t, "run", "run", NULL, 0);
    textable_column (t, "label", "label", NULL, 0);
    for (size_t i = 0; i < d->spec->axes; i++)
        textable_column (t, d->spec->column[i], d->spec->column[i], NULL, 0);
    textable_column (t, "repeat", "repeat", NULL, 1);
    textable_column (t, "control", "control", NULL, 1);
}

static void
runtable_id_cells (struct textable *t, struct sweepdir *d, struct run r)
{
    const struct point *p = &d->grid->point[r.point];

    textable_row (t);
    textable_text (t, run_id (d->arena, d->grid, r));
    textable_text (t, p->label);
    for (size_t i = 0; i < d->spec->axes; i++)
        plan_cell (t, d->arena, &p->column[i]);
    textable_uint (t, (uint64_t)r.repeat);
    textable_uint (t, (uint64_t)r.control);
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
    textable_text (t, x->chunk->name);
    textable_uint (t, (uint64_t)x->task);
    textable_text (t, outcome_word (x->outcome));
    textable_text (t, status_why (d, x));
    if (x->attempt >= 0)
        textable_uint (t, (uint64_t)x->attempt);
    else
        textable_na (t);
    textable_text (t, x->status.nodes);
    if (x->status.state == RUN_ENDED) {
        textable_uint (t, (uint64_t)x->status.exit);
        textable_double (t, x->status.end - x->status.start, 3);
    } else {
        textable_na (t);
        textable_na (t);
    }
    if (x->attempt >= 0)
        textable_text (t, sweepdir_attempt_path (d, x->run, x->attempt));
    else
        textable_na (t);
}

struct textable *runtable_make (struct sweepdir *d,
                                const struct sweep_report *r)
{
    static const char *const own[] = {"array",  "task",      "state",
                                      "reason", "attempt",   "nodes",
                                      "exit",   "elapsed_s", "directory"};
    struct textable *t = textable_create ();

    runtable_id_columns (t, d);
    for (size_t i = 0; i < sizeof (own) / sizeof (own[0]); i++)
        textable_column (t, own[i], own[i], NULL, 0);
    for (size_t i = 0; i < r->count; i++) {
        runtable_id_cells (t, d, r->run[i].run);
        state_cells (t, d, &r->run[i]);
    }
    return t;
}
