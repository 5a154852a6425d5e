/* SPDX-License-Identifier: MIT
 *
 * figure.c - means and intervals -> lines and dots in SVG
 *
 * Caveat: colours are those of Okabe and Ito, which people with any colour
 *      vision can tell apart; the shape of a dot says the same again.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "sweep/results/cells.h"
#include "sweep/results/compare.h"
#include "sweep/results/figure.h"

enum {
    WIDTH = 720,
    HEIGHT = 400,
    LEFT = 80,
    RIGHT = 180,
    TOP = 40,
    BOTTOM = 50,
    ROW = 22,
    LABELS = 260, /* of a comparison, left of its row */
    TICKS = 5,
    SERIES = 8, /* colours */
};

static const char *const colour[SERIES] = {"#0072b2", "#d55e00", "#009e73",
                                           "#cc79a7", "#e69f00", "#56b4e9",
                                           "#000000", "#999999"};

static void figure_text (
    FILE *out, double x, double y, const char *anchor, const char *words)
{
    fprintf (out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
             anchor);
    for (; *words; words++)
        switch (*words) {
        case '<':
            fputs ("&lt;", out);
            break;
        case '>':
            fputs ("&gt;", out);
            break;
        case '&':
            fputs ("&amp;", out);
            break;
        default:
            fputc (*words, out);
        }
    fputs ("</text>\n", out);
}

static void
line (FILE *out, double x1, double y1, double x2, double y2, const char *style)
{
    fprintf (out,
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
             "stroke=\"%s\"/>\n",
             x1, y1, x2, y2, style);
}

static void figure_begin (FILE *out, int height, const char *title)
{
    fprintf (out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
             "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
             "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
             "fill=\"#fff\"/>\n",
             WIDTH, height, WIDTH, height);
    figure_text (out, 12, 22, "start", title);
}

/* -- scales ------------------------------------------------------------ */

struct scale {
    double low, high, step;
    double from, to; /* on paper */
};

static double on_paper (const struct scale *s, double x)
{
    return s->from + (x - s->low) / (s->high - s->low) * (s->to - s->from);
}

/* 1, 2 or 5 times a power of ten, about `TICKS` of them. */
static void scale_round (struct scale *s)
{
    double span = s->high - s->low, power, part;

    if (!(span > 0))
        span = s->high != 0 ? fabs (s->high) : 1;
    power = pow (10, floor (log10 (span / TICKS)));
    part = span / TICKS / power;
    s->step = power * (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1);
    s->low = floor (s->low / s->step) * s->step;
    s->high = fmax (ceil (s->high / s->step) * s->step, s->low + s->step);
}

static void scale_take (struct scale *s, double x, int first)
{
    if (first || x < s->low)
        s->low = x;
    if (first || x > s->high)
        s->high = x;
}

static double half_of (const struct statistics *s)
{
    double half = statistics_half (s);

    return isfinite (half) ? half : 0;
}

/* -- a metric over an axis --------------------------------------------- */

struct drawing {
    const struct resultset *results;
    struct arena *arena;
    FILE *out;
    int axis[2];                /* x, by */
    struct cells x, by, both;   /* by: one cell when there is no such axis */
    const struct statistics *s; /* per cell of both */
    struct scale up;
};

static const char *figure_value_at (const struct drawing *p,
                                    const struct cells *c,
                                    size_t cell,
                                    int axis)
{
    return value_text (
        p->arena, &p->results->sweep->grid->point[c->first[cell]].column[axis]);
}

static double across (const struct drawing *p, size_t x)
{
    return LEFT +
           ((double)x + 0.5) * (WIDTH - LEFT - RIGHT) / (double)p->x.count;
}

static void plot_scale (struct drawing *p)
{
    int first = 1;

    p->up = (struct scale){.from = HEIGHT - BOTTOM, .to = TOP};
    for (size_t i = 0; i < p->both.count; i++) {
        if (!p->s[i].n)
            continue;
        scale_take (&p->up, p->s[i].mean - half_of (&p->s[i]), first);
        scale_take (&p->up, p->s[i].mean + half_of (&p->s[i]), 0);
        first = 0;
    }
    /* from 0, unless that would flatten everything */
    if (p->up.low > 0 && p->up.low < 0.7 * p->up.high)
        p->up.low = 0;
    scale_round (&p->up);
}

static void plot_axes (const struct drawing *p)
{
    for (double y = p->up.low; y <= p->up.high + p->up.step / 2;
         y += p->up.step) {
        double at = on_paper (&p->up, y);

        line (p->out, LEFT, at, WIDTH - RIGHT, at, "#ddd");
        figure_text (
            p->out, LEFT - 6, at + 4, "end",
            arena_format (p->arena, "%g", fabs (y) < p->up.step / 1e6 ? 0 : y));
    }
    for (size_t i = 0; i < p->x.count; i++)
        figure_text (p->out, across (p, i), HEIGHT - BOTTOM + 18, "middle",
                     figure_value_at (p, &p->x, i, p->axis[0]));
    figure_text (p->out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle",
                 p->results->sweep->spec->column[p->axis[0]]);
}

static void dot (const struct drawing *p,
                 double x,
                 const struct statistics *s,
                 size_t series)
{
    const char *c = colour[series % SERIES];
    double y = on_paper (&p->up, s->mean), half = half_of (s);

    if (half > 0)
        line (p->out, x, on_paper (&p->up, s->mean - half), x,
              on_paper (&p->up, s->mean + half), c);
    if (series % 2)
        fprintf (p->out,
                 "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" "
                 "fill=\"%s\"/>\n",
                 x - 3.5, y - 3.5, c);
    else
        fprintf (p->out,
                 "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x,
                 y, c);
}

/* Of one value of `by`, in the order of the axis. */
static void plot_series (const struct drawing *p, size_t series)
{
    const struct statistics **at =
        arena_array (p->arena, p->x.count + 1, sizeof (*at));
    double shift = ((double)series - (double)(p->by.count - 1) / 2) * 6;
    int drawing = 0;

    for (size_t i = 0; i < p->both.count; i++) {
        int point = p->both.first[i];

        if ((size_t)p->by.of[point] == series && p->s[i].n)
            at[p->x.of[point]] = &p->s[i];
    }
    fprintf (p->out, "<path fill=\"none\" stroke=\"%s\" d=\"",
             colour[series % SERIES]);
    for (size_t i = 0; i < p->x.count; i++) {
        if (at[i])
            fprintf (p->out, "%s%.1f %.1f", drawing ? "L" : "M",
                     across (p, i) + shift, on_paper (&p->up, at[i]->mean));
        drawing = at[i] != NULL;
    }
    fputs ("\"/>\n", p->out);
    for (size_t i = 0; i < p->x.count; i++)
        if (at[i])
            dot (p, across (p, i) + shift, at[i], series);
    if (p->axis[1] < 0)
        return;
    fprintf (p->out,
             "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" "
             "fill=\"%s\"/>\n",
             WIDTH - RIGHT + 16, TOP + (int)series * 20,
             colour[series % SERIES]);
    figure_text (
        p->out, WIDTH - RIGHT + 32, TOP + 10 + (double)series * 20, "start",
        arena_format (p->arena, "%s=%s",
                      p->results->sweep->spec->column[p->axis[1]],
                      figure_value_at (p, &p->by, series, p->axis[1])));
}

void figure_plot (
    FILE *out, const struct resultset *r, int metric, int x, int by)
{
    struct drawing p = {.results = r,
                        .arena = r->sweep->arena,
                        .out = out,
                        .axis = {x, by},
                        .x = cells_make (r, &x, 1),
                        .by = cells_make (r, &by, by >= 0)};
    size_t axes = r->sweep->spec->axes;

    p.both = cells_make (r, p.axis, by >= 0 ? 2 : 1);
    p.s = cells_statistics (r, &p.both, metric);
    plot_scale (&p);
    figure_begin (
        out, HEIGHT,
        arena_format (
            p.arena, "%s: %s%s%s%s: means%s with 95 %% intervals",
            r->sweep->spec->name, r->metric[metric].name,
            *r->metric[metric].unit ? " (" : "", r->metric[metric].unit,
            *r->metric[metric].unit ? ")" : "",
            axes > (by >= 0 ? 2u : 1u) ? " over the other axes" : ""));
    plot_axes (&p);
    for (size_t i = 0; i < p.by.count; i++)
        plot_series (&p, i);
    fputs ("</svg>\n", out);
}

/* -- ratios ------------------------------------------------------------ */

struct forest {
    const struct resultset *results;
    struct arena *arena;
    FILE *out;
    struct scale across; /* of logarithms */
    double y;
};

static const char *row_label (const struct forest *f,
                              const struct compare *c,
                              const struct comparison *x)
{
    const struct sweepdir *d = f->results->sweep;
    const char *words = arena_format (
        f->arena, "%s %s / %s", d->spec->column[c->axis],
        value_text (f->arena, &c->right), value_text (f->arena, &c->left));

    for (size_t i = 0; i < d->spec->axes; i++)
        if ((int)i != c->axis)
            words = arena_format (
                f->arena, "%s%s%s=%s", words, ", ", d->spec->column[i],
                value_text (f->arena,
                            &d->grid->point[x->left_point].column[i]));
    return words;
}

static void forest_row (struct forest *f,
                        const struct compare *c,
                        const struct comparison *x)
{
    double half = half_of (&x->ratio), at;

    figure_text (f->out, LABELS - 10, f->y + 4, "end", row_label (f, c, x));
    if (!x->ratio.n) {
        figure_text (f->out, LABELS + 10, f->y + 4, "start", "no pair is done");
        f->y += ROW;
        return;
    }
    at = on_paper (&f->across, x->ratio.mean);
    line (f->out, on_paper (&f->across, x->ratio.mean - half), f->y,
          on_paper (&f->across, x->ratio.mean + half), f->y, colour[0]);
    fprintf (f->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
             at, f->y, colour[0]);
    figure_text (f->out, WIDTH - 8, f->y + 4, "end",
                 arena_format (f->arena, "%.3g [%.3g, %.3g]",
                               exp (x->ratio.mean), exp (x->ratio.mean - half),
                               exp (x->ratio.mean + half)));
    f->y += ROW;
}

static void forest_scale (struct forest *f, const struct comparison *x)
{
    if (!x->ratio.n)
        return;
    scale_take (&f->across, x->ratio.mean - half_of (&x->ratio), 0);
    scale_take (&f->across, x->ratio.mean + half_of (&x->ratio), 0);
}

void figure_compare (FILE *out,
                     const struct resultset *r,
                     const struct compare *c,
                     size_t compares,
                     int metric)
{
    struct forest f = {.results = r,
                       .arena = r->sweep->arena,
                       .out = out,
                       .across = {.from = LABELS, .to = WIDTH - 150},
                       .y = TOP + ROW};
    struct comparison **x = arena_array (f.arena, compares + 1, sizeof (*x));
    size_t *n = arena_array (f.arena, compares + 1, sizeof (*n)), rows = 0;
    double bottom;

    for (size_t i = 0; i < compares; i++) {
        n[i] = compare_pairs (r, &c[i], metric, &x[i]);
        for (size_t k = 0; k < n[i]; k++)
            forest_scale (&f, &x[i][k]);
        rows += n[i];
    }
    f.across.low -= 0.05;
    f.across.high += 0.05;
    bottom = f.y + (double)rows * ROW;
    figure_begin (out, (int)bottom + 30,
                  arena_format (f.arena,
                                "%s: %s: ratios, paired by repeat, with 95 %% "
                                "intervals",
                                r->sweep->spec->name, r->metric[metric].name));
    line (out, on_paper (&f.across, 0), TOP, on_paper (&f.across, 0), bottom,
          "#999");
    figure_text (out, on_paper (&f.across, 0), bottom + 16, "middle",
                 "1 (equal)");
    for (size_t i = 0; i < compares; i++)
        for (size_t k = 0; k < n[i]; k++)
            forest_row (&f, &c[i], &x[i][k]);
    fputs ("</svg>\n", out);
}
