/* SPDX-License-Identifier: MIT
 *
 * chart_heat.c - heat maps side by side, one colour scale for all
 *
 * In:  cells by panel, row and column
 * Out: SVG, to a stream
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/util/xalloc.h"

enum {
    PANEL_GAP = 34,
    PANEL_MIN = 200, /* pixels of cells in a panel */
    CELL_WIDE = 148, /* no cell is wider */
    CELL_HIGH = 34,
    CELL_LOW = 11,
    ROW_LABEL_MAX = 230,
    HEAD = 26,
    THIN_RIGHT = 18 /* half a label of the last column */
};

struct heatmap {
    const struct chart *c;
    const struct chart_grid *g;
    struct shown_unit unit;
    double lo, hi; /* of the colours, shown units */
    double label;  /* room for row labels */
    double w, h;   /* of a cell */
};

static void heat_extent (struct heatmap *m)
{
    const struct chart_grid *g = m->g;
    double lo = INFINITY, hi = -INFINITY;

    for (size_t i = 0; i < g->panels * g->rows * g->columns; i++) {
        double v = g->cell[i].v;

        if (!m->c->log || v > 0)
            lo = fmin (lo, v);
        hi = fmax (hi, v);
    }
    m->unit = unit_for (m->c->unit, isfinite (hi) ? hi : 0);
    m->hi = isfinite (hi) ? hi * m->unit.factor : 1;
    m->lo = m->c->log && isfinite (lo) ? lo * m->unit.factor : 0;
    if (m->c->log && !(m->lo > 0))
        m->lo = m->hi > 0 ? m->hi / 10 : 0.1;
    if (!(m->hi > m->lo))
        m->hi = m->lo > 0 ? m->lo * 1.0001 : 1;
}

/* Class of heat of a value in shown units: 0 … STYLE_HEAT - 1. */
static int heat_level (const struct heatmap *m, double v)
{
    double share = !m->c->log ? (v - m->lo) / (m->hi - m->lo)
                   : v > 0    ? log (v / m->lo) / log (m->hi / m->lo)
                              : 0;

    return share > 0 ? (int)fmin (share * STYLE_HEAT, STYLE_HEAT - 1) : 0;
}

static void heat_put_cell (FILE *out,
                           const struct heatmap *m,
                           const struct cell *cell,
                           double x,
                           double y)
{
    double v = cell->v * m->unit.factor;
    int level = heat_level (m, v), na = isnan (cell->v);
    const char *words;
    struct svg_data d;

    if (cell->absent)
        return;
    words = number_shown (v);
    d = chart_data (m->c, cell, NULL);
    svg_rect (out, (struct svg_box){x, y, m->w - 1, m->h - 1},
              na ? "na" : arena_format ("h%d", level), &d);
    if (m->h >= SVG_FONT * 1.3 && text_width (words, SVG_FONT) + 4 <= m->w)
        svg_text (out, x + m->w / 2, y + m->h / 2, SVG_MIDDLE,
                  na                       ? "dim"
                  : level * 2 < STYLE_HEAT ? "tl"
                                           : "th",
                  words);
}

/* A row of a map over time: a path for each level, and its values once. */
static void heat_put_thin_row (FILE *out,
                               const struct heatmap *m,
                               const struct cell *cell,
                               double x,
                               double y)
{
    size_t n = m->g->columns;

    html_put (out, "<g class=\"cells\" data-m=\"%s\" data-p=\"%s\" data-v=\"",
              m->c->metric, cell->name);
    for (size_t k = 0; k < n; k++)
        fprintf (out, "%s%s", k ? " " : "", cell[k].v > 0 ? cell[k].text : "0");
    fprintf (out, "\" transform=\"translate(%.2f %.2f) scale(%.3f %.3f)\">", x,
             y, m->w, m->h - 1);
    svg_rect (out, (struct svg_box){0, 0, n, 1}, "frame", NULL);
    for (int level = 0; level < STYLE_HEAT; level++) {
        int any = 0;

        for (size_t k = 0; k < n; k++) {
            double v = cell[k].v * m->unit.factor;

            if (!(v > 0) || heat_level (m, v) != level)
                continue;
            if (!any++)
                svg_path (out, arena_format ("h%d", level));
            fprintf (out, "M%zu 0h1v1h-1z", k);
        }
        if (any)
            svg_path_end (out, NULL);
    }
    fputs ("</g>\n", out);
}

static void heat_put_panel (
    FILE *out, const struct heatmap *m, size_t panel, double x, double y)
{
    const struct chart_grid *g = m->g;
    const struct cell *cell = g->cell + panel * g->rows * g->columns;
    double width = m->w * (double)g->columns;
    struct scale across = scale_band (g->columns, 0, x, x + width);
    size_t every =
        m->h >= SVG_FONT * 1.35 ? 1 : (size_t)ceil (SVG_FONT * 1.35 / m->h);
    char buf[256];

    svg_text (out, x, y - 12, SVG_START, "strong",
              text_fit (buf, sizeof (buf), g->panel[panel] ?: "",
                        fmax (width, PANEL_MIN), SVG_FONT + 1));
    for (size_t r = 0; r < g->rows; r++, cell += g->columns) {
        double at = y + (double)r * m->h;

        if (m->label > 0 && r % every == 0)
            chart_label (out, x - 7, at + m->h / 2, SVG_END, g->row[r],
                         ROW_LABEL_MAX);
        if (m->c->thin)
            heat_put_thin_row (out, m, cell, x, at);
        for (size_t k = 0; !m->c->thin && k < g->columns; k++)
            heat_put_cell (out, m, &cell[k], x + (double)k * m->w, at);
    }
    chart_columns (out, m->c, g, &across, y + (double)g->rows * m->h + 1);
}

/* Draw the key of the colours, from lowest to highest. */
static void heat_put_key (FILE *out, const struct heatmap *m, double y)
{
    const char *title =
        chart_axis_title (m->c->measure, m->unit.name, m->c->log);
    const char *lowest = number_shown (m->lo);
    double x = 2;

    svg_text (out, x, y, SVG_START, "dim", title);
    x += text_width (title, SVG_FONT) + 14;
    svg_text (out, x, y, SVG_START, "dim", lowest);
    x += text_width (lowest, SVG_FONT) + 5;
    for (int i = 0; i < STYLE_HEAT; i++, x += 14)
        svg_rect (out, (struct svg_box){x, y - 6, 14, 12},
                  arena_format ("h%d", i), NULL);
    svg_text (out, x + 5, y, SVG_START, "dim", number_shown (m->hi));
}

void chart_heat (FILE *out, const struct chart *c, const struct chart_grid *g)
{
    struct heatmap m = {.c = c, .g = g};
    double columns = g->columns, rows = g->rows;
    double room, high, wide, title = g->row_name ? 18 : 0;
    size_t across = g->panels ? g->panels : 1;

    heat_extent (&m);
    if (g->row_name)
        m.label = chart_widest (g->row, g->rows, ROW_LABEL_MAX) + 10;
    for (;; across--) {
        room =
            (CHART_WIDTH - (double)(across - 1) * PANEL_GAP) / (double)across -
            m.label - title - (c->thin ? THIN_RIGHT : 2);
        if (across == 1 || room >= fmax (PANEL_MIN, fmin (44 * columns, 480)))
            break;
    }
    m.w = fmin (room / columns, CELL_WIDE);
    m.h = g->rows <= 14 ? CELL_HIGH : fmax (CELL_LOW, 480.0 / rows);
    high = HEAD + rows * m.h + chart_columns_depth (c, g, m.w) + 12;
    wide = (m.w >= CELL_WIDE ? room : m.w * columns + 2) + m.label + title +
           PANEL_GAP;
    chart_begin (out, c, CHART_WIDTH,
                 26 + (double)((g->panels + across - 1) / across) * high);
    heat_put_key (out, &m, 8);
    for (size_t i = 0; i < g->panels; i++) {
        double left = (double)(i % across) * wide;
        double y = 26 + (double)(i / across) * high + HEAD;

        if (g->row_name)
            svg_text (out, left + 8, y + rows * m.h / 2,
                      SVG_MIDDLE + SVG_UPRIGHT, "dim", g->row_name);
        heat_put_panel (out, &m, i, left + title + m.label, y);
    }
    svg_end (out);
}
