/* SPDX-License-Identifier: MIT
 *
 * chart.h - kinds of figures: series of values -> a drawing
 *
 * Values that are NaN are drawn as "n/a", never as 0; their `why` is the
 * tooltip. Everything is measured before it is drawn, so that no label
 * touches another one with 2 categories or with 60.
 */
#pragma once

#include <stdio.h>

#include "lib/chart/scale.h"

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

/* Categories below an axis in two levels: n inner labels, and above them
 * groups of per_group (0: no groups). */
struct categories {
    size_t n, per_group;
    const char *const *label;
    const char *const *group;            /* n / per_group of them */
    const char *inner_name, *group_name; /* axis titles; may be NULL */
    int thin;                            /* as of struct chart */
};

struct series {
    const char *name;
    struct cell *cell; /* as many as categories, or points of a line */
};

/* A figure's head. */
struct chart {
    const char *title; /* of the drawing, for readers who do not see it */
    const char *text;
    const char *metric;  /* data-m */
    const char *measure; /* title of the value axis, without the unit */
    const char *unit;    /* of the values; "" counts */
    int log;
    int classes; /* series are classes of activity: the name has the colour */
    int thin;    /* columns of a heat map are a continuous axis: not all of them
                    need a label */
    int file;    /* a file of its own, no part of a page: lines, forests */
    double least, most; /* of the value axis of bars, when several drawings
                           share it; 0 and 0: by the values */
};

/* Bars side by side, one colour a series; stacked ones add up. */
void chart_bars (FILE *out,
                 const struct chart *c,
                 const struct categories *cats,
                 const struct series *series,
                 size_t count);
void chart_stack (FILE *out,
                  const struct chart *c,
                  const struct categories *cats,
                  const struct series *series,
                  size_t count);

/* rows x columns cells a panel, panels side by side (wrapped), one colour
 * scale for all of them. */
struct heat {
    const char *name;  /* of the panel */
    struct cell *cell; /* row * columns + column */
};
struct heat_map {
    size_t rows, columns, panels;
    const char *const *row, *const *column; /* labels */
    const char *row_name, *column_name;     /* titles; may be NULL */
    const struct heat *panel;
};
void chart_heat (FILE *out, const struct chart *c, const struct heat_map *m);

/* Lines over one axis, panels side by side with the same value axis. The values
 * of x stand at equal distances. */
struct lines {
    const char *name;
    struct series *series; /* cells at each x */
};
struct line_panels {
    size_t n; /* values of x */
    const char *const *x;
    const char *x_name;
    const struct lines *panel;
    size_t panels, series;
    const char *series_name; /* NULL: no legend */
};
void chart_lines (FILE *out,
                  const struct chart *c,
                  const struct line_panels *l);

/* Ratios with their intervals, one a row, on a logarithmic axis with a line at
 * 1; cells that are n/a say why. */
void chart_forest (FILE *out,
                   const struct chart *c,
                   size_t rows,
                   const char *const *row,
                   const struct cell *cell);

/* --- bars in rows, put together value by value -----------------------------
 */

enum { ROWBARS_PARTS_MAX = 8 };

struct rowbars;

/* Bars of so many parts, whose names stay the caller's. */
struct rowbars *rowbars_create (size_t parts, const char *const *part);
void rowbars_destroy (struct rowbars *b); /* NULL is fine */

/* Begin a row; name is copied. */
void rowbars_row (struct rowbars *b, const char *name);
/* The value of a part in the last row; NaN counts as 0. */
void rowbars_value (struct rowbars *b, size_t part, double value);

double rowbars_longest (const struct rowbars *b);

/* Draw them. full: the value at the right end, 0: the longest row. */
void rowbars_draw (FILE *out,
                   const struct chart *c,
                   const struct rowbars *b,
                   double full);

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
const char *chart_class (const struct chart *c,
                         char prefix,
                         const char *name,
                         size_t i,
                         char buf[24]);

/* Names and their colours from x to right, in lines from y down; names that are
 * NULL are left out. */
struct legend {
    const struct chart *chart;
    double x, right, y;
    const char *const *name;
    size_t count;
};
/* Draw a legend (out NULL: only measure it). Return the y below. */
double chart_legend (FILE *out, const struct legend *l);

/* Value axis at the left of x0…x1 with grid lines and ticks. */
void chart_value_axis (FILE *out,
                       const struct scale *y,
                       double x0,
                       double x1,
                       const struct shown_unit *u,
                       const char *measure);
/* Titles as "read time, ms, log scale". */
char *chart_axis_title (
    char *buf, size_t room, const char *measure, const char *unit, int log);

/* Depth that the labels of cats need below, and the labels. step: pixels
 * from one category to the next. */
double chart_categories_depth (const struct categories *cats, double step);
void chart_categories (FILE *out,
                       const struct categories *cats,
                       const struct scale *x,
                       double y);

/* A time or number axis below x0…x1. */
void chart_bottom_axis (FILE *out,
                        const struct scale *x,
                        double y,
                        const char *name,
                        const char *unit);

/* Class of heat at t in 0…1: 0 … STYLE_HEAT - 1. */
int chart_heat_level (double t);

/* Widest of labels, in pixels. */
double chart_widest (const char *const *label, size_t n);

/* Tooltip of a cell. */
char *chart_tip (char *buf,
                 size_t room,
                 const struct cell *cell,
                 const char *series,
                 const char *measure,
                 const char *unit);
