/* SPDX-License-Identifier: MIT
 *
 * fig_sweep.c - the figures of a sweep
 *
 * In:  points with their roles
 * Out: the figures that were chosen as HTML and SVG, to a stream
 */
#include "config.h"

#include "analyze/report/study/fig_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/chart/chart.h"
#include "analyze/report/study/figgrid.h"
#include "lib/chart/html.h"
#include "lib/chart/style.h"

enum { COLOURED = STYLE_SERIES, ONE_CHART = 80, NAME_MAX_ = 160 };

/* --- captions --------------------------------------------------------- */

/* "From 144 (mmap-s512) to 41 045 (direct-s2048); 3 n/a: why." */
static void sweepfig_caption (FILE *out,
                              const struct figgrid *g,
                              const struct chart *c,
                              int with_whiskers,
                              const char *more)
{
    const struct cell *lo = NULL, *hi = NULL, *gone = NULL;
    char a[WORDS_MAX], b[WORDS_MAX];
    size_t missing = 0;
    int repeats = 0;

    for (size_t i = 0; i < g->cells; i++) {
        const struct cell *k = &g->cell[i];

        if (k->absent)
            continue;
        if (isnan (k->v)) {
            missing++;
            gone = gone ? gone : k;
            continue;
        }
        repeats |= k->hi > k->lo;
        lo = !lo || k->v < lo->v ? k : lo;
        hi = !hi || k->v > hi->v ? k : hi;
    }
    html_caption (out);
    if (lo)
        html_format (out, "From %s (%s) to %s (%s). ",
                     value_words (a, lo->v, c->unit), lo->name,
                     value_words (b, hi->v, c->unit), hi->name);
    if (missing)
        html_format (out, "%zu of %zu n/a: %s. ", missing, g->cells, gone->why);
    html_format (out, "%s%s", more,
                 repeats && with_whiskers
                     ? " Whiskers: lowest and highest of the repeats."
                     : "");
    html_caption_end (out);
}

/* What a reader who does not see the figure is told. */
static char *sweepfig_words (char *buf,
                             size_t room,
                             const struct figgrid *g,
                             const char *what)
{
    (void)snprintf (buf, room,
                    "%s of %zu configurations; the numbers are in "
                    "the table of points",
                    what, g->cells);
    return buf;
}

/* --- kinds ------------------------------------------------------------ */

static struct categories sweepfig_by_group (const struct figgrid *g)
{
    struct categories c = {g->nx * g->ny,
                           g->ny > 1 ? g->nx : 0,
                           g->inner,
                           g->y_words,
                           g->x_name,
                           g->y_name,
                           0};

    return c;
}

/* Lowest above zero and highest of all cells. */
static void sweepfig_share_axis (struct chart *c, const struct figgrid *g)
{
    c->least = INFINITY;
    for (size_t i = 0; i < g->cells; i++) {
        const struct cell *k = &g->cell[i];

        if (k->v > 0 && k->v < c->least)
            c->least = k->v;
        if (k->v > c->most)
            c->most = k->v;
        if (k->hi > c->most)
            c->most = k->hi;
    }
}

/* A colour a panel (a row, when there is one panel only); with many of them,
 * one configuration after the other. */
static void sweepfig_bars (FILE *out, const struct figgrid *g, struct chart *c)
{
    struct categories cats = sweepfig_by_group (g);
    struct series s[COLOURED];
    size_t n = g->nx * g->ny;

    if (g->panels == 1 && g->ny > 1 && g->ny <= COLOURED) {
        cats = (struct categories){g->nx, 0, g->x, NULL, g->x_name, NULL, 0};
        for (size_t i = 0; i < g->ny; i++)
            s[i] = (struct series){g->y_words[i], g->cell + i * g->nx};
        chart_bars (out, c, &cats, s, g->ny);
        return;
    }
    if (g->panels <= COLOURED) {
        for (size_t i = 0; i < g->panels; i++)
            s[i] = (struct series){g->panel[i], g->cell + i * n};
        chart_bars (out, c, &cats, s, g->panels);
        return;
    }
    sweepfig_share_axis (c, g);
    n = g->cells <= ONE_CHART ? g->cells : n;
    for (size_t from = 0; from < g->cells; from += n) {
        cats = (struct categories){
            n,         g->nx,         g->inner, g->group + from / g->nx,
            g->x_name, g->group_name, 0};
        s[0] = (struct series){"", g->cell + from};
        chart_bars (out, c, &cats, s, 1);
    }
}

static void
sweepfig_heat (FILE *out, const struct figgrid *g, const struct chart *c)
{
    struct heat panel[PANELS_MAX];
    size_t n = g->panels < PANELS_MAX ? g->panels : PANELS_MAX;

    for (size_t i = 0; i < n; i++)
        panel[i] = (struct heat){g->panel[i], g->cell + i * g->nx * g->ny};
    chart_heat (out, c, g->ny, g->y, g->y_name, g->nx, g->x, g->x_name, panel,
                n);
}

static int
sweepfig_lines (FILE *out, const struct figgrid *g, const struct chart *c)
{
    size_t n = g->panels < PANELS_MAX ? g->panels : PANELS_MAX;
    struct lines panel[PANELS_MAX];
    struct series *s = calloc (n * g->ny + 1, sizeof (*s));

    if (!s)
        return -1;
    for (size_t i = 0; i < n; i++) {
        panel[i] = (struct lines){g->panel[i], s + i * g->ny};
        for (size_t k = 0; k < g->ny; k++)
            s[i * g->ny + k] =
                (struct series){g->y[k], g->cell + (i * g->ny + k) * g->nx};
    }
    chart_lines (out, c, g->nx, g->x, g->x_name, panel, n, g->ny, g->y_name);
    free (s);
    return 0;
}

/* --- time by operation ------------------------------------------------ */

static struct cell sweepfig_op_cell (const struct sweepdata *d,
                                     const struct figgrid *g,
                                     size_t at,
                                     size_t op)
{
    struct cell c = g->cell[at];
    long p = g->point[at];

    c.text = c.why = NULL;
    c.lo = c.hi = c.v = NAN;
    if (p < 0)
        return c;
    if (op + 1 < COLOURED || d->ops <= COLOURED) {
        c.v = op < d->ops ? d->op[op].self[p] : NAN;
    } else { /* the rest */
        for (size_t i = op; i < d->ops; i++)
            if (!isnan (d->op[i].self[p]))
                c.v = (isnan (c.v) ? 0 : c.v) + d->op[i].self[p];
    }
    c.why = "no region of the data layer was recorded";
    return c;
}

static int sweepfig_stack (FILE *out,
                           const struct sweepdata *d,
                           const struct figgrid *g,
                           struct chart *c)
{
    size_t ops = d->ops < COLOURED ? d->ops : COLOURED;
    size_t n = g->nx * g->ny, whole = g->cells <= ONE_CHART ? g->cells : n;
    struct cell *cell = calloc (g->cells * ops + 1, sizeof (*cell));
    struct series s[COLOURED];

    if (!cell)
        return -1;
    for (size_t k = 0; k < g->cells; k++) {
        double sum = 0;

        for (size_t i = 0; i < ops; i++) {
            struct cell *x = &cell[i * g->cells + k];

            *x = sweepfig_op_cell (d, g, k, i);
            sum += isnan (x->v) ? 0 : x->v;
        }
        c->most = fmax (c->most, sum);
    }
    for (size_t from = 0; from < g->cells; from += whole) {
        struct categories cats = {
            whole,     g->nx,         g->inner, g->group + from / g->nx,
            g->x_name, g->group_name, 0};

        for (size_t i = 0; i < ops; i++)
            s[i] = (struct series){i + 1 == COLOURED && d->ops > COLOURED
                                       ? "others"
                                       : d->op[i].name,
                                   cell + i * g->cells + from};
        chart_stack (out, c, &cats, s, ops);
    }
    free (cell);
    return 0;
}

/* --- all of them ------------------------------------------------------ */

static int sweepfig_one_figure (FILE *out,
                                const struct sweepdata *d,
                                const struct study_figure *f)
{
    char text[200];
    struct axis_roles roles;
    struct figgrid *g;
    struct chart c = {.title = f->heading,
                      .metric = f->metric,
                      .measure = f->measure,
                      .unit = sweepdata_unit (d, f->metric),
                      .log = f->log};
    int rc = 0;

    roles_choose_for (&roles, d->axis, d->axes, f->x, f->by);
    if (!(g = figgrid_create (d, &roles, f->metric)))
        return -1;
    c.text = sweepfig_words (text, sizeof (text), g, f->heading);
    html_figure (out, f->id, f->heading);
    if (!sweepdata_has (d, f->metric))
        html_paragraph (out, NULL, "n/a in every configuration.");
    else if (f->kind == STUDY_BARS)
        sweepfig_bars (out, g, &c);
    else if (f->kind == STUDY_HEAT)
        sweepfig_heat (out, g, &c);
    else
        rc = sweepfig_lines (out, g, &c);
    sweepfig_caption (out, g, &c, f->kind != STUDY_HEAT, f->more);
    figgrid_destroy (g);
    return rc;
}

static int sweepfig_stack_figure (FILE *out,
                                  const struct sweepdata *d,
                                  const struct axis_roles *roles)
{
    char text[200];
    const char *heading = "Time by operation of the data layer";
    struct figgrid *g = figgrid_create (d, roles, "loader_time");
    struct chart c = {
        .title = heading, .metric = "self_s", .measure = "time", .unit = "s"};
    int rc = 0;

    if (!g)
        return -1;
    c.text = sweepfig_words (text, sizeof (text), g, heading);
    html_figure (out, "fig-operations", heading);
    if (d->ops == 0)
        html_paragraph (out, NULL,
                        "n/a: no region of the data layer was recorded (layer "
                        "app).");
    else
        rc = sweepfig_stack (out, d, g, &c);
    html_figure_end (out,
                     "Summed over threads and processes, mean of the "
                     "repeats; of regions inside each other each has only its "
                     "own time, so that the parts of a bar add up.");
    figgrid_destroy (g);
    return rc;
}

/* The figure after which time by operation stands: the last one of the loader's
 * that come first. One that is there because it differs may be the loader's,
 * too. */
static size_t sweepfig_stack_after (const struct study_choice *c)
{
    size_t after = 0;

    for (size_t i = 0; i < c->figures; i++) {
        if (strncmp (c->figure[i].metric, "loader_", 7) == 0)
            after = i;
        else if (after)
            break;
    }
    return after;
}

int fig_sweep (FILE *out,
               const struct sweepdata *d,
               const struct axis_roles *roles,
               const struct study_choice *c)
{
    size_t after = sweepfig_stack_after (c);
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < c->figures; i++) {
        rc = sweepfig_one_figure (out, d, &c->figure[i]);
        if (rc == 0 && c->operations && i == after)
            rc = sweepfig_stack_figure (out, d, roles);
    }
    return rc;
}
