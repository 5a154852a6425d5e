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
#include "lib/chart/svg.h"

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
    const struct heat_map *map;
    struct shown_unit unit;
    double lo, hi; /* of the colours, shown units */
    double label;  /* room for row labels */
    double w, h;   /* of a cell */
    size_t across; /* panels in a row */
    double depth;  /* of column labels */
};

static void
heat_extent (struct heatmap *m, const struct heat *p, size_t n, size_t k)
{
    double lo = INFINITY, hi = -INFINITY;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++) {
            double v = p[i].cell[j].v;

            if (v < lo && (!m->c->log || v > 0))
                lo = v;
            if (v > hi)
                hi = v;
        }
    m->unit = unit_for (m->c->unit, isfinite (hi) ? hi : 0);
    m->hi = isfinite (hi) ? hi * m->unit.factor : 1;
    m->lo = m->c->log && isfinite (lo) ? lo * m->unit.factor : 0;
    if (m->c->log && !(m->lo > 0))
        m->lo = m->hi > 0 ? m->hi / 10 : 0.1;
    if (!(m->hi > m->lo))
        m->hi = m->lo > 0 ? m->lo * 1.0001 : 1;
}

static double heat_share (const struct heatmap *m, double v)
{
    if (!m->c->log)
        return (v - m->lo) / (m->hi - m->lo);
    return v > 0 ? log (v / m->lo) / log (m->hi / m->lo) : 0;
}

static void heat_put_cell (FILE *out,
                           const struct heatmap *m,
                           const struct cell *cell,
                           double x,
                           double y)
{
    char class[16], words[WORDS_MAX], tip[400];
    struct svg_data d = {
        m->c->metric, cell->id, cell->text ? cell->text : "",
        chart_tip (tip, sizeof (tip), cell, NULL, m->c->measure, m->c->unit)};
    double v = cell->v * m->unit.factor, size = SVG_FONT;
    int level = chart_heat_level (heat_share (m, v)), na = isnan (cell->v);

    if (cell->absent)
        return;
    FORMAT (class, "h%d", level);
    svg_rect (out, (struct svg_box){x, y, m->w - 1, m->h - 1},
              na ? "na" : class, &d);
    number_words (words, v);
    if (m->h >= size * 1.3 && text_width (words, size) + 4 <= m->w)
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
    size_t n = m->map->columns;
    char class[16];

    fprintf (out, "<g class=\"cells\" data-m=\"%s\" data-p=\"", m->c->metric);
    html_text (out, cell->name);
    fputs ("\" data-v=\"", out);
    for (size_t k = 0; k < n; k++)
        fprintf (out, "%s%s", k ? " " : "", cell[k].v > 0 ? cell[k].text : "0");
    fprintf (out, "\" transform=\"translate(%.2f %.2f) scale(%.3f %.3f)\">", x,
             y, m->w, m->h - 1);
    svg_rect (out, (struct svg_box){0, 0, n, 1}, "frame", NULL);
    for (int level = 0; level < STYLE_HEAT; level++) {
        int any = 0;

        for (size_t k = 0; k < n; k++) {
            double v = cell[k].v * m->unit.factor;

            if (!(v > 0) || chart_heat_level (heat_share (m, v)) != level)
                continue;
            if (!any++) {
                FORMAT (class, "h%d", level);
                svg_path (out, class);
            }
            fprintf (out, "M%zu 0h1v1h-1z", k);
        }
        if (any)
            svg_path_end (out, NULL);
    }
    fputs ("</g>\n", out);
}

static void heat_put_panel (FILE *out,
                            const struct heatmap *m,
                            const struct heat *p,
                            const struct categories *columns,
                            double x,
                            double y)
{
    char buf[256];
    struct scale across =
        scale_band (columns->n, 0, x, x + m->w * (double)columns->n);
    size_t every =
        m->h >= SVG_FONT * 1.35 ? 1 : (size_t)ceil (SVG_FONT * 1.35 / m->h);

    text_fit (buf, sizeof (buf), p->name ? p->name : "",
              fmax (m->w * (double)columns->n, PANEL_MIN), SVG_FONT + 1);
    svg_text (out, x, y - 12, SVG_START, "strong", buf);
    for (size_t r = 0; r < m->map->rows; r++) {
        double at = y + (double)r * m->h;

        if (m->label > 0 && r % every == 0) {
            text_fit (buf, sizeof (buf), m->map->row[r], ROW_LABEL_MAX,
                      SVG_FONT);
            svg_text (out, x - 7, at + m->h / 2, SVG_END, NULL, buf);
        }
        if (m->c->thin)
            heat_put_thin_row (out, m, &p->cell[r * columns->n], x, at);
        for (size_t k = 0; !m->c->thin && k < columns->n; k++)
            heat_put_cell (out, m, &p->cell[r * columns->n + k],
                           x + (double)k * m->w, at);
    }
    chart_categories (out, columns, &across,
                      y + (double)m->map->rows * m->h + 1);
}

/* Draw the key of the colours, from lowest to highest. */
static void heat_put_key (FILE *out, const struct heatmap *m, double y)
{
    char class[16], buf[WORDS_MAX], title[160];
    double x = 2, w;

    chart_axis_title (title, sizeof (title), m->c->measure, m->unit.name,
                      m->c->log);
    svg_text (out, x, y, SVG_START, "dim", title);
    x += text_width (title, SVG_FONT) + 14;
    number_words (buf, m->lo);
    w = text_width (buf, SVG_FONT);
    svg_text (out, x, y, SVG_START, "dim", buf);
    x += w + 5;
    for (int i = 0; i < STYLE_HEAT; i++, x += 14) {
        FORMAT (class, "h%d", i);
        svg_rect (out, (struct svg_box){x, y - 6, 14, 12}, class, NULL);
    }
    svg_text (out, x + 5, y, SVG_START, "dim", number_words (buf, m->hi));
}

void chart_heat (FILE *out, const struct chart *c, const struct heat_map *h)
{
    struct heatmap m = {.c = c, .map = h};
    struct categories cats = {.n = h->columns,
                              .label = h->column,
                              .inner_name = h->column_name,
                              .thin = c->thin};
    double room, high, title = h->row_name ? 18 : 0;
    size_t down;

    heat_extent (&m, h->panel, h->panels, h->rows * h->columns);
    if (h->row_name)
        m.label = fmin (chart_widest (h->row, h->rows), ROW_LABEL_MAX) + 10;
    m.across = h->panels ? h->panels : 1;
    for (;; m.across--) {
        room = (CHART_WIDTH - (double)(m.across - 1) * PANEL_GAP) /
                   (double)m.across -
               m.label - title - (c->thin ? THIN_RIGHT : 2);
        if (m.across == 1 ||
            room >= fmax (PANEL_MIN, fmin (44.0 * (double)h->columns, 480)))
            break;
    }
    m.w = fmin (room / (double)h->columns, CELL_WIDE);
    m.h = h->rows <= 14 ? CELL_HIGH : fmax (CELL_LOW, 480.0 / (double)h->rows);
    m.depth = chart_categories_depth (&cats, m.w);
    down = (h->panels + m.across - 1) / m.across;
    high = HEAD + (double)h->rows * m.h + m.depth + 12;
    svg_begin (out, CHART_WIDTH, 26 + (double)down * high, c->title, c->text);
    heat_put_key (out, &m, 8);
    for (size_t i = 0; i < h->panels; i++) {
        double left =
            (double)(i % m.across) *
            (m.w * (double)h->columns + m.label + title + PANEL_GAP + 2);
        double y = 26 + (double)(i / m.across) * high + HEAD;

        if (room + m.label + title > 0 && m.w >= CELL_WIDE)
            left =
                (double)(i % m.across) * (room + m.label + title + PANEL_GAP);
        if (h->row_name)
            svg_text_upright (out, left + 8, y + (double)h->rows * m.h / 2,
                              SVG_MIDDLE, "dim", h->row_name);
        heat_put_panel (out, &m, &h->panel[i], &cats, left + title + m.label,
                        y);
    }
    svg_end (out);
}
