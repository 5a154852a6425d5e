/* SPDX-License-Identifier: MIT
 *
 * chart_forest.c - ratios with their intervals, one a row
 *
 * In:  cells
 * Out: SVG, to a stream
 */
#include "config.h"

#include <math.h>

#include "lib/chart/chart.h"
#include "lib/chart/svg.h"

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
    char words[3][WORDS_MAX], said[4 * WORDS_MAX];
    struct svg_data d = {c->metric, cell->id, cell->text, said};

    if (!(cell->v > 0)) {
        svg_text (out, x->r0 + 10, y, SVG_START, "dim",
                  cell->why ? cell->why : "n/a");
        return;
    }
    (void)snprintf (said, sizeof (said), "%s",
                    number_words (words[0], cell->v));
    if (cell->hi > cell->lo) {
        svg_line (out, scale_at (x, cell->lo), y, scale_at (x, cell->hi), y,
                  "whisker");
        (void)snprintf (said, sizeof (said), "%s [%s, %s]", words[0],
                        number_words (words[1], cell->lo),
                        number_words (words[2], cell->hi));
    }
    svg_circle (out, scale_at (x, cell->v), y, 4, "c0", &d);
    svg_text (out, x->r1 + 10, y, SVG_START, NULL, said);
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
        double y = 8 + ((double)i + 0.5) * FOREST_ROW;

        text_fit (buf, sizeof (buf), row[i], FOREST_LABEL_MAX, SVG_FONT);
        svg_text (out, label - 8, y, SVG_END, NULL, buf);
        forest_row (out, c, &cell[i], &x, y);
    }
    chart_bottom_axis (out, &x, end + 2, c->measure, "");
    svg_end (out);
}
