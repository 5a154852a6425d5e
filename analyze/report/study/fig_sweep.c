/* SPDX-License-Identifier: MIT
 *
 * fig_sweep.c - the figures of a sweep
 *
 * In:  points with their roles
 * Out: the figures that were chosen as HTML and SVG, to a stream
 */
#include "config.h"

#include "analyze/report/study/effects.h"
#include "analyze/report/study/roles.h"
#include "analyze/report/study/sweepdata.h"
#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

struct figgrid {
    size_t nx, ny, panels, cells; /* at least 1 each; cells: their product */
    struct cell *cell;            /* (panel * ny + y) * nx + x */
    long *point;                  /* of a cell; -1 not in the sweep */
    const char **x, **y;          /* words of the levels */
    const char **inner;           /* of each cell its x word */
    const char **y_words;         /* "seq 512" */
    const char **group;           /* of each panel and y: "mmap, seq 512" */
    const char **panel;
    const char *x_name, *y_name; /* NULL without such an axis */
    const char *group_name;
    char **text; /* owned */
    size_t texts;
};

/* --- a metric of a sweep as panels x rows x columns of cells ----------------
 */

static const char *figgrid_keep (struct figgrid *g, char *text)
{
    return g->text[g->texts++] = text;
}

static void figgrid_allocate (struct figgrid *g)
{
    NEW (g->cell, g->cells);
    NEW (g->point, g->cells);
    NEW (g->x, g->nx);
    NEW (g->y, g->ny);
    NEW (g->inner, g->cells);
    NEW (g->y_words, g->ny);
    NEW (g->group, g->panels * g->ny);
    NEW (g->panel, g->panels);
    NEW (g->text, g->panels * (g->ny + 1) + g->ny);
}

static void figgrid_name_rows (struct figgrid *g, const struct axis *y)
{
    for (size_t i = 0; i < g->ny; i++) {
        g->y[i] = y ? y->level[i] : "";
        g->y_words[i] =
            y ? figgrid_keep (g, y->numeric
                                     ? xasprintf ("%s %s", y->name, y->level[i])
                                     : xstrdup (y->level[i]))
              : "";
    }
    g->y_name = y ? y->name : NULL;
}

static void figgrid_name_panels (struct figgrid *g,
                                 const struct sweepdata *d,
                                 const struct axis_roles *roles)
{
    char buf[256];

    for (size_t p = 0; p < g->panels; p++) {
        const char *name = figgrid_keep (
            g,
            xstrdup (roles_panel_name (roles, d->axis, p, buf, sizeof (buf))));

        g->panel[p] = name;
        for (size_t i = 0; i < g->ny; i++)
            g->group[p * g->ny + i] =
                !name[0] ? g->y_words[i]
                : !g->y_words[i][0]
                    ? name
                    : figgrid_keep (g,
                                    xasprintf ("%s, %s", name, g->y_words[i]));
    }
    g->group_name = g->panels > 1 || g->ny > 1 ? "configuration" : NULL;
}

static void figgrid_fill (struct figgrid *g,
                          const struct sweepdata *d,
                          const struct axis_roles *roles,
                          const char *metric)
{
    size_t level[AXES_MAX] = {0};

    for (size_t i = 0; i < g->cells; i++) {
        struct cell *c = &g->cell[i];

        if (roles->x >= 0)
            level[roles->x] = i % g->nx;
        if (roles->y >= 0)
            level[roles->y] = i / g->nx % g->ny;
        roles_panel (roles, d->axis, i / g->nx / g->ny, level);
        g->inner[i] = g->x[i % g->nx];
        g->point[i] = sweepdata_at (d, level);
        if (g->point[i] >= 0) {
            *c = sweepdata_cell (d, g->point[i], metric);
        } else {
            c->v = c->lo = c->hi = NAN;
            c->absent = 1;
        }
    }
}

static void figgrid_destroy (struct figgrid *g)
{
    for (size_t i = 0; i < g->texts; i++)
        free (g->text[i]);
    free (g->text);
    free (g->cell);
    free (g->point);
    free (g->x);
    free (g->y);
    free (g->inner);
    free (g->y_words);
    free (g->group);
    free (g->panel);
    free (g);
}

/* Nothing of d may go before the grid. */
static struct figgrid *figgrid_create (const struct sweepdata *d,
                                       const struct axis_roles *roles,
                                       const char *metric)
{
    struct figgrid *g = ZEROED (g, 1);
    const struct axis *x = roles->x >= 0 ? &d->axis[roles->x] : NULL;
    const struct axis *y = roles->y >= 0 ? &d->axis[roles->y] : NULL;

    g->nx = x && x->levels ? x->levels : 1;
    g->ny = y && y->levels ? y->levels : 1;
    g->panels = roles->panels;
    g->cells = g->nx * g->ny * g->panels;
    figgrid_allocate (g);
    for (size_t i = 0; i < g->nx; i++)
        g->x[i] = x && x->levels ? x->level[i] : "";
    g->x_name = x ? x->name : NULL;
    figgrid_name_rows (g, y);
    figgrid_name_panels (g, d, roles);
    figgrid_fill (g, d, roles, metric);
    return g;
}

/* --- all of it --------------------------------------------------------------
 */
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

/* Make the text for a reader who does not see the figure. */
static char *sweepfig_words (char *buf,
                             size_t room,
                             const struct figgrid *g,
                             const char *what)
{
    snprintf (buf, room,
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
    size_t n = MIN (g->panels, PANELS_MAX);

    for (size_t i = 0; i < n; i++)
        panel[i] = (struct heat){g->panel[i], g->cell + i * g->nx * g->ny};
    chart_heat (out, c,
                &(struct heat_map){.rows = g->ny,
                                   .row = g->y,
                                   .row_name = g->y_name,
                                   .columns = g->nx,
                                   .column = g->x,
                                   .column_name = g->x_name,
                                   .panel = panel,
                                   .panels = n});
}

static void
sweepfig_lines (FILE *out, const struct figgrid *g, const struct chart *c)
{
    size_t n = MIN (g->panels, PANELS_MAX);
    struct lines panel[PANELS_MAX];
    struct series *s = ZEROED (s, n * g->ny);

    for (size_t i = 0; i < n; i++) {
        panel[i] = (struct lines){g->panel[i], s + i * g->ny};
        for (size_t k = 0; k < g->ny; k++)
            s[i * g->ny + k] =
                (struct series){g->y[k], g->cell + (i * g->ny + k) * g->nx};
    }
    chart_lines (out, c,
                 &(struct line_panels){g->nx, g->x, g->x_name, panel, n, g->ny,
                                       g->y_name});
    free (s);
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

static void sweepfig_stack (FILE *out,
                            const struct sweepdata *d,
                            const struct figgrid *g,
                            struct chart *c)
{
    size_t ops = MIN (d->ops, COLOURED);
    size_t n = g->nx * g->ny, whole = g->cells <= ONE_CHART ? g->cells : n;
    struct cell *cell = ZEROED (cell, g->cells * ops);
    struct series s[COLOURED];

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
}

/* --- all of them ------------------------------------------------------ */

static void sweepfig_one_figure (FILE *out,
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

    roles_choose_for (&roles, d->axis, d->axes, f->x, f->by);
    g = figgrid_create (d, &roles, f->metric);
    c.text = sweepfig_words (text, sizeof (text), g, f->heading);
    html_figure (out, f->id, f->heading);
    if (!sweepdata_has (d, f->metric))
        html_paragraph (out, NULL, "n/a in every configuration.");
    else if (f->kind == STUDY_BARS)
        sweepfig_bars (out, g, &c);
    else if (f->kind == STUDY_HEAT)
        sweepfig_heat (out, g, &c);
    else
        sweepfig_lines (out, g, &c);
    sweepfig_caption (out, g, &c, f->kind != STUDY_HEAT, f->more);
    figgrid_destroy (g);
}

static void sweepfig_stack_figure (FILE *out,
                                   const struct sweepdata *d,
                                   const struct axis_roles *roles)
{
    char text[200];
    const char *heading = "Time by operation of the data layer";
    struct figgrid *g = figgrid_create (d, roles, "loader_time");
    struct chart c = {
        .title = heading, .metric = "self_s", .measure = "time", .unit = "s"};

    c.text = sweepfig_words (text, sizeof (text), g, heading);
    html_figure (out, "fig-operations", heading);
    if (d->ops == 0)
        html_paragraph (out, NULL,
                        "n/a: no region of the data layer was recorded (layer "
                        "app).");
    else
        sweepfig_stack (out, d, g, &c);
    html_figure_end (out,
                     "Summed over threads and processes, mean of the "
                     "repeats; of regions inside each other each has only its "
                     "own time, so that the parts of a bar add up.");
    figgrid_destroy (g);
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

void fig_sweep (FILE *out,
                const struct sweepdata *d,
                const struct axis_roles *roles,
                const struct study_choice *c)
{
    size_t after = sweepfig_stack_after (c);

    for (size_t i = 0; i < c->figures; i++) {
        sweepfig_one_figure (out, d, &c->figure[i]);
        if (c->operations && i == after)
            sweepfig_stack_figure (out, d, roles);
    }
}
