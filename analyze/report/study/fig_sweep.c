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
#include "lib/util/xalloc.h"

/* A metric of a sweep: rows are the levels of y, columns those of x. */
struct figgrid {
    struct chart_grid g;
    size_t cells;       /* of all panels */
    long *point;        /* of a cell; -1 not in the sweep */
    const char **inner; /* of each cell its x word */
    const char **words; /* of each row: "seq 512" */
    const char **group; /* of each panel and row: "mmap, seq 512" */
};

/* --- a metric of a sweep as panels x rows x columns of cells ----------------
 */

static void figgrid_names (struct figgrid *f,
                           const struct sweepdata *d,
                           const struct axis_roles *roles,
                           const struct axis *x,
                           const struct axis *y)
{
    struct chart_grid *g = &f->g;
    char buf[256];

    g->column_name = x ? x->name : NULL;
    g->row_name = y ? y->name : NULL;
    for (size_t i = 0; i < g->columns; i++)
        g->column[i] = x && x->levels ? x->level[i] : "";
    for (size_t i = 0; i < g->rows; i++) {
        g->row[i] = y ? y->level[i] : "";
        f->words[i] = y && y->numeric
                          ? arena_format ("%s %s", y->name, y->level[i])
                          : g->row[i];
    }
    for (size_t p = 0; p < g->panels; p++)
        g->panel[p] = arena_text (
            roles_panel_name (roles, d->axis, p, buf, sizeof (buf)));
    for (size_t i = 0; i < g->panels * g->rows; i++) {
        const char *panel = g->panel[i / g->rows], *row = f->words[i % g->rows];

        f->group[i] =
            arena_format ("%s%s%s", panel, *panel && *row ? ", " : "", row);
    }
}

static struct figgrid figgrid_make (const struct sweepdata *d,
                                    const struct axis_roles *roles,
                                    const char *metric)
{
    const struct axis *x = roles->x >= 0 ? &d->axis[roles->x] : NULL;
    const struct axis *y = roles->y >= 0 ? &d->axis[roles->y] : NULL;
    struct figgrid f = {
        .g = chart_grid_create (roles->panels, y && y->levels ? y->levels : 1,
                                x && x->levels ? x->levels : 1)};
    const struct chart_grid *g = &f.g;
    size_t level[AXES_MAX] = {0};

    f.cells = g->panels * g->rows * g->columns;
    f.point = arena_array (f.cells, sizeof (*f.point));
    f.inner = arena_array (f.cells, sizeof (*f.inner));
    f.words = arena_array (g->rows, sizeof (*f.words));
    f.group = arena_array (g->panels * g->rows, sizeof (*f.group));
    figgrid_names (&f, d, roles, x, y);
    for (size_t i = 0; i < f.cells; i++) {
        if (x)
            level[roles->x] = i % g->columns;
        if (y)
            level[roles->y] = i / g->columns % g->rows;
        roles_panel (roles, d->axis, i / g->columns / g->rows, level);
        f.inner[i] = g->column[i % g->columns];
        f.point[i] = sweepdata_at (d, level);
        g->cell[i] =
            f.point[i] >= 0
                ? sweepdata_cell (d, f.point[i], metric)
                : (struct cell){.v = NAN, .lo = NAN, .hi = NAN, .absent = 1};
    }
    return f;
}

/* --- all of it --------------------------------------------------------------
 */
enum { COLOURED = STYLE_SERIES, ONE_CHART = 80 };

/* --- captions --------------------------------------------------------- */

/* "From 144 (mmap-s512) to 41 045 (direct-s2048); 3 n/a: why." */
static void sweepfig_caption (FILE *out,
                              const struct figgrid *f,
                              const struct chart *c,
                              int with_whiskers,
                              const char *more)
{
    const struct cell *lo = NULL, *hi = NULL, *gone = NULL;
    size_t missing = 0;
    int repeats = 0;

    for (size_t i = 0; i < f->cells; i++) {
        const struct cell *k = &f->g.cell[i];

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
                     value_shown (lo->v, c->unit), lo->name,
                     value_shown (hi->v, c->unit), hi->name);
    if (missing)
        html_format (out, "%zu of %zu n/a: %s. ", missing, f->cells, gone->why);
    html_format (out, "%s%s", more,
                 repeats && with_whiskers
                     ? " Whiskers: lowest and highest of the repeats."
                     : "");
    html_caption_end (out);
}

/* The text for a reader who does not see the figure. */
static const char *sweepfig_words (const struct figgrid *f, const char *what)
{
    return arena_format (
        "%s of %zu configurations; the numbers are in the table of points",
        what, f->cells);
}

/* --- kinds ------------------------------------------------------------ */

/* Lowest above zero and highest of all cells. */
static void sweepfig_share_axis (struct chart *c, const struct figgrid *f)
{
    c->least = INFINITY;
    for (size_t i = 0; i < f->cells; i++) {
        const struct cell *k = &f->g.cell[i];

        if (k->v > 0)
            c->least = fmin (c->least, k->v);
        c->most = fmax (fmax (c->most, k->v), k->hi); /* NaN is none */
    }
}

/* How many cells are in a chart of one configuration after the other. */
static size_t sweepfig_in_chart (const struct figgrid *f)
{
    return f->cells <= ONE_CHART ? f->cells : f->g.rows * f->g.columns;
}

/* Name the columns of such a chart, from a cell on. */
static void
sweepfig_one_by_one (struct chart_grid *b, const struct figgrid *f, size_t from)
{
    b->column = f->inner;
    b->column_name = f->g.column_name;
    b->per_group = f->g.columns;
    b->group = f->group + from / f->g.columns;
    b->group_name = f->g.panels > 1 || f->g.rows > 1 ? "configuration" : NULL;
}

/* A colour a panel (a row, when there is one panel only); with many of them,
 * one configuration after the other. */
static void sweepfig_bars (FILE *out, const struct figgrid *f, struct chart *c)
{
    struct chart_grid b = f->g;

    if (b.panels == 1 && b.rows > 1 && b.rows <= COLOURED) {
        b.row = f->words;
        chart_bars (out, c, &b);
    } else if (b.panels <= COLOURED) {
        b.per_group = b.rows > 1 ? b.columns : 0;
        b.group = f->words;
        b.group_name = b.row_name;
        b.columns *= b.rows;
        b.column = f->inner;
        b.rows = b.panels;
        b.row = b.panel;
        chart_bars (out, c, &b);
    } else {
        sweepfig_share_axis (c, f);
        b = chart_grid_create (1, 1, 0);
        b.row[0] = "";
        b.columns = sweepfig_in_chart (f);
        for (size_t from = 0; from < f->cells; from += b.columns) {
            sweepfig_one_by_one (&b, f, from);
            b.cell = f->g.cell + from;
            chart_bars (out, c, &b);
        }
    }
}

/* --- time by operation ------------------------------------------------ */

static struct cell sweepfig_op_cell (const struct sweepdata *d,
                                     const struct figgrid *f,
                                     size_t at,
                                     size_t op)
{
    struct cell c = f->g.cell[at];
    long p = f->point[at];
    size_t end = op + 1 == COLOURED ? d->ops : op + 1; /* the last: the rest */

    c.text = c.why = NULL;
    c.lo = c.hi = c.v = NAN;
    if (p < 0)
        return c;
    for (size_t i = op; i < end; i++)
        if (!isnan (d->op[i].self[p]))
            c.v = (isnan (c.v) ? 0 : c.v) + d->op[i].self[p];
    c.why = "no region of the data layer was recorded";
    return c;
}

static void sweepfig_stack (FILE *out,
                            const struct sweepdata *d,
                            const struct figgrid *f,
                            struct chart *c)
{
    size_t ops = MIN (d->ops, COLOURED), whole = sweepfig_in_chart (f);

    for (size_t k = 0; k < f->cells; k++) {
        double sum = 0;

        for (size_t i = 0; i < ops; i++)
            sum += fmax (0, sweepfig_op_cell (d, f, k, i).v);
        c->most = fmax (c->most, sum);
    }
    for (size_t from = 0; from < f->cells; from += whole) {
        struct chart_grid b = chart_grid_create (1, ops, whole);

        sweepfig_one_by_one (&b, f, from);
        for (size_t i = 0; i < ops; i++)
            b.row[i] = i + 1 == COLOURED && d->ops > COLOURED ? "others"
                                                              : d->op[i].name;
        for (size_t i = 0; i < ops * whole; i++)
            b.cell[i] = sweepfig_op_cell (d, f, from + i % whole, i / whole);
        chart_stack (out, c, &b);
    }
}

/* --- all of them ------------------------------------------------------ */

static void sweepfig_one_figure (FILE *out,
                                 const struct sweepdata *d,
                                 const struct study_figure *s)
{
    struct axis_roles roles;
    struct figgrid f;
    struct chart c = {.title = s->heading,
                      .metric = s->metric,
                      .measure = s->measure,
                      .unit = sweepdata_unit (d, s->metric),
                      .log = s->log};
    struct chart_grid shown;

    roles_choose_for (&roles, d->axis, d->axes, s->x, s->by);
    f = figgrid_make (d, &roles, s->metric);
    shown = f.g;
    shown.panels = MIN (shown.panels, PANELS_MAX);
    c.text = sweepfig_words (&f, s->heading);
    html_figure (out, s->id, s->heading);
    if (!sweepdata_has (d, s->metric))
        html_paragraph (out, NULL, "n/a in every configuration.");
    else if (s->kind == STUDY_BARS)
        sweepfig_bars (out, &f, &c);
    else if (s->kind == STUDY_HEAT)
        chart_heat (out, &c, &shown);
    else
        chart_lines (out, &c, &shown);
    sweepfig_caption (out, &f, &c, s->kind != STUDY_HEAT, s->more);
}

static void sweepfig_stack_figure (FILE *out,
                                   const struct sweepdata *d,
                                   const struct axis_roles *roles)
{
    const char *heading = "Time by operation of the data layer";
    struct figgrid f = figgrid_make (d, roles, "loader_time");
    struct chart c = {.title = heading,
                      .text = sweepfig_words (&f, heading),
                      .metric = "self_s",
                      .measure = "time",
                      .unit = "s"};

    html_figure (out, "fig-operations", heading);
    if (d->ops == 0)
        html_paragraph (out, NULL,
                        "n/a: no region of the data layer was recorded (layer "
                        "app).");
    else
        sweepfig_stack (out, d, &f, &c);
    html_figure_end (out,
                     "Summed over threads and processes, mean of the "
                     "repeats; of regions inside each other each has only its "
                     "own time, so that the parts of a bar add up.");
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
