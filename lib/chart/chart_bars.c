/* SPDX-License-Identifier: MIT
 *
 * chart_bars.c - bars side by side, stacked, or in rows
 *
 * In:  categories and series of cells
 * Out: SVG, to a stream
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/svg.h"
#include "lib/util/xalloc.h"

enum { LEFT = 64, PLOT = 250, TOP = 34, GROUP_GAP_PC = 22 };

struct frame {
    const struct chart *c;
    const struct categories *cats;
    const struct series *series;
    size_t count; /* of series */
    double lo, hi;
    struct scale x, y;
    struct shown_unit unit;
    double height, width; /* of the figure; of a bar */
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
static void bars_begin (FILE *out, struct frame *f)
{
    const struct chart *c = f->c;
    const struct categories *cats = f->cats;
    const char **name = ZEROED (name, f->count + 1);
    double right = CHART_WIDTH - 8, top = TOP, step;
    struct legend legend = {f->c, LEFT, right, 8, name, f->count};

    for (size_t i = 0; i < f->count; i++)
        name[i] = f->series[i].name;
    if (f->count > 1)
        top = chart_legend (NULL, &legend) + TOP - 14;
    f->unit = unit_for (c->unit, f->hi);
    f->y = c->log ? scale_log (f->lo * f->unit.factor, f->hi * f->unit.factor,
                               top + PLOT, top)
                  : scale_linear (0, f->hi * f->unit.factor, top + PLOT, top);
    f->x = scale_band (cats->n, GROUP_GAP_PC / 100.0, LEFT, right);
    step = (right - LEFT) / (cats->n ? (double)cats->n : 1);
    f->height = top + PLOT + chart_categories_depth (cats, step) + 8;
    svg_begin (out, CHART_WIDTH, f->height, c->title, c->text);
    if (f->count > 1)
        chart_legend (out, &legend);
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

    svg_rect (out, (struct svg_box){x + w / 2 - half, y - 5, 2 * half, 5}, "na",
              d);
    if (w >= SVG_FONT * 1.2)
        svg_text_upright (out, x + w / 2, y - 8, SVG_START, "dim", words);
}

static void bars_bar (FILE *out,
                      const struct frame *f,
                      const struct cell *cell,
                      const char *series,
                      const char *class,
                      double x)
{
    const struct chart *c = f->c;
    double w = f->width;
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
    svg_rect (out, (struct svg_box){x, y, w, base - y}, class, &d);
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
    struct frame f = {.c = c,
                      .cats = cats,
                      .series = series,
                      .count = count,
                      .lo = c->least,
                      .hi = c->most};
    char class[24];
    double w;

    if (!(c->most > 0))
        bars_extent (series, count, cats->n, &f.lo, &f.hi);
    bars_begin (out, &f);
    w = scale_band_width (&f.x) / (count ? (double)count : 1);
    f.width = fmax (w - (w > 6), 0.5);
    for (size_t k = 0; k < cats->n; k++)
        for (size_t i = 0; i < count; i++)
            bars_bar (out, &f, &series[i].cell[k],
                      count > 1 ? series[i].name : NULL,
                      chart_class (c, 'c', series[i].name, i, class),
                      scale_band_start (&f.x, k) + (double)i * w);
    svg_end (out);
}

void chart_stack (FILE *out,
                  const struct chart *c,
                  const struct categories *cats,
                  const struct series *series,
                  size_t count)
{
    struct frame f = {.c = c, .cats = cats, .series = series, .count = count};
    double hi = 0;
    char class[24], tip[400];

    for (size_t k = 0; k < cats->n; k++) {
        double sum = 0;

        for (size_t i = 0; i < count; i++)
            if (series[i].cell[k].v > 0)
                sum += series[i].cell[k].v;
        hi = MAX (sum, hi);
    }
    f.hi = c->most > 0 ? c->most : hi;
    bars_begin (out, &f);
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
                svg_rect (
                    out,
                    (struct svg_box){x, y1, scale_band_width (&f.x), y0 - y1},
                    chart_class (c, 'c', series[i].name, i, class), &d);
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

/* Horizontal bars, one a row, made of parts that add up; c->most is the value
 * at the right end. */
static void chart_rows (FILE *out,
                        const struct chart *c,
                        size_t rows,
                        const char *const *row,
                        const struct series *part,
                        size_t parts)
{
    double label = fmin (chart_widest (row, rows), ROWS_LABEL_MAX) + 12;
    double right = CHART_WIDTH - 70, top = 8, end;
    const char **name = ZEROED (name, parts + 1);
    struct shown_unit u = unit_for (c->unit, c->most);
    struct scale x = scale_exact (0, c->most * u.factor, label, right);
    struct legend legend = {c, label, right, 8, name, parts};
    char class[24], tip[400], buf[256];

    for (size_t i = 0; i < parts * rows; i++) /* those that occur */
        if (part[i % parts].cell[i / parts].v > 0)
            name[i % parts] = part[i % parts].name;
    if (parts > 1)
        top = chart_legend (NULL, &legend);
    end = top + (double)rows * ROW;
    svg_begin (out, CHART_WIDTH, end + 40, c->title, c->text);
    if (parts > 1)
        chart_legend (out, &legend);
    free (name);
    for (size_t k = 0; k < rows; k++) {
        double sum = 0, y = top + (double)k * ROW;

        text_fit (buf, sizeof (buf), row[k], ROWS_LABEL_MAX, SVG_FONT);
        svg_text (out, label - 8, y + ROW / 2.0, SVG_END, NULL, buf);
        svg_rect (out, (struct svg_box){label, y + 3, right - label, ROW - 6},
                  "frame", NULL);
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
            svg_rect (out,
                      (struct svg_box){x0, y + 3, fmax (x1 - x0, 0.5), ROW - 6},
                      chart_class (c, 'c', part[i].name, i, class), &d);
        }
        svg_text (out, right + 6, y + ROW / 2.0, SVG_START, "dim",
                  value_words (buf, sum, c->unit));
    }
    chart_bottom_axis (out, &x, end + 2, c->measure, u.name);
    svg_end (out);
}

/* ---- rows of bars, put together value by value ---- */

struct rowbars {
    size_t parts, rows, room;
    const char *const *part;
    char **name;                        /* owned, each too */
    double (*value)[ROWBARS_PARTS_MAX]; /* by row; owned */
};

struct rowbars *rowbars_create (size_t parts, const char *const *part)
{
    struct rowbars *b = ZEROED (b, 1);

    b->parts = MIN (parts, ROWBARS_PARTS_MAX);
    b->part = part;
    return b;
}

void rowbars_destroy (struct rowbars *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->rows; i++)
        free (b->name[i]);
    free (b->name);
    free (b->value);
    free (b);
}

void rowbars_row (struct rowbars *b, const char *name)
{
    size_t room = b->room;

    GROW (b->name, room, b->rows + 1);
    GROW (b->value, b->room, b->rows + 1);
    b->name[b->rows] = xstrdup (name);
    memset (b->value[b->rows++], 0, sizeof (*b->value));
}

void rowbars_value (struct rowbars *b, size_t part, double value)
{
    if (b->rows && part < b->parts)
        b->value[b->rows - 1][part] = isnan (value) ? 0 : value;
}

double rowbars_longest (const struct rowbars *b)
{
    double most = 0;

    for (size_t r = 0; r < b->rows; r++) {
        double sum = 0;

        for (size_t i = 0; i < b->parts; i++)
            sum += b->value[r][i];
        most = fmax (most, sum);
    }
    return most;
}

void rowbars_draw (FILE *out,
                   const struct chart *c,
                   const struct rowbars *b,
                   double full)
{
    struct cell *cell = ZEROED (cell, b->parts * b->rows);
    char (*text)[24] = ZEROED (text, b->parts * b->rows);
    struct series series[ROWBARS_PARTS_MAX];
    double longest = rowbars_longest (b);
    struct chart with = *c;

    with.most = full > 0 ? full : longest > 0 ? longest : 1;
    for (size_t i = 0; i < b->parts; i++) {
        series[i] = (struct series){b->part[i], cell + i * b->rows};
        for (size_t r = 0; r < b->rows; r++) {
            size_t at = i * b->rows + r;

            FORMAT (text[at], "%.9g", b->value[r][i]);
            cell[at] = (struct cell){.v = b->value[r][i],
                                     .lo = NAN,
                                     .hi = NAN,
                                     .text = text[at],
                                     .name = b->name[r]};
        }
    }
    chart_rows (out, &with, b->rows, (const char *const *)b->name, series,
                b->parts);
    free (cell);
    free (text);
}

/* ---- ratios with their intervals, one a row ---- */

enum { FOREST_ROW = 22, FOREST_LABEL_MAX = 460, FOREST_WORDS = 170 };

/* The axis has a little room around all intervals, and always 1. */
static struct scale
forest_scale (const struct cell *cell, size_t rows, double left, double right)
{
    double lo = 1, hi = 1;

    for (size_t i = 0; i < rows; i++) {
        if (!(cell[i].v > 0))
            continue;
        lo = fmin (lo, cell[i].lo > 0 ? cell[i].lo : cell[i].v);
        hi = fmax (hi, isfinite (cell[i].hi) ? cell[i].hi : cell[i].v);
    }
    return scale_log (lo / 1.05, hi * 1.05, left, right);
}

static void forest_row (FILE *out,
                        const struct chart *c,
                        const struct cell *cell,
                        const struct scale *x,
                        double y)
{
    char words[3][WORDS_MAX], label[4 * WORDS_MAX];
    struct svg_data d = {c->metric, cell->id, cell->text, label};

    if (!(cell->v > 0)) {
        svg_text (out, x->r0 + 10, y, SVG_START, "dim",
                  cell->why ? cell->why : "n/a");
        return;
    }
    FORMAT (label, "%s", number_words (words[0], cell->v));
    if (cell->hi > cell->lo) {
        svg_line (out, scale_at (x, cell->lo), y, scale_at (x, cell->hi), y,
                  "whisker");
        FORMAT (label, "%s [%s, %s]", words[0],
                number_words (words[1], cell->lo),
                number_words (words[2], cell->hi));
    }
    svg_circle (out, scale_at (x, cell->v), y, 4, "c0", &d);
    svg_text (out, x->r1 + 10, y, SVG_START, NULL, label);
}

void chart_forest (FILE *out,
                   const struct chart *c,
                   size_t rows,
                   const char *const *row,
                   const struct cell *cell)
{
    double label = fmin (chart_widest (row, rows), FOREST_LABEL_MAX) + 12;
    double end = 8 + (double)rows * FOREST_ROW;
    struct scale x =
        forest_scale (cell, rows, label, CHART_WIDTH - FOREST_WORDS);
    char buf[400];

    chart_begin (out, c, CHART_WIDTH, end + 42);
    svg_line (out, scale_at (&x, 1), 4, scale_at (&x, 1), end, "grid");
    for (size_t i = 0; i < rows; i++) {
        double y = 8 + (i + 0.5) * FOREST_ROW;

        text_fit (buf, sizeof (buf), row[i], FOREST_LABEL_MAX, SVG_FONT);
        svg_text (out, label - 8, y, SVG_END, NULL, buf);
        forest_row (out, c, &cell[i], &x, y);
    }
    chart_bottom_axis (out, &x, end + 2, c->measure, "");
    svg_end (out);
}
