/* SPDX-License-Identifier: MIT
 *
 * figure.c - means and intervals of a sweep -> drawings of lib/chart
 *
 * In:  results of a sweep
 * Out: SVG files: lines over an axis, ratios in rows
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/chart/chart.h"
#include "sweep/results/cells.h"
#include "sweep/results/compare.h"
#include "sweep/results/figure.h"

/* Half of an interval; 0 where it is not known. */
static double half_of (const struct statistics *s)
{
    double half = statistics_half (s);

    return isfinite (half) ? half : 0;
}

/* -- a metric over an axis --------------------------------------------- */

struct drawing {
    const struct resultset *results;
    struct arena *arena;
    int axis[2];                /* x, by */
    struct cells x, by, both;   /* by: one cell when there is no such axis */
    const struct statistics *s; /* per cell of both */
};

static const char *drawing_value (const struct drawing *p,
                                  const struct cells *c,
                                  size_t cell,
                                  int axis)
{
    return value_text (
        p->arena, &p->results->sweep->grid->point[c->first[cell]].column[axis]);
}

/* Make the line of one value of `by` over the values of x; points without runs
 * are absent. */
static void drawing_series (const struct drawing *p,
                            size_t by,
                            const char *const *label,
                            struct series *series)
{
    struct cell *cell = arena_array (p->arena, p->x.count + 1, sizeof (*cell));

    series->name =
        p->axis[1] < 0 ? NULL : drawing_value (p, &p->by, by, p->axis[1]);
    series->cell = cell;
    for (size_t i = 0; i < p->x.count; i++)
        cell[i] = (struct cell){
            .v = NAN, .lo = NAN, .hi = NAN, .name = label[i], .absent = 1};
    for (size_t i = 0; i < p->both.count; i++) {
        const struct statistics *s = &p->s[i];
        int point = p->both.first[i];

        if ((size_t)p->by.of[point] != by || !s->n)
            continue;
        cell[p->x.of[point]] =
            (struct cell){.v = s->mean,
                          .lo = s->mean - half_of (s),
                          .hi = s->mean + half_of (s),
                          .text = arena_format (p->arena, "%.9g", s->mean),
                          .name = label[p->x.of[point]]};
    }
}

static void
drawing_put (FILE *out, const struct drawing *p, const struct chart *c)
{
    const char **label =
        arena_array (p->arena, p->x.count + 1, sizeof (*label));
    struct series *series =
        arena_array (p->arena, p->by.count + 1, sizeof (*series));
    struct lines panel = {NULL, series};
    const char *const *column = p->results->sweep->spec->column;

    for (size_t i = 0; i < p->x.count; i++)
        label[i] = drawing_value (p, &p->x, i, p->axis[0]);
    for (size_t i = 0; i < p->by.count; i++)
        drawing_series (p, i, label, &series[i]);
    chart_lines (
        out, c,
        &(struct line_panels){.n = p->x.count,
                              .x = label,
                              .x_name = column[p->axis[0]],
                              .panel = &panel,
                              .panels = 1,
                              .series = p->by.count,
                              .series_name =
                                  p->axis[1] < 0 ? NULL : column[p->axis[1]]});
}

void figure_plot (
    FILE *out, const struct resultset *r, int metric, int x, int by)
{
    struct drawing p = {.results = r,
                        .arena = r->sweep->arena,
                        .axis = {x, by},
                        .x = cells_make (r, &x, 1),
                        .by = cells_make (r, &by, by >= 0)};
    size_t axes = r->sweep->spec->axes;
    struct chart c = {
        .title = arena_format (
            p.arena, "%s: %s: means%s with 95 %% intervals",
            r->sweep->spec->name, r->metric[metric].name,
            axes > (by >= 0 ? 2u : 1u) ? " over the other axes" : ""),
        .text = "Means of runs with their intervals, over the values of an "
                "axis",
        .metric = r->metric[metric].name,
        .measure = r->metric[metric].name,
        .unit = r->metric[metric].unit,
        .file = 1};

    p.both = cells_make (r, p.axis, by >= 0 ? 2 : 1);
    p.s = cells_statistics (r, &p.both, metric);
    drawing_put (out, &p, &c);
}

/* -- ratios ------------------------------------------------------------ */

static const char *forest_label (const struct resultset *r,
                                 const struct compare *c,
                                 const struct comparison *x)
{
    struct arena *arena = r->sweep->arena;
    const struct sweepdir *d = r->sweep;
    const char *words = arena_format (
        arena, "%s %s / %s", d->spec->column[c->axis],
        value_text (arena, &c->right), value_text (arena, &c->left));

    for (size_t i = 0; i < d->spec->axes; i++)
        if ((int)i != c->axis)
            words = arena_format (
                arena, "%s, %s=%s", words, d->spec->column[i],
                value_text (arena, &d->grid->point[x->left_point].column[i]));
    return words;
}

/* Ratios are means of logarithms. */
static struct cell forest_cell (struct arena *arena, const struct comparison *x)
{
    double half = half_of (&x->ratio);

    if (!x->ratio.n)
        return (struct cell){.v = NAN, .why = "no pair is done"};
    return (struct cell){.v = exp (x->ratio.mean),
                         .lo = exp (x->ratio.mean - half),
                         .hi = exp (x->ratio.mean + half),
                         .text =
                             arena_format (arena, "%.9g", exp (x->ratio.mean))};
}

void figure_compare (FILE *out,
                     const struct resultset *r,
                     const struct compare *c,
                     size_t compares,
                     int metric)
{
    struct arena *arena = r->sweep->arena;
    struct comparison **x = arena_array (arena, compares + 1, sizeof (*x));
    size_t *n = arena_array (arena, compares + 1, sizeof (*n)), rows = 0;
    struct chart chart = {
        .title = arena_format (arena,
                               "%s: %s: ratios, paired by repeat, with 95 %% "
                               "intervals",
                               r->sweep->spec->name, r->metric[metric].name),
        .text = "Ratios of a metric between two values of an axis",
        .metric = r->metric[metric].name,
        .measure = "ratio (1: equal)",
        .file = 1};
    const char **label;
    struct cell *cell;

    for (size_t i = 0; i < compares; i++)
        rows += n[i] = compare_pairs (r, &c[i], metric, &x[i]);
    label = arena_array (arena, rows + 1, sizeof (*label));
    cell = arena_array (arena, rows + 1, sizeof (*cell));
    for (size_t i = 0, row = 0; i < compares; i++)
        for (size_t k = 0; k < n[i]; k++, row++) {
            label[row] = forest_label (r, &c[i], &x[i][k]);
            cell[row] = forest_cell (arena, &x[i][k]);
        }
    chart_forest (out, &chart, rows, label, cell);
}
