/* SPDX-License-Identifier: MIT
 *
 * figure.h - results -> SVG; pure but for the stream
 */
#ifndef DFT_SWEEP_FIGURE_H
#define DFT_SWEEP_FIGURE_H

#include <stdio.h>

#include "sweep/results/resultset.h"

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
