/* SPDX-License-Identifier: MIT
 *
 * restable.h - tables of results, and their cells and groups
 */
#pragma once

#include <stdio.h>

#include "lib/util/textable.h"
#include "sweep/results/resultset.h"

/* --- cells.c: points that have the same values of some axes --- */

struct cells {
    int *of;    /* per point of the grid: its cell; -1: not in the results */
    int *first; /* per cell: a point of it, the first in grid order */
    size_t count;
};

/* In order of first appearance; with no axes all points are one cell. In the
 * memory of r. */
struct cells
cells_make (const struct resultset *r, const int *axis, size_t axes);

/* The statistics of a metric over all runs of each cell. */
struct statistics *
cells_statistics (const struct resultset *r, const struct cells *c, int metric);

/* A mean over settings of the other axes, each of which counts the same. */
struct balanced {
    double mean, half; /* NaN: nothing to compare; one run of each setting */
    double min, max;   /* of the runs that count */
    size_t n;          /* these runs */
};

/* Per cell of these axes, over the settings of the others in which every cell
 * that has any number has one: rows differ in their own axes alone, whatever
 * was excluded or failed. half: of the 95 % interval, by the scatter of the
 * repeats. In the memory of r. */
struct balanced *cells_balanced (const struct resultset *r,
                                 const struct cells *c,
                                 const int *axis,
                                 size_t axes,
                                 int metric);

/* All axes but these; *count of them. In the memory of r. */
int *cells_axes_but (const struct resultset *r,
                     const int *but,
                     size_t buts,
                     size_t *count);

/* --- group.c: results over some axes -> tables; what each axis does; pure ---
 */

/* One row per setting of these axes: a mean over the settings of the other
 * axes that all rows have, each of which counts the same (cells_balanced). */
struct textable *group_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric);

/* As group_table, as a matrix: the last axis goes across, means with their n.
 */
struct textable *pivot_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric);

/* A table of the effect of each axis on a metric, and of the strongest
 * interaction of two: the difference between its best and worst value in % of
 * the mean, with a 95 % interval over repeats, and its share of the variance.
 * Only repeats in which every point is done count; when there is none, the
 * points that are done in all repeats. */
struct textable *effects_table (const struct resultset *r, int metric);

/* As effects_table for every metric, as rows for programs. */
struct textable *effects_all (const struct resultset *r);

/* --- restable.c: resultset -> tables; pure but for the streams --- */

/* One row each: per attempt's run, per point (mean, sd, n, min, max), per
 * number, per point and operation. Exact values in the units of
 * metrics.json; for programs. */
struct textable *restable_points (const struct resultset *r);
struct textable *restable_long (const struct resultset *r);

/* A metric with its spread, one row per point; metric is one of r->metric. */
struct textable *restable_metric (const struct resultset *r, int metric);

/* The tables of metrics by their section (of the metrics in `only`,
 * NULL-terminated, when it is not NULL), then time per operation of the data
 * layer. */
void restable_print (FILE *out,
                     const struct resultset *r,
                     const char *const *only,
                     enum table_format format);
