/* SPDX-License-Identifier: MIT
 *
 * restable.h - resultset -> tables; pure but for the streams
 */
#ifndef DFT_RESULTS_RESTABLE_H
#define DFT_RESULTS_RESTABLE_H

#include <stdio.h>

#include "lib/util/textable.h"
#include "sweep/results/resultset.h"

/* -- resultset -> tables; pure but for the streams -- */

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

/* -- results -> SVG; pure but for the stream -- */

/* A metric over the values of an axis, a line per value of another (by -1: one
 * line): means over all runs with their 95 % intervals. */
void figure_plot (
    FILE *out, const struct resultset *r, int metric, int x, int by);

/* The ratios of some comparisons of a metric, with their intervals, one row
 * each; a line at 1. */
void figure_compare (FILE *out,
                     const struct resultset *r,
                     const struct compare *c,
                     size_t compares,
                     int metric);

#endif
