/* SPDX-License-Identifier: MIT
 *
 * plan.h - what a sweep will do, as text and tables; pure
 */
#pragma once

#include "lib/util/textable.h"
#include "sweep/plan/order.h"

/* -- what a sweep will do, as text and tables; pure -- */

/* One row per point that has runs in the layout: id, label, all columns, all
 * variables, group. */
struct textable *plan_points_table (const struct spec *s,
                                    const struct grid *g,
                                    const struct layout *l);
/* One row per run, in order: run, point, repeat, array, task, seed. */
struct textable *plan_order_table (const struct spec *s,
                                   const struct grid *g,
                                   const struct layout *l);

/* Slurm's limits, and how they are known. */
struct plan_limits {
    int max_tasks, wave; /* of an array; of all at a time, 0: any number */
    const char *tasks, *waves;
};

/* The overview: counts, order, arrays, warnings, the first `rows` points
 * (0: all). */
void plan_print (FILE *out,
                 const struct spec *s,
                 const struct grid *g,
                 const struct layout *l,
                 const struct plan_limits *limit,
                 size_t rows);

/* Columns that are only the same value under another name as the axes are
 * left out of the overview; this is the cell of one. */
void plan_cell (struct textable *t, const struct value *v);
