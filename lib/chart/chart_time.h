/* SPDX-License-Identifier: MIT
 *
 * chart_time.h - kinds of figures whose axis is the time of a job
 */
#ifndef DFT_CHART_CHART_TIME_H
#define DFT_CHART_CHART_TIME_H

#include <stddef.h>
#include <stdio.h>

#include "lib/chart/chart.h"

/* A row's lane: how much of each bin it was busy, 0…1. */
struct lane {
    const float *busy; /* bins of them; NULL: nothing, not drawn */
    double seconds;    /* in all, for the tooltip */
};

enum { TIMELINE_LANES_MAX = 16 };

/* Rows of lanes over time, c->most seconds at least; the height of a mark is
 * the share of its bin. lane[row * lanes + i]; names and colours go by i. */
void chart_timeline (FILE *out,
                     const struct chart *c,
                     double seconds,
                     size_t bins,
                     size_t rows,
                     const char *const *row,
                     size_t lanes,
                     const char *const *lane_name,
                     const struct lane *lane);

/* Step lines of values in bins, NaN where there is none. series[i].cell is not
 * used: value[i][bin]. */
void chart_rates (FILE *out,
                  const struct chart *c,
                  double seconds,
                  size_t bins,
                  size_t count,
                  const char *const *name,
                  double *const *value);

/* Dots at (x, y); group picks the colour, names are those of the groups. */
struct dot {
    double x, y;
    size_t group;
};
void chart_dots (FILE *out,
                 const struct chart *c,
                 double seconds,
                 const struct dot *dot,
                 size_t dots,
                 size_t groups,
                 const char *const *name);

#endif
