/* SPDX-License-Identifier: MIT
 *
 * chart_lines.c - lines over one axis, panels with the same value axis
 *
 * In:  cells by panel, series and x
 * Out: SVG, to a stream
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/util/xalloc.h"

enum { LEFT = 64, PLOT = 240, GAP = 30, PANEL_MIN = 260, HEAD = 24 };

struct linechart {
    const struct chart *c;
    const struct chart_grid *g;
    struct shown_unit unit;
    double lo, hi;
    double width;   /* of a panel */
    struct scale y; /* of the panel that is being drawn */
    int log;        /* as asked for, and something is above zero */
};

/* The highest of all points, and the lowest below zero, else 0; on a log axis
 * the lowest above zero, 0 if there is none. */
static void lines_extent (struct linechart *m)
{
    const struct chart_grid *g = m->g;
    int log = m->c->log;

    m->lo = log ? INFINITY : 0;
    for (size_t i = 0; i < g->panels * g->rows * g->columns; i++)
        for (int k = 0; k < 3; k++) {
            const struct cell *c = &g->cell[i];
            double v = k == 0 ? c->v : k == 1 ? c->lo : c->hi;

            if (k < 2 && !(log && v <= 0))
                m->lo = fmin (m->lo, v);
            if (k != 1)
                m->hi = fmax (m->hi, v);
        }
    m->unit = unit_for (m->c->unit, m->hi);
    m->hi *= m->unit.factor;
    m->lo = isinf (m->lo) ? 0 : m->lo * m->unit.factor;
    m->log = log && m->lo > 0;
}

static double lines_y (const struct linechart *m, double v)
{
    return scale_at (&m->y, v * m->unit.factor);
}

/* Draw row i of a panel. Rows stand beside each other, so that each interval
 * can be seen. */
static void lines_put_row (FILE *out,
                           const struct linechart *m,
                           const struct cell *cell,
                           size_t i,
                           const struct scale *x)
{
    size_t n = m->g->columns;
    double step = fabs (x->r1 - x->r0) / (n ? (double)n : 1);
    double apart = fmin (6, step / 3 / (double)m->g->rows);
    double shift = ((double)i - (double)(m->g->rows - 1) / 2) * apart;
    int pen = 0;

    svg_path (out, chart_class (m->c, 'l', NULL, i));
    for (size_t k = 0; k < n; k++) {
        if (isnan (cell[k].v)) {
            pen = 0; /* a gap, not a bridge */
            continue;
        }
        svg_to (out, pen ? 'L' : 'M', scale_at (x, k) + shift,
                lines_y (m, cell[k].v));
        pen = 1;
    }
    svg_path_end (out, NULL);
    for (size_t k = 0; k < n; k++) {
        double at = scale_at (x, k) + shift;
        struct svg_data d;

        if (isnan (cell[k].v))
            continue;
        if (cell[k].hi > cell[k].lo)
            chart_whisker (out, at, lines_y (m, cell[k].lo),
                           lines_y (m, cell[k].hi), 4);
        d = chart_data (m->c, &cell[k], m->g->row[i]);
        svg_circle (out, at, lines_y (m, cell[k].v), 4,
                    chart_class (m->c, 'c', NULL, i), &d);
    }
}

static void lines_put_panel (FILE *out,
                             struct linechart *m,
                             size_t panel,
                             double left,
                             double top,
                             int axis)
{
    const struct chart_grid *g = m->g;
    const struct cell *cell = g->cell + panel * g->rows * g->columns;
    double right = left + m->width;
    struct scale x = scale_band (g->columns, 0, left, right);
    size_t gone = 0; /* n/a: said in words, since a line cannot show them */
    char buf[256];

    for (size_t i = 0; i < g->rows * g->columns; i++)
        gone += isnan (cell[i].v) && !cell[i].absent;
    m->y = m->log ? scale_log (m->lo, m->hi, top + PLOT, top)
                  : scale_linear (m->lo, m->hi, top + PLOT, top);
    svg_text (out, left, top - 34, SVG_START, "strong",
              text_fit (buf, sizeof (buf), g->panel[panel] ?: "", m->width - 90,
                        SVG_FONT + 1));
    if (gone)
        svg_text (out, right, top - 34, SVG_END, "dim",
                  arena_format ("%zu n/a", gone));
    chart_value_axis (out, &m->y, left, right, axis ? &m->unit : NULL,
                      m->c->measure);
    chart_columns (out, m->c, g, &x, top + PLOT);
    for (size_t i = 0; i < g->rows; i++)
        lines_put_row (out, m, cell + i * g->columns, i, &x);
}

void chart_lines (FILE *out, const struct chart *c, const struct chart_grid *g)
{
    struct linechart m = {.c = c, .g = g};
    const char *name = arena_format ("%s:", g->row_name ? g->row_name : "");
    double legend = LEFT + text_width (name, SVG_FONT) + 8, top = 8, high;
    size_t across = g->panels ? g->panels : 1;

    lines_extent (&m);
    for (;; across--) {
        m.width = (CHART_WIDTH - LEFT - 8 - (double)(across - 1) * GAP) /
                  (double)across;
        if (across == 1 || m.width >= PANEL_MIN)
            break;
    }
    high = HEAD + 24 + PLOT + 14 +
           chart_columns_depth (
               c, g, m.width / (g->columns ? (double)g->columns : 1));
    if (g->row_name)
        top = chart_legend (NULL, c, legend, CHART_WIDTH - 8, g->row, g->rows);
    chart_begin (out, c, CHART_WIDTH,
                 top + (double)((g->panels + across - 1) / across) * high);
    if (g->row_name) {
        svg_text (out, LEFT, 8, SVG_START, "dim", name);
        chart_legend (out, c, legend, CHART_WIDTH - 8, g->row, g->rows);
    }
    for (size_t i = 0; i < g->panels; i++)
        lines_put_panel (
            out, &m, i, LEFT + (double)(i % across) * (m.width + GAP),
            top + (double)(i / across) * high + HEAD + 24, i % across == 0);
    svg_end (out);
}
