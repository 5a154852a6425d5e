/* SPDX-License-Identifier: MIT
 *
 * chart_bars.c - bars side by side, stacked, or in rows; forests
 *
 * In:  a grid of one panel
 * Out: SVG, to a stream
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/util/xalloc.h"

enum { LEFT = 64, RIGHT = CHART_WIDTH - 8, PLOT = 250, TOP = 34, GAP_PC = 22 };

/* The area of a chart in which bars are drawn, and its scales. */
struct frame {
    const struct chart *c;
    struct scale x, y;
    struct shown_unit unit;
};

/* Draw legend, axes and labels, for values from lo to hi. */
static struct frame bars_begin (FILE *out,
                                const struct chart *c,
                                const struct chart_grid *g,
                                double lo,
                                double hi)
{
    struct frame f = {.c = c, .unit = unit_for (c->unit, hi)};
    double top = TOP, k = f.unit.factor;
    double step = (RIGHT - LEFT) / (g->columns ? (double)g->columns : 1);

    if (g->rows > 1)
        top = chart_legend (NULL, c, LEFT, RIGHT, g->row, g->rows) + TOP - 14;
    f.y = c->log ? scale_log (lo * k, hi * k, top + PLOT, top)
                 : scale_linear (0, hi * k, top + PLOT, top);
    f.x = scale_band (g->columns, GAP_PC / 100.0, LEFT, RIGHT);
    chart_begin (out, c, CHART_WIDTH,
                 top + PLOT + chart_columns_depth (c, g, step) + 8);
    if (g->rows > 1)
        chart_legend (out, c, LEFT, RIGHT, g->row, g->rows);
    chart_value_axis (out, &f.y, LEFT, RIGHT, &f.unit, c->measure);
    chart_columns (out, c, g, &f.x, top + PLOT);
    return f;
}

static void bars_put_na (FILE *out,
                         double x,
                         double w,
                         double y,
                         const struct svg_data *d,
                         const char *words)
{
    double half = fmin (w, 18) / 2;

    svg_rect (out, (struct svg_box){x + w / 2 - half, y - 5, 2 * half, 5}, "na",
              d);
    if (w >= SVG_FONT * 1.2)
        svg_text (out, x + w / 2, y - 8, SVG_START + SVG_UPRIGHT, "dim", words);
}

/* Draw a bar from x on, w wide. */
static void bars_bar (FILE *out,
                      const struct frame *f,
                      const struct cell *cell,
                      const struct svg_box *at,
                      const char *class,
                      const struct svg_data *d)
{
    double base = f->y.r0, k = f->unit.factor, y;

    if (isnan (cell->v) || (f->c->log && cell->v <= 0)) {
        bars_put_na (out, at->x, at->w, base, d, isnan (cell->v) ? "n/a" : "0");
        return;
    }
    y = scale_at (&f->y, cell->v * k);
    svg_rect (out, (struct svg_box){at->x, y, at->w, base - y}, class, d);
    if (cell->hi > cell->lo)
        chart_whisker (out, at->x + at->w / 2, scale_at (&f->y, cell->lo * k),
                       scale_at (&f->y, cell->hi * k), 3);
}

void chart_bars (FILE *out, const struct chart *c, const struct chart_grid *g)
{
    double lo = c->least, hi = c->most, w;
    struct frame f;

    if (!(c->most > 0)) {
        lo = INFINITY;
        hi = -INFINITY;
        for (size_t i = 0; i < g->rows * g->columns; i++) {
            const struct cell *cell = &g->cell[i];

            lo = cell->v > 0 ? fmin (lo, cell->v) : lo;
            hi = fmax (fmax (hi, cell->v), cell->hi); /* NaN is none */
        }
        if (!isfinite (hi))
            lo = hi = 0;
    }
    f = bars_begin (out, c, g, lo, hi);
    w = scale_band_width (&f.x) / (g->rows ? (double)g->rows : 1);
    for (size_t k = 0; k < g->columns; k++)
        for (size_t i = 0; i < g->rows; i++) {
            const struct cell *cell = &g->cell[i * g->columns + k];
            struct svg_box at = {scale_band_start (&f.x, k) + (double)i * w, 0,
                                 fmax (w - (w > 6), 0.5), 0};
            struct svg_data d;

            if (cell->absent)
                continue;
            d = chart_data (c, cell, g->rows > 1 ? g->row[i] : NULL);
            bars_bar (out, &f, cell, &at, chart_class (c, 'c', g->row[i], i),
                      &d);
        }
    svg_end (out);
}

/* The longest sum of cells above zero: of columns, or of rows. */
static double bars_longest (const struct chart_grid *g, int of_rows)
{
    size_t n = of_rows ? g->rows : g->columns, parts = g->rows + g->columns - n;
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t k = 0; k < parts; k++) {
            double v = g->cell[of_rows ? i * parts + k : k * n + i].v;

            sum += v > 0 ? v : 0;
        }
        most = fmax (most, sum);
    }
    return most;
}

void chart_stack (FILE *out, const struct chart *c, const struct chart_grid *g)
{
    struct frame f =
        bars_begin (out, c, g, 0, c->most > 0 ? c->most : bars_longest (g, 0));
    double w = scale_band_width (&f.x);

    for (size_t k = 0; k < g->columns; k++) {
        double sum = 0, x = scale_band_start (&f.x, k);
        const struct cell *cell = &g->cell[k];
        struct svg_data d = {c->metric, cell->id, "", cell->why};
        int some = 0;

        for (size_t i = 0; i < g->rows; i++) {
            double y0 = scale_at (&f.y, sum * f.unit.factor), y1;

            cell = &g->cell[i * g->columns + k];
            if (isnan (cell->v))
                continue;
            some = 1;
            sum += cell->v;
            y1 = scale_at (&f.y, sum * f.unit.factor);
            d = chart_data (c, cell, g->row[i]);
            d.value = cell->text;
            if (cell->v > 0)
                svg_rect (out, (struct svg_box){x, y1, w, y0 - y1},
                          chart_class (c, 'c', g->row[i], i), &d);
        }
        if (!some && g->rows && !g->cell[k].absent)
            bars_put_na (out, x, w, f.y.r0, &d, "n/a");
    }
    svg_end (out);
}

/* --- rows ------------------------------------------------------------- */

enum { ROW = 22, ROWS_LABEL_MAX = 230, ROWS_RIGHT = CHART_WIDTH - 70 };

double chart_rows_longest (const struct chart_grid *g)
{
    return bars_longest (g, 1);
}

/* Draw the parts of a bar, then their sum. */
static void rows_row (FILE *out,
                      const struct chart *c,
                      const struct chart_grid *g,
                      size_t row,
                      const struct scale *x,
                      double y)
{
    double sum = 0, factor = unit_for (c->unit, c->most).factor;

    chart_label (out, x->r0 - 8, y + ROW / 2.0, SVG_END, g->row[row],
                 ROWS_LABEL_MAX);
    svg_rect (out, (struct svg_box){x->r0, y + 3, ROWS_RIGHT - x->r0, ROW - 6},
              "frame", NULL);
    for (size_t i = 0; i < g->columns; i++) {
        const struct cell *cell = &g->cell[row * g->columns + i];
        double x0 = scale_at (x, sum * factor), x1;
        struct svg_data d;

        if (!(cell->v > 0))
            continue;
        sum += cell->v;
        x1 = scale_at (x, sum * factor);
        d = chart_data (c, cell, g->column[i]);
        d.point = g->row[row];
        svg_rect (out,
                  (struct svg_box){x0, y + 3, fmax (x1 - x0, 0.5), ROW - 6},
                  chart_class (c, 'c', g->column[i], i), &d);
    }
    svg_text (out, ROWS_RIGHT + 6, y + ROW / 2.0, SVG_START, "dim",
              value_shown (sum, c->unit));
}

void chart_rows (FILE *out,
                 const struct chart *chart,
                 const struct chart_grid *g)
{
    double label = chart_widest (g->row, g->rows, ROWS_LABEL_MAX) + 12;
    double top = LEGEND_TOP, end, longest = chart_rows_longest (g);
    const char *name[ROWBARS_PARTS_MAX] = {NULL};
    struct chart c = *chart;
    struct shown_unit u;
    struct scale x;

    if (!(c.most > 0))
        c.most = longest > 0 ? longest : 1;
    u = unit_for (c.unit, c.most);
    x = scale_exact (0, c.most * u.factor, label, ROWS_RIGHT);
    for (size_t i = 0; i < g->columns * g->rows; i++) /* those that occur */
        if (g->cell[i].v > 0)
            name[i % g->columns] = g->column[i % g->columns];
    if (g->columns > 1)
        top = chart_legend (NULL, &c, label, ROWS_RIGHT, name, g->columns);
    end = top + (double)g->rows * ROW;
    chart_begin (out, &c, CHART_WIDTH, end + 40);
    if (g->columns > 1)
        chart_legend (out, &c, label, ROWS_RIGHT, name, g->columns);
    for (size_t k = 0; k < g->rows; k++)
        rows_row (out, &c, g, k, &x, top + (double)k * ROW);
    chart_bottom_axis (out, &x, end + 2, c.measure, u.name);
    svg_end (out);
}

/* ---- ratios with their intervals, one a row ---- */

enum { FOREST_ROW = 22, FOREST_LABEL_MAX = 460, FOREST_WORDS = 170 };

/* The axis has a little room around all intervals, and always 1. */
static struct scale forest_scale (const struct chart_grid *g, double left)
{
    double lo = 1, hi = 1;

    for (size_t i = 0; i < g->rows; i++) {
        const struct cell *cell = &g->cell[i];

        if (!(cell->v > 0))
            continue;
        lo = fmin (lo, cell->lo > 0 ? cell->lo : cell->v);
        hi = fmax (hi, isfinite (cell->hi) ? cell->hi : cell->v);
    }
    return scale_log (lo / 1.05, hi * 1.05, left, CHART_WIDTH - FOREST_WORDS);
}

static void forest_row (FILE *out,
                        const struct chart *c,
                        const struct cell *cell,
                        const struct scale *x,
                        double y)
{
    const char *label = number_shown (cell->v);

    if (!(cell->v > 0)) {
        svg_text (out, x->r0 + 10, y, SVG_START, "dim",
                  cell->why ? cell->why : "n/a");
        return;
    }
    if (cell->hi > cell->lo) {
        svg_line (out, scale_at (x, cell->lo), y, scale_at (x, cell->hi), y,
                  "whisker");
        label = arena_format ("%s [%s, %s]", label, number_shown (cell->lo),
                              number_shown (cell->hi));
    }
    svg_circle (out, scale_at (x, cell->v), y, 4, "c0",
                &(struct svg_data){c->metric, cell->id, cell->text, label});
    svg_text (out, x->r1 + 10, y, SVG_START, NULL, label);
}

void chart_forest (FILE *out, const struct chart *c, const struct chart_grid *g)
{
    double label = chart_widest (g->row, g->rows, FOREST_LABEL_MAX) + 12;
    double end = 8 + (double)g->rows * FOREST_ROW;
    struct scale x = forest_scale (g, label);

    chart_begin (out, c, CHART_WIDTH, end + 42);
    svg_line (out, scale_at (&x, 1), 4, scale_at (&x, 1), end, "grid");
    for (size_t i = 0; i < g->rows; i++) {
        double y = 8 + (i + 0.5) * FOREST_ROW;

        chart_label (out, label - 8, y, SVG_END, g->row[i], FOREST_LABEL_MAX);
        forest_row (out, c, &g->cell[i], &x, y);
    }
    chart_bottom_axis (out, &x, end + 2, c->measure, "");
    svg_end (out);
}
