/* SPDX-License-Identifier: MIT
 *
 * plan.h - what a sweep will do, as text and tables; pure
 */
#ifndef DFT_SWEEP_PLAN_H
#define DFT_SWEEP_PLAN_H

#include <stdio.h>

#include "lib/util/textable.h"
#include "sweep/order.h"

/* One row per point: id, label, all columns, all variables, group. */
struct textable *plan_points_table (const struct spec *s, const struct grid *g);
/* One row per run, in order: run, point, repeat, array, task, seed. */
struct textable *plan_order_table (const struct spec *s,
                                   const struct grid *g,
                                   const struct layout *l);

/* The overview: counts, order, arrays, warnings, the first `rows` points
 * (0: all). limit is how the most tasks of an array are known. */
void plan_print (FILE *out,
                 const struct spec *s,
                 const struct grid *g,
                 const struct layout *l,
                 const char *limit,
                 size_t rows);

/* Columns that are only the same value under another name as the axes are
 * left out of the overview; this is the cell of one. */
void plan_cell (struct textable *t, struct arena *a, const struct value *v);

#endif
