/* SPDX-License-Identifier: MIT
 *
 * compare.h - questions to the results -> tables: compare, group, pivot,
 *      effects; pure
 */
#ifndef DFT_SWEEP_COMPARE_H
#define DFT_SWEEP_COMPARE_H

#include "lib/util/textable.h"
#include "sweep/resultset.h"

/* "access=mmap:direct", "seq,gbs", "seq,access:read_bandwidth" -> what they
 * name; -1 and err. */
int compare_parse (const struct sweepdir *d,
                   const char *text,
                   struct compare *out,
                   struct errtext *err);
int group_parse (const struct sweepdir *d,
                 const char *text,
                 int **axis,
                 size_t *count,
                 struct errtext *err);

/* One row per setting of the other axes: both means with half intervals, the
 * ratio right / left paired by repeat, with its 95 % interval (of the mean of
 * logarithms). */
struct textable *
compare_table (const struct resultset *r, const struct compare *c, int metric);

/* One row per setting of these axes, over all runs that have it. */
struct textable *group_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric);

/* The same as a matrix: the last axis goes across. */
struct textable *pivot_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric);

/* What each axis does to a metric, and the strongest interaction of two:
 * the difference between its best and worst value in % of the mean, with a
 * 95 % interval over repeats, and its share of the variance. Only repeats in
 * which every point is done count. */
struct textable *effects_table (const struct resultset *r, int metric);

#endif
