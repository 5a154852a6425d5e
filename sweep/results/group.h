/* SPDX-License-Identifier: MIT
 *
 * group.h - results over some axes -> tables; what each axis does; pure
 */
#ifndef DFT_RESULTS_GROUP_H
#define DFT_RESULTS_GROUP_H

#include "lib/util/textable.h"
#include "sweep/results/resultset.h"

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

#endif
