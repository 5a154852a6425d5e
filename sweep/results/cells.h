/* SPDX-License-Identifier: MIT
 *
 * cells.h - points that have the same values of some axes
 */
#ifndef DFT_SWEEP_CELLS_H
#define DFT_SWEEP_CELLS_H

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

/* All axes but one; *count of them. In the memory of r. */
int *cells_axes_but (const struct resultset *r, int but, size_t *count);

#endif
