/* SPDX-License-Identifier: MIT
 *
 * chart.h - kinds of figures: a grid of values -> a drawing
 *
 * Values that are NaN are drawn as "n/a", never as 0; their `why` is the
 * tooltip. Everything is measured before it is drawn, so that no label
 * touches another one with 2 categories or with 60. Texts and grids are in the
 * memory of the arena (lib/util/xalloc.h).
 */
#pragma once

#include <stdio.h>

#include "lib/chart/scale.h"
#include "lib/chart/svg.h"

enum { CHART_WIDTH = 820 }; /* legible on a page of 700 pixels */

/* One value of a figure. */
struct cell {
    double v;         /* NaN: n/a */
    double lo, hi;    /* of repeats; NaN: none */
    const char *text; /* the number as its table has it, for data-v */
    const char *id;   /* of the point, for data-p */
    const char *name; /* of the point, for the tooltip */
    const char *why;  /* n/a: the reason; NULL */
    int absent;       /* there is no such point: drawn as nothing */
};

/* A value without repeats, whose text has nine digits. */
struct cell cell_of (double v, const char *name);

/* The values of a figure: panels of rows (series, lines, bars) of columns
 * (categories, values of x, parts of a bar). Names may be NULL where a kind of
 * figure does not show them. */
struct chart_grid {
    size_t panels, rows, columns;
    const char **panel, **row, **column;
    const char *row_name, *column_name; /* titles of axes; NULL: none */
    struct cell *cell; /* (panel * rows + row) * columns + column */
    /* of bars: labels in two levels, each group of so many columns; 0: none */
    size_t per_group;
    const char **group; /* columns / per_group of them */
    const char *group_name;
};

/* All cells are zero, all names NULL. */
struct chart_grid
chart_grid_create (size_t panels, size_t rows, size_t columns);

/* A figure's head. */
struct chart {
    const char *title; /* of the drawing, for readers who do not see it */
    const char *text;
    const char *metric;  /* data-m */
    const char *measure; /* title of the value axis, without the unit */
    const char *unit;    /* of the values; "" counts */
    int log;
    int classes; /* series are classes of activity: the name has the colour */
    int thin; /* columns are a continuous axis: not all of them need a label */
    int file; /* a file of its own, no part of a page */
    double least, most; /* of the value axis of bars, when several drawings
                           share it; 0 and 0: by the values */
};

/* Bars side by side, one colour a row of the grid; stacked ones add up. */
void chart_bars (FILE *out, const struct chart *c, const struct chart_grid *g);
void chart_stack (FILE *out, const struct chart *c, const struct chart_grid *g);

/* A map a panel, side by side (wrapped), one colour scale for all of them. */
void chart_heat (FILE *out, const struct chart *c, const struct chart_grid *g);

/* Lines over one axis, one a row, panels side by side with the same value
 * axis; without row_name there is no legend. The columns stand at equal
 * distances. */
void chart_lines (FILE *out, const struct chart *c, const struct chart_grid *g);

/* Ratios with their intervals, one a row, on a logarithmic axis with a line at
 * 1; cells that are n/a say why. */
void chart_forest (FILE *out,
                   const struct chart *c,
                   const struct chart_grid *g);

/* Horizontal bars, one a row, made of columns that add up; NaN counts as 0.
 * c->most: the value at the right end; 0: the longest row. */
enum { ROWBARS_PARTS_MAX = 8 };
void chart_rows (FILE *out, const struct chart *c, const struct chart_grid *g);
double chart_rows_longest (const struct chart_grid *g);

/* --- figures whose axis is the time of a job ------------------------------ */

/* A row's lane: how much of each bin it was busy, 0…1. */
struct lane {
    const float *busy; /* bins of them; NULL: nothing, not drawn */
    double seconds;    /* in all, for the tooltip */
};

enum { TIMELINE_LANES_MAX = 16 };

/* Rows of lanes over time, c->most seconds at least; the height of a mark is
 * the share of its bin. lane[row * lanes + i]; names and colours go by i. */
struct timeline {
    double seconds;
    size_t bins, rows, lanes;
    const char *const *row, *const *lane_name;
    const struct lane *lane;
};
void chart_timeline (FILE *out,
                     const struct chart *c,
                     const struct timeline *t);

/* Step lines of values in bins, value[line][bin]; NaN where there is none. */
struct rates {
    double seconds;
    size_t bins, count;
    const char *const *name;
    double *const *value;
};
void chart_rates (FILE *out, const struct chart *c, const struct rates *r);

/* Dots at (x, y); group picks the colour, names are those of the groups. */
struct dot {
    double x, y;
    size_t group;
};
struct dots {
    double seconds;
    const struct dot *dot;
    size_t count, groups;
    const char *const *name;
};
void chart_dots (FILE *out, const struct chart *c, const struct dots *d);

/* --- pieces that figures share ---------------------------------------- */

/* The begin of a drawing, as part of a page or as a file. */
void chart_begin (FILE *out,
                  const struct chart *c,
                  double width,
                  double height);

/* "c c3" … of a series; colours wrap around. prefix 'c' fills, 'l' strokes. */
const char *
chart_class (const struct chart *c, char prefix, const char *name, size_t i);

/* Draw names and their colours from x to right, in lines from the top down;
 * names that are NULL are left out. out NULL: only measure. Return the y
 * below. */
enum { LEGEND_TOP = 8 };
double chart_legend (FILE *out,
                     const struct chart *c,
                     double x,
                     double right,
                     const char *const *name,
                     size_t count);

/* A text that is at most width pixels wide. */
void chart_label (
    FILE *out, double x, double y, int anchor, const char *text, double width);

/* A range from lo to hi, as a line with two ends. */
void chart_whisker (FILE *out, double x, double lo, double hi, double half);

/* Value axis at the left of x0…x1 with grid lines; ticks unless u is NULL. */
void chart_value_axis (FILE *out,
                       const struct scale *y,
                       double x0,
                       double x1,
                       const struct shown_unit *u,
                       const char *measure);
/* Titles as "read time, ms, log scale". */
const char *chart_axis_title (const char *measure, const char *unit, int log);

/* Depth that the labels of columns need below, and the labels. step: pixels
 * from one column to the next. */
double chart_columns_depth (const struct chart *c,
                            const struct chart_grid *g,
                            double step);
void chart_columns (FILE *out,
                    const struct chart *c,
                    const struct chart_grid *g,
                    const struct scale *x,
                    double y);

/* A time or number axis below x0…x1. */
void chart_bottom_axis (FILE *out,
                        const struct scale *x,
                        double y,
                        const char *name,
                        const char *unit);

/* Widest of labels, in pixels, but at most `most`. */
double chart_widest (const char *const *label, size_t n, double most);

/* Data and tooltip of a cell; series may be NULL. */
struct svg_data
chart_data (const struct chart *c, const struct cell *cell, const char *series);
