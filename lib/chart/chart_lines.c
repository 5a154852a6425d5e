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
#include "lib/chart/svg.h"
#include "lib/util/xalloc.h"

enum { LEFT = 64, PLOT = 240, GAP = 30, PANEL_MIN = 260, HEAD = 24 };

struct linechart {
    const struct chart *c;
    const struct categories *x;
    struct shown_unit unit;
    double lo, hi;
    size_t across, series;
    double width, depth;
    struct scale y; /* of the panel that is being drawn */
    int log;        /* as asked for, and something is above zero */
};

/* Return the lowest value below zero of all points, else 0; on a log axis the
 * lowest above zero, 0 if there is none. */
static double lines_lowest (
    const struct lines *p, size_t panels, size_t series, size_t n, int log)
{
    double lo = log ? INFINITY : 0;

    for (size_t i = 0; i < panels; i++)
        for (size_t s = 0; s < series; s++)
            for (size_t k = 0; k < n; k++) {
                const struct cell *c = &p[i].series[s].cell[k];

                lo = c->v < lo && !(log && c->v <= 0) ? c->v : lo;
                lo = c->lo < lo && !(log && c->lo <= 0) ? c->lo : lo;
            }
    return isinf (lo) ? 0 : lo;
}

static double
lines_highest (const struct lines *p, size_t panels, size_t series, size_t n)
{
    double hi = 0;

    for (size_t i = 0; i < panels; i++)
        for (size_t s = 0; s < series; s++)
            for (size_t k = 0; k < n; k++) {
                const struct cell *c = &p[i].series[s].cell[k];

                hi = MAX (c->v, hi);
                hi = MAX (c->hi, hi);
            }
    return hi;
}

static void lines_put_point (FILE *out,
                             const struct linechart *m,
                             const struct cell *cell,
                             const char *series,
                             size_t i,
                             double x)
{
    const struct scale *y = &m->y;
    char class[24], tip[400];
    struct svg_data d = {
        m->c->metric, cell->id, cell->text ? cell->text : "",
        chart_tip (tip, sizeof (tip), cell, series, m->c->measure, m->c->unit)};

    if (cell->hi > cell->lo) {
        double lo = scale_at (y, cell->lo * m->unit.factor);
        double hi = scale_at (y, cell->hi * m->unit.factor);

        svg_line (out, x, lo, x, hi, "whisker");
        svg_line (out, x - 4, lo, x + 4, lo, "whisker");
        svg_line (out, x - 4, hi, x + 4, hi, "whisker");
    }
    svg_circle (out, x, scale_at (y, cell->v * m->unit.factor), 4,
                chart_class (m->c, 'c', NULL, i, class), &d);
}

/* Series stand beside each other, so that each interval can be seen. */
static double
lines_shift_of (const struct linechart *m, size_t i, const struct scale *x)
{
    double step = fabs (x->r1 - x->r0) / (m->x->n ? (double)m->x->n : 1);
    double apart = fmin (6, step / 3 / (double)m->series);

    return ((double)i - (double)(m->series - 1) / 2) * apart;
}

static void lines_put_series (FILE *out,
                              const struct linechart *m,
                              const struct series *s,
                              size_t i,
                              const struct scale *x)
{
    char class[24];
    double shift = lines_shift_of (m, i, x);
    int pen = 0;

    svg_path (out, chart_class (m->c, 'l', NULL, i, class));
    for (size_t k = 0; k < m->x->n; k++) {
        if (isnan (s->cell[k].v)) {
            pen = 0; /* a gap, not a bridge */
            continue;
        }
        svg_to (out, pen ? 'L' : 'M', scale_at (x, k) + shift,
                scale_at (&m->y, s->cell[k].v * m->unit.factor));
        pen = 1;
    }
    svg_path_end (out, NULL);
    for (size_t k = 0; k < m->x->n; k++)
        if (!isnan (s->cell[k].v))
            lines_put_point (out, m, &s->cell[k], s->name, i,
                             scale_at (x, k) + shift);
}

/* Values that are n/a are said in words; a line cannot show them. */
static size_t lines_missing (const struct lines *p, size_t series, size_t n)
{
    size_t count = 0;

    for (size_t s = 0; s < series; s++)
        for (size_t k = 0; k < n; k++)
            count +=
                isnan (p->series[s].cell[k].v) && !p->series[s].cell[k].absent;
    return count;
}

static void lines_put_panel (FILE *out,
                             struct linechart *m,
                             const struct lines *p,
                             double left,
                             double top,
                             int axis)
{
    struct scale x = scale_band (m->x->n, 0, left, left + m->width);
    size_t gone = lines_missing (p, m->series, m->x->n);
    char buf[256], words[300];

    m->y = m->log ? scale_log (m->lo, m->hi, top + PLOT, top)
                  : scale_linear (m->lo, m->hi, top + PLOT, top);
    text_fit (buf, sizeof (buf), p->name ? p->name : "", m->width - 90,
              SVG_FONT + 1);
    FORMAT (words, "%s", buf);
    svg_text (out, left, top - 34, SVG_START, "strong", words);
    if (gone) {
        FORMAT (words, "%zu n/a", gone);
        svg_text (out, left + m->width, top - 34, SVG_END, "dim", words);
    }
    if (axis)
        chart_value_axis (out, &m->y, left, left + m->width, &m->unit,
                          m->c->measure);
    else {
        struct ticks t;

        scale_ticks (&m->y, PLOT / 34 + 1, &t);
        for (size_t i = 0; i < t.n; i++)
            svg_line (out, left, scale_at (&m->y, t.at[i]), left + m->width,
                      scale_at (&m->y, t.at[i]), "grid");
    }
    chart_categories (out, m->x, &x, top + PLOT);
    for (size_t s = 0; s < m->series; s++)
        lines_put_series (out, m, &p->series[s], s, &x);
}

void chart_lines (FILE *out, const struct chart *c, const struct line_panels *l)
{
    struct categories cats = {
        .n = l->n, .label = l->x, .inner_name = l->x_name};
    struct linechart m = {.c = c, .x = &cats, .series = l->series};
    const char **name = ZEROED (name, l->series + 1);
    double hi = lines_highest (l->panel, l->panels, l->series, l->n), top, high;
    size_t down;
    char buf[160];
    struct legend legend = {.chart = c,
                            .right = CHART_WIDTH - 8,
                            .y = 8,
                            .name = name,
                            .count = l->series};

    m.unit = unit_for (c->unit, hi);
    m.hi = hi * m.unit.factor;
    m.lo = lines_lowest (l->panel, l->panels, l->series, l->n, c->log) *
           m.unit.factor;
    m.log = c->log && m.lo > 0;
    m.across = l->panels ? l->panels : 1;
    for (;; m.across--) {
        m.width = (CHART_WIDTH - LEFT - 8 - (double)(m.across - 1) * GAP) /
                  (double)m.across;
        if (m.across == 1 || m.width >= PANEL_MIN)
            break;
    }
    m.depth =
        chart_categories_depth (&cats, m.width / (l->n ? (double)l->n : 1));
    for (size_t i = 0; i < l->series; i++)
        name[i] = l->panel[0].series[i].name;
    FORMAT (buf, "%s:", l->series_name ? l->series_name : "");
    legend.x = LEFT + text_width (buf, SVG_FONT) + 8;
    top = l->series_name ? chart_legend (NULL, &legend) : 8;
    high = HEAD + 24 + PLOT + m.depth + 14;
    down = (l->panels + m.across - 1) / m.across;
    chart_begin (out, c, CHART_WIDTH, top + (double)down * high);
    if (l->series_name) {
        svg_text (out, LEFT, 8, SVG_START, "dim", buf);
        chart_legend (out, &legend);
    }
    free (name);
    for (size_t i = 0; i < l->panels; i++)
        lines_put_panel (out, &m, &l->panel[i],
                         LEFT + (double)(i % m.across) * (m.width + GAP),
                         top + (double)(i / m.across) * high + HEAD + 24,
                         i % m.across == 0);
    svg_end (out);
}
