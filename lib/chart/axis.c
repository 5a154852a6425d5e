/* SPDX-License-Identifier: MIT
 *
 * axis.c - grids; axes, legends and labels that figures share
 *
 * In:  scales and names
 * Out: SVG, to a stream
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/chart/svg.h"
#include "lib/util/xalloc.h"

enum { LEGEND_ROW = 18, LEGEND_BOX = 11 };

enum { CLASS_COLOURS = 10 }; /* each in three shades: c0, c10, c20 */

/* The colour of a class of activity by words in its name; the first row that
 * matches has it. The same in each figure of each page. */
static const struct {
    const char *words;
    int colour;
} class_colours[] = {{"asynchronous", 15}, {"other threads", 18},
                     {"sync", 5},          {"checkpoint", 3},
                     {"gather", 13},       {"serial", 23},
                     {"metadata", 7},      {"rename", 7},
                     {"imports", 17},      {"streams", 21},
                     {"copy", 20},         {"page", 10},
                     {"read", 0},          {"writ", 1},
                     {"outside of", 12},   {"comput", 2},
                     {"GPU", 25},          {"decod", 14},
                     {"fetch", 4},         {"loader", 14},
                     {"data", 4},          {"MPI-IO", 28},
                     {"HDF5", 24},

                     {"I/O", 8},           {"POSIX", 8},
                     {"for a CPU", 9},     {"other ranks", 19},
                     {"locks", 29},        {"network", 15},
                     {"pipes", 11},        {"sleep", 22},
                     {"blocked", 21},      {"start of processes", 27},
                     {"start", 13},        {"end (", 23},
                     {"no process", 16},   {"smaller", 26},
                     {"not explained", 6}, {"other", 6}};

struct cell cell_of (double v, const char *name)
{
    return (struct cell){.v = v,
                         .lo = NAN,
                         .hi = NAN,
                         .text = arena_format ("%.9g", v),
                         .name = name};
}

struct chart_grid chart_grid_create (size_t panels, size_t rows, size_t columns)
{
    struct chart_grid g = {.panels = panels, .rows = rows, .columns = columns};

    g.panel = arena_array (panels, sizeof (*g.panel));
    g.row = arena_array (rows, sizeof (*g.row));
    g.column = arena_array (columns, sizeof (*g.column));
    g.cell = arena_array (panels * rows * columns, sizeof (*g.cell));
    return g;
}

static int chart_colour (const struct chart *c, const char *name, size_t i)
{
    if (!c->classes || !name)
        return (int)(i % STYLE_SERIES);
    for (size_t k = 0; k < ITEMS (class_colours); k++)
        if (strstr (name, class_colours[k].words))
            return class_colours[k].colour;
    return CLASS_COLOURS + (int)(i % STYLE_SERIES);
}

const char *
chart_class (const struct chart *c, char prefix, const char *name, size_t i)
{
    static const char *const dashes[] = {"", " d1", " d2"};
    size_t round = c->classes || prefix != 'l' ? 0 : i / STYLE_SERIES;

    return arena_format ("%s c%d%s", prefix == 'l' ? "ln" : "c",
                         chart_colour (c, name, i), dashes[MIN (round, 2)]);
}

void chart_begin (FILE *out, const struct chart *c, double width, double height)
{
    enum { TITLE = 32, MARGIN = 8 };
    char buf[256];

    if (c->file)
        html_put (out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
                  "width=\"%f\" height=\"%f\" viewBox=\"%d %d %f %f\"",
                  width + 2 * MARGIN, height + TITLE + MARGIN, -MARGIN, -TITLE,
                  width + 2 * MARGIN, height + TITLE + MARGIN);
    else
        html_put (out, "<svg role=\"group\" viewBox=\"0 0 %f %f\"", width,
                  height);
    html_put (out, " aria-label=\"%s\"><desc>%s</desc>\n", c->title, c->text);
    if (c->file) {
        html_put (out, "<style>%s</style>\n", style_svg);
        svg_text (out, 2, -TITLE / 2.0, SVG_START, "strong",
                  text_fit (buf, sizeof (buf), c->title, width, SVG_FONT));
    }
}

void chart_label (
    FILE *out, double x, double y, int anchor, const char *text, double width)
{
    char buf[256];

    svg_text (out, x, y, anchor, NULL,
              text_fit (buf, sizeof (buf), text, width, SVG_FONT));
}

double chart_widest (const char *const *label, size_t n, double most)
{
    double widest = 0;

    for (size_t i = 0; i < n; i++)
        widest = fmax (widest, text_width (label[i], SVG_FONT));
    return fmin (widest, most);
}

double chart_legend (FILE *out,
                     const struct chart *c,
                     double x,
                     double right,
                     const char *const *name,
                     size_t count)
{
    double at = x, y = LEGEND_TOP;
    char buf[160];

    for (size_t i = 0; i < count; i++) {
        double w;

        if (!name[i])
            continue;
        text_fit (buf, sizeof (buf), name[i], right - x - 40, SVG_FONT);
        w = LEGEND_BOX + 5 + text_width (buf, SVG_FONT) + 16;
        if (at > x && at + w > right) {
            at = x;
            y += LEGEND_ROW;
        }
        if (out) {
            svg_rect (out,
                      (struct svg_box){at, y - LEGEND_BOX / 2.0, LEGEND_BOX,
                                       LEGEND_BOX},
                      chart_class (c, 'c', name[i], i), NULL);
            svg_text (out, at + LEGEND_BOX + 5, y, SVG_START, NULL, buf);
        }
        at += w;
    }
    return y + LEGEND_ROW;
}

const char *chart_axis_title (const char *measure, const char *unit, int log)
{
    return arena_format ("%s%s%s%s", measure, unit[0] ? ", " : "", unit,
                         log ? " (log scale)" : "");
}

void chart_value_axis (FILE *out,
                       const struct scale *y,
                       double x0,
                       double x1,
                       const struct shown_unit *u,
                       const char *measure)
{
    struct ticks t;
    char buf[WORDS_MAX];

    scale_ticks (y, (size_t)(fabs (y->r1 - y->r0) / 34) + 1, &t);
    for (size_t i = 0; i < t.n; i++) {
        double at = scale_at (y, t.at[i]);

        svg_line (out, x0, at, x1, at, "grid");
        if (u)
            svg_text (out, x0 - 7, at, SVG_END, "dim",
                      tick_words (buf, t.at[i], t.step));
    }
    if (u)
        svg_text (out, 2, fmin (y->r0, y->r1) - 15, SVG_START, "dim",
                  chart_axis_title (measure, u->name, y->kind == SCALE_LOG));
}

void chart_bottom_axis (FILE *out,
                        const struct scale *x,
                        double y,
                        const char *name,
                        const char *unit)
{
    struct ticks t;
    char buf[WORDS_MAX];

    svg_line (out, x->r0, y, x->r1, y, "axis");
    scale_ticks (x, (size_t)((x->r1 - x->r0) / 62) + 1, &t);
    fputs ("<g class=\"ticks\">", out);
    for (size_t i = 0; i < t.n; i++) {
        double at = scale_at (x, t.at[i]);

        svg_line (out, at, y, at, y + 4, "axis");
        svg_text (out, at, y + 13, SVG_MIDDLE, "dim",
                  tick_words (buf, t.at[i], t.step));
    }
    fputs ("</g>\n", out);
    svg_text (out, (x->r0 + x->r1) / 2, y + 30, SVG_MIDDLE, "dim",
              chart_axis_title (name, unit, x->kind == SCALE_LOG));
}

void chart_whisker (FILE *out, double x, double lo, double hi, double half)
{
    svg_line (out, x, lo, x, hi, "whisker");
    svg_line (out, x - half, lo, x + half, lo, "whisker");
    svg_line (out, x - half, hi, x + half, hi, "whisker");
}

/* --- labels of columns -------------------------------------------------- */

enum { LABEL_MAX = 190 }; /* pixels of an upright label */

static struct label_plan
axis_plan (const struct chart *c, const struct chart_grid *g, double step)
{
    double widest = chart_widest (g->column, g->columns, INFINITY);
    struct label_plan level = {0, 1, SVG_FONT * 1.4};

    if (c->thin) {
        level.every = ceil ((widest + SVG_FONT) / fmax (step, 0.01));
        return level;
    }
    return label_plan (g->columns, step, MIN (widest, LABEL_MAX), SVG_FONT);
}

static struct label_plan axis_group_plan (const struct chart_grid *g,
                                          double step)
{
    size_t n = g->columns / g->per_group;

    return label_plan (n, step * (double)g->per_group,
                       chart_widest (g->group, n, LABEL_MAX), SVG_FONT);
}

double chart_columns_depth (const struct chart *c,
                            const struct chart_grid *g,
                            double step)
{
    double depth = 6 + axis_plan (c, g, step).depth;

    if (g->per_group)
        depth += 4 + axis_group_plan (g, step).depth;
    return depth + (g->column_name || g->group_name ? 18 : 0);
}

/* grouped: the labels of the groups, else those of the columns. */
static void axis_put_labels (FILE *out,
                             const struct label_plan *p,
                             const struct chart_grid *g,
                             int grouped,
                             const struct scale *x,
                             double y)
{
    const char **label = grouped ? g->group : g->column;
    size_t per = grouped ? g->per_group : 1;

    for (size_t i = 0; i < g->columns / per; i += p->every) {
        double middle =
            (scale_at (x, i * per) + scale_at (x, i * per + per - 1)) / 2;

        chart_label (out, middle, p->upright ? y + 2 : y + SVG_FONT * 0.7,
                     p->upright ? SVG_END + SVG_UPRIGHT : SVG_MIDDLE, label[i],
                     LABEL_MAX);
    }
}

void chart_columns (FILE *out,
                    const struct chart *c,
                    const struct chart_grid *g,
                    const struct scale *x,
                    double y)
{
    double step = fabs (x->r1 - x->r0) / x->d1;
    struct label_plan p = axis_plan (c, g, step);

    svg_line (out, x->r0, y, x->r1, y, "axis");
    axis_put_labels (out, &p, g, 0, x, y + 6);
    y += 6 + p.depth;
    if (g->per_group) {
        p = axis_group_plan (g, step);
        for (size_t i = 0; i < g->columns; i += g->per_group) {
            double half = step * (double)g->per_group / 2 - 3;
            double mid =
                (scale_at (x, i) + scale_at (x, i + g->per_group - 1)) / 2;

            svg_line (out, mid - half, y, mid + half, y, "axis");
        }
        axis_put_labels (out, &p, g, 1, x, y + 4);
        y += 4 + p.depth;
    }
    if (!g->column_name && !g->group_name)
        return;
    svg_text (out, (x->r0 + x->r1) / 2, y + 10, SVG_MIDDLE, "dim",
              arena_format ("%s%s%s", g->column_name ? g->column_name : "",
                            g->column_name && g->group_name ? ", by " : "",
                            g->group_name ? g->group_name : ""));
}

/* --- cells ------------------------------------------------------------ */

/* "label, series: read time 3 ms (2 ms to 4 ms)" */
struct svg_data
chart_data (const struct chart *c, const struct cell *cell, const char *series)
{
    const char *tip =
        arena_format ("%s%s%s: %s %s", cell->name ? cell->name : "",
                      cell->name && series ? ", " : "", series ? series : "",
                      c->measure, value_shown (cell->v, c->unit));

    if (isnan (cell->v) && cell->why)
        tip = arena_format ("%s: %s", tip, cell->why);
    else if (cell->hi > cell->lo)
        tip =
            arena_format ("%s (%s to %s)", tip, value_shown (cell->lo, c->unit),
                          value_shown (cell->hi, c->unit));
    return (struct svg_data){c->metric, cell->id, cell->text ? cell->text : "",
                             tip};
}
