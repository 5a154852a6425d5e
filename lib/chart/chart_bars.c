/* SPDX-License-Identifier: MIT
 *
 * chart_bars.c - bars side by side, stacked, or in rows
 *
 * In:  categories and series of cells
 * Out: SVG, to a stream
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "lib/chart/chart.h"
#include "lib/chart/svg.h"

enum { LEFT = 64, PLOT = 250, TOP = 34, GROUP_GAP_PC = 22 };

struct frame {
    struct scale x, y;
    struct shown_unit unit;
    double height;
};

static void bars_extent (
    const struct series *s, size_t count, size_t n, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++) {
            const struct cell *c = &s[i].cell[k];

            if (c->v > 0 && c->v < *lo)
                *lo = c->v;
            if (c->v > *hi)
                *hi = c->v;
            if (c->hi > *hi)
                *hi = c->hi;
        }
    if (!isfinite (*hi))
        *lo = *hi = 0;
}

/* Legend, axes and labels; f says where the bars go. */
static void bars_begin (FILE *out,
                        struct frame *f,
                        const struct chart *c,
                        const struct categories *cats,
                        const struct series *series,
                        size_t count,
                        double lo,
                        double hi)
{
    const char **name = calloc (count + 1, sizeof (*name));
    double right = CHART_WIDTH - 8, top = TOP, step;

    for (size_t i = 0; name && i < count; i++)
        name[i] = series[i].name;
    if (name && count > 1)
        top = chart_legend (out, LEFT, right, 8, name, count, 0) + TOP - 14;
    f->unit = unit_for (c->unit, hi);
    f->y = c->log ? scale_log (lo * f->unit.factor, hi * f->unit.factor,
                               top + PLOT, top)
                  : scale_linear (0, hi * f->unit.factor, top + PLOT, top);
    f->x = scale_band (cats->n, GROUP_GAP_PC / 100.0, LEFT, right);
    step = (right - LEFT) / (cats->n ? (double)cats->n : 1);
    f->height = top + PLOT + chart_categories_depth (cats, step) + 8;
    svg_begin (out, CHART_WIDTH, f->height, c->title, c->text);
    if (name && count > 1)
        chart_legend (out, LEFT, right, 8, name, count, 1);
    free (name);
    chart_value_axis (out, &f->y, LEFT, right, &f->unit, c->measure);
    chart_categories (out, cats, &f->x, top + PLOT);
}

static void bars_put_na (FILE *out,
                         double x,
                         double w,
                         double y,
                         const struct svg_data *d,
                         const char *words)
{
    double half = fmin (w, 18) / 2;

    svg_rect (out, x + w / 2 - half, y - 5, 2 * half, 5, "na", d);
    if (w >= SVG_FONT * 1.2)
        svg_text_upright (out, x + w / 2, y - 8, SVG_START, "dim", words);
}

static void bars_bar (FILE *out,
                      const struct frame *f,
                      const struct chart *c,
                      const struct cell *cell,
                      const char *series,
                      const char *class,
                      double x,
                      double w)
{
    char tip[400];
    struct svg_data d = {
        c->metric, cell->id, cell->text ? cell->text : "",
        chart_tip (tip, sizeof (tip), cell, series, c->measure, c->unit)};
    double base = f->y.r0, v = cell->v * f->unit.factor;
    double y = scale_at (&f->y, v);

    if (cell->absent)
        return;
    if (isnan (cell->v)) {
        bars_put_na (out, x, w, base, &d, "n/a");
        return;
    }
    if (c->log && cell->v <= 0) {
        bars_put_na (out, x, w, base, &d, "0");
        return;
    }
    svg_rect (out, x, y, w, base - y, class, &d);
    if (cell->hi > cell->lo) {
        double mid = x + w / 2;
        double lo = scale_at (&f->y, cell->lo * f->unit.factor);
        double hi = scale_at (&f->y, cell->hi * f->unit.factor);

        svg_line (out, mid, lo, mid, hi, "whisker");
        svg_line (out, mid - 3, lo, mid + 3, lo, "whisker");
        svg_line (out, mid - 3, hi, mid + 3, hi, "whisker");
    }
}

void chart_bars (FILE *out,
                 const struct chart *c,
                 const struct categories *cats,
                 const struct series *series,
                 size_t count)
{
    struct frame f;
    double lo, hi, w;
    char class[24];

    if (c->most > 0) {
        lo = c->least;
        hi = c->most;
    } else {
        bars_extent (series, count, cats->n, &lo, &hi);
    }
    bars_begin (out, &f, c, cats, series, count, lo, hi);
    w = scale_band_width (&f.x) / (count ? (double)count : 1);
    for (size_t k = 0; k < cats->n; k++)
        for (size_t i = 0; i < count; i++)
            bars_bar (out, &f, c, &series[i].cell[k],
                      count > 1 ? series[i].name : NULL,
                      chart_class ('c', i, class),
                      scale_band_start (&f.x, k) + (double)i * w,
                      fmax (w - (w > 6), 0.5));
    svg_end (out);
}

void chart_stack (FILE *out,
                  const struct chart *c,
                  const struct categories *cats,
                  const struct series *series,
                  size_t count)
{
    struct frame f;
    double hi = 0;
    char class[24], tip[400];

    for (size_t k = 0; k < cats->n; k++) {
        double sum = 0;

        for (size_t i = 0; i < count; i++)
            if (series[i].cell[k].v > 0)
                sum += series[i].cell[k].v;
        hi = sum > hi ? sum : hi;
    }
    hi = c->most > 0 ? c->most : hi;
    bars_begin (out, &f, c, cats, series, count, 0, hi);
    for (size_t k = 0; k < cats->n; k++) {
        double sum = 0, x = scale_band_start (&f.x, k);
        int some = 0;

        for (size_t i = 0; i < count; i++) {
            const struct cell *cell = &series[i].cell[k];
            double y0 = scale_at (&f.y, sum * f.unit.factor), y1;
            struct svg_data d = {c->metric, cell->id, cell->text,
                                 chart_tip (tip, sizeof (tip), cell,
                                            series[i].name, c->measure,
                                            c->unit)};

            if (isnan (cell->v))
                continue;
            some = 1;
            sum += cell->v;
            y1 = scale_at (&f.y, sum * f.unit.factor);
            if (cell->v > 0)
                svg_rect (out, x, y1, scale_band_width (&f.x), y0 - y1,
                          chart_class ('c', i, class), &d);
        }
        if (!some && count && !series[0].cell[k].absent) {
            struct svg_data d = {c->metric, series[0].cell[k].id, "",
                                 series[0].cell[k].why};

            bars_put_na (out, x, scale_band_width (&f.x), f.y.r0, &d, "n/a");
        }
    }
    svg_end (out);
}

/* --- rows ------------------------------------------------------------- */

enum { ROW = 22, ROWS_LABEL_MAX = 230 };

void chart_rows (FILE *out,
                 const struct chart *c,
                 size_t rows,
                 const char *const *row,
                 const struct series *part,
                 size_t parts,
                 double full)
{
    double label = fmin (chart_widest (row, rows), ROWS_LABEL_MAX) + 12;
    double right = CHART_WIDTH - 70, top = 8, end;
    const char **name = calloc (parts + 1, sizeof (*name));
    struct shown_unit u = unit_for (c->unit, full);
    struct scale x = scale_exact (0, full * u.factor, label, right);
    char class[24], tip[400], buf[256];

    for (size_t i = 0; name && i < parts * rows; i++) /* those that occur */
        if (part[i % parts].cell[i / parts].v > 0)
            name[i % parts] = part[i % parts].name;
    if (name && parts > 1)
        top = chart_legend (out, label, right, 8, name, parts, 0);
    end = top + (double)rows * ROW;
    svg_begin (out, CHART_WIDTH, end + 40, c->title, c->text);
    if (name && parts > 1)
        chart_legend (out, label, right, 8, name, parts, 1);
    free (name);
    for (size_t k = 0; k < rows; k++) {
        double sum = 0, y = top + (double)k * ROW;

        text_fit (buf, sizeof (buf), row[k], ROWS_LABEL_MAX, SVG_FONT);
        svg_text (out, label - 8, y + ROW / 2.0, SVG_END, NULL, buf);
        svg_rect (out, label, y + 3, right - label, ROW - 6, "frame", NULL);
        for (size_t i = 0; i < parts; i++) {
            const struct cell *cell = &part[i].cell[k];
            double x0 = scale_at (&x, sum * u.factor), x1;
            struct svg_data d = {c->metric, row[k], cell->text,
                                 chart_tip (tip, sizeof (tip), cell,
                                            part[i].name, c->measure, c->unit)};

            if (!(cell->v > 0))
                continue;
            sum += cell->v;
            x1 = scale_at (&x, sum * u.factor);
            svg_rect (out, x0, y + 3, fmax (x1 - x0, 0.5), ROW - 6,
                      chart_class ('c', i, class), &d);
        }
        svg_text (out, right + 6, y + ROW / 2.0, SVG_START, "dim",
                  value_words (buf, sum, c->unit));
    }
    chart_bottom_axis (out, &x, end + 2, c->measure, u.name);
    svg_end (out);
}
