/* SPDX-License-Identifier: MIT
 *
 * axis.c - axes, legends and labels that figures share
 *
 * In:  scales and names
 * Out: SVG, to a stream
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/chart/svg.h"

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

static int chart_colour (const struct chart *c, const char *name, size_t i)
{
    if (!c->classes || !name)
        return (int)(i % STYLE_SERIES);
    for (size_t k = 0; k < ITEMS (class_colours); k++)
        if (strstr (name, class_colours[k].words))
            return class_colours[k].colour;
    return CLASS_COLOURS + (int)(i % STYLE_SERIES);
}

const char *chart_class (const struct chart *c,
                         char prefix,
                         const char *name,
                         size_t i,
                         char buf[24])
{
    size_t round = c->classes ? 0 : i / STYLE_SERIES;

    snprintf (buf, 24, "%s c%d%s", prefix == 'l' ? "ln" : "c",
              chart_colour (c, name, i),
              prefix != 'l' || round == 0 ? ""
              : round == 1                ? " d1"
                                          : " d2");
    return buf;
}

void chart_begin (FILE *out, const struct chart *c, double width, double height)
{
    if (c->file)
        svg_begin_file (out, width, height, c->title, c->text);
    else
        svg_begin (out, width, height, c->title, c->text);
}

double chart_widest (const char *const *label, size_t n)
{
    double widest = 0;

    for (size_t i = 0; i < n; i++) {
        double w = text_width (label[i], SVG_FONT);

        if (w > widest)
            widest = w;
    }
    return widest;
}

double chart_legend (FILE *out, const struct legend *l)
{
    double at = l->x, y = l->y;
    char class[24], buf[160];

    for (size_t i = 0; i < l->count; i++) {
        double w;

        if (!l->name[i])
            continue;
        text_fit (buf, sizeof (buf), l->name[i], l->right - l->x - 40,
                  SVG_FONT);
        w = LEGEND_BOX + 5 + text_width (buf, SVG_FONT) + 16;
        if (at > l->x && at + w > l->right) {
            at = l->x;
            y += LEGEND_ROW;
        }
        if (out) {
            svg_rect (out,
                      (struct svg_box){at, y - LEGEND_BOX / 2.0, LEGEND_BOX,
                                       LEGEND_BOX},
                      chart_class (l->chart, 'c', l->name[i], i, class), NULL);
            svg_text (out, at + LEGEND_BOX + 5, y, SVG_START, NULL, buf);
        }
        at += w;
    }
    return y + LEGEND_ROW;
}

char *chart_axis_title (
    char *buf, size_t room, const char *measure, const char *unit, int log)
{
    snprintf (buf, room, "%s%s%s%s", measure, unit[0] ? ", " : "", unit,
              log ? " (log scale)" : "");
    return buf;
}

void chart_value_axis (FILE *out,
                       const struct scale *y,
                       double x0,
                       double x1,
                       const struct shown_unit *u,
                       const char *measure)
{
    struct ticks t;
    char buf[WORDS_MAX], title[160];
    double step = 0;

    scale_ticks (y, (size_t)(fabs (y->r1 - y->r0) / 34) + 1, &t);
    if (y->kind == SCALE_LINEAR && t.n > 1)
        step = t.at[1] - t.at[0];
    for (size_t i = 0; i < t.n; i++) {
        double at = scale_at (y, t.at[i]);

        svg_line (out, x0, at, x1, at, "grid");
        svg_text (out, x0 - 7, at, SVG_END, "dim",
                  tick_words (buf, t.at[i], step));
    }
    chart_axis_title (title, sizeof (title), measure, u->name,
                      y->kind == SCALE_LOG);
    svg_text (out, 2, fmin (y->r0, y->r1) - 15, SVG_START, "dim", title);
}

void chart_bottom_axis (FILE *out,
                        const struct scale *x,
                        double y,
                        const char *name,
                        const char *unit)
{
    struct ticks t;
    char buf[WORDS_MAX], title[160];
    double step = 0;

    svg_line (out, x->r0, y, x->r1, y, "axis");
    scale_ticks (x, (size_t)((x->r1 - x->r0) / 62) + 1, &t);
    if (x->kind == SCALE_LINEAR && t.n > 1)
        step = t.at[1] - t.at[0];
    fputs ("<g class=\"ticks\">", out);
    for (size_t i = 0; i < t.n; i++) {
        double at = scale_at (x, t.at[i]);

        svg_line (out, at, y, at, y + 4, "axis");
        svg_text (out, at, y + 13, SVG_MIDDLE, "dim",
                  tick_words (buf, t.at[i], step));
    }
    fputs ("</g>\n", out);
    chart_axis_title (title, sizeof (title), name, unit, x->kind == SCALE_LOG);
    svg_text (out, (x->r0 + x->r1) / 2, y + 30, SVG_MIDDLE, "dim", title);
}

/* --- categories ------------------------------------------------------- */

enum { LABEL_MAX = 190 }; /* pixels of an upright label */

static struct label_plan axis_plan (const struct categories *cats, double step)
{
    double widest = chart_widest (cats->label, cats->n);
    struct label_plan level = {0, 1, SVG_FONT * 1.4};

    if (cats->thin) {
        level.every = ceil ((widest + SVG_FONT) / fmax (step, 0.01));
        return level;
    }
    return label_plan (cats->n, step, MIN (widest, LABEL_MAX), SVG_FONT);
}

static struct label_plan axis_group_plan (const struct categories *cats,
                                          double step)
{
    size_t n = cats->n / cats->per_group;
    double widest = chart_widest (cats->group, n);

    return label_plan (n, step * (double)cats->per_group,
                       MIN (widest, LABEL_MAX), SVG_FONT);
}

double chart_categories_depth (const struct categories *cats, double step)
{
    double depth = 6 + axis_plan (cats, step).depth;

    if (cats->per_group)
        depth += 4 + axis_group_plan (cats, step).depth;
    return depth + (cats->inner_name || cats->group_name ? 18 : 0);
}

/* grouped: the labels of the groups, else those of the categories. */
static void axis_put_labels (FILE *out,
                             const struct label_plan *p,
                             const struct categories *cats,
                             int grouped,
                             const struct scale *x,
                             double y)
{
    const char *const *label = grouped ? cats->group : cats->label;
    size_t per = grouped ? cats->per_group : 1, n = cats->n / per;
    char buf[256];

    for (size_t i = 0; i < n; i += p->every) {
        double from = scale_at (x, i * per);
        double to = scale_at (x, i * per + per - 1);

        text_fit (buf, sizeof (buf), label[i], LABEL_MAX, SVG_FONT);
        if (p->upright)
            svg_text_upright (out, (from + to) / 2, y + 2, SVG_END, NULL, buf);
        else
            svg_text (out, (from + to) / 2, y + SVG_FONT * 0.7, SVG_MIDDLE,
                      NULL, buf);
    }
}

void chart_categories (FILE *out,
                       const struct categories *cats,
                       const struct scale *x,
                       double y)
{
    double step = fabs (x->r1 - x->r0) / x->d1;
    struct label_plan p = axis_plan (cats, step);
    char title[200];

    svg_line (out, x->r0, y, x->r1, y, "axis");
    axis_put_labels (out, &p, cats, 0, x, y + 6);
    y += 6 + p.depth;
    if (cats->per_group) {
        size_t groups = cats->n / cats->per_group;

        p = axis_group_plan (cats, step);
        for (size_t g = 0; g < groups; g++) {
            double half = step * (double)cats->per_group / 2 - 3;
            double mid = (scale_at (x, g * cats->per_group) +
                          scale_at (x, (g + 1) * cats->per_group - 1)) /
                         2;

            svg_line (out, mid - half, y, mid + half, y, "axis");
        }
        axis_put_labels (out, &p, cats, 1, x, y + 4);
        y += 4 + p.depth;
    }
    if (!cats->inner_name && !cats->group_name)
        return;
    FORMAT (title, "%s%s%s", cats->inner_name ? cats->inner_name : "",
            cats->inner_name && cats->group_name ? ", by " : "",
            cats->group_name ? cats->group_name : "");
    svg_text (out, (x->r0 + x->r1) / 2, y + 10, SVG_MIDDLE, "dim", title);
}

/* --- cells ------------------------------------------------------------ */

int chart_heat_level (double t)
{
    int level;

    if (!(t > 0))
        return 0;
    level = (int)(t * STYLE_HEAT);
    return level < STYLE_HEAT ? level : STYLE_HEAT - 1;
}

char *chart_tip (char *buf,
                 size_t room,
                 const struct cell *cell,
                 const char *series,
                 const char *measure,
                 const char *unit)
{
    char v[WORDS_MAX], lo[WORDS_MAX], hi[WORDS_MAX];
    int n = snprintf (buf, room, "%s%s%s: %s %s", cell->name ? cell->name : "",
                      cell->name && series ? ", " : "", series ? series : "",
                      measure, value_words (v, cell->v, unit));

    if (n < 0 || (size_t)n >= room)
        return buf;
    if (isnan (cell->v) && cell->why)
        snprintf (buf + n, room - (size_t)n, ": %s", cell->why);
    else if (cell->hi > cell->lo)
        snprintf (buf + n, room - (size_t)n, " (%s to %s)",
                  value_words (lo, cell->lo, unit),
                  value_words (hi, cell->hi, unit));
    return buf;
}
