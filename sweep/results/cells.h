/* SPDX-License-Identifier: MIT
 *
 * cells.h - points that have the same values of some axes
 */
#ifndef DFT_RESULTS_CELLS_H
#define DFT_RESULTS_CELLS_H

#include "sweep/results/resultset.h"

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

/* All axes but one; *count of them. In the memory of r. */
int *cells_axes_but (const struct resultset *r, int but, size_t *count);

#endif
