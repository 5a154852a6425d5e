/* SPDX-License-Identifier: MIT
 *
 * page_sweep.c - a sweep directory -> its page
 *
 * In:  what `dftrace sweep results` wrote
 * Out: HTML: head, figures, effects, points, runs that failed
 */
#include "config.h"

#include "analyze/report/study/choice.h"
#include "analyze/report/study/effects.h"
#include "lib/base/array.h"
#include "lib/chart/html.h"
#include "analyze/report/page.h"
#include "analyze/report/study/roles.h"
#include "analyze/report/study/sweepdata.h"
#include "lib/chart/scale.h"
#include "lib/util/xalloc.h"

static int sweeppage_is_bad (const char *state)
{
    return strcmp (state, "done") != 0;
}

/* --- three sentences -------------------------------------------------- */

/* The effect of a level against the first one of its axis. */
struct sweeppage_effect {
    size_t axis, level, levels; /* how many were tried */
    struct effect e;
};

/* By runs where one pair of points has no interval. */
static void sweeppage_effect_of (struct effect *e,
                                 const struct sweepdata *d,
                                 size_t axis,
                                 size_t level,
                                 const char *metric)
{
    effect_of (e, d, axis, level, metric);
    if (e->pairs == 1)
        effect_of_runs (e, d, axis, level, metric);
}

/* The largest effect that is sure, else the largest; levels 0: none. */
static struct sweeppage_effect sweeppage_most (const struct sweepdata *d,
                                               const char *metric)
{
    struct sweeppage_effect most = {0};
    double best = -1;

    for (size_t a = 0; a < d->axes; a++)
        for (size_t i = 1; i < d->axis[a].levels; i++) {
            struct effect e;
            double size;

            sweeppage_effect_of (&e, d, a, i, metric);
            if (!e.pairs)
                continue;
            size = fabs (log (e.mean));
            if (strcmp (effect_verdict (&e), "too few to tell") != 0)
                size += 1000; /* before all that are not sure */
            most.levels++;
            if (size > best) {
                best = size;
                most.axis = a;
                most.level = i;
                most.e = e;
            }
        }
    return most;
}

/* Print the effects of the other axes' last levels, one clause each. */
static void sweeppage_put_others (FILE *out,
                                  const struct sweepdata *d,
                                  const char *metric,
                                  size_t but)
{
    const char *clauses = "";

    for (size_t a = 0; a < d->axes; a++) {
        const struct axis *x = &d->axis[a];
        struct effect e;

        if (a == but || x->levels < 2)
            continue;
        sweeppage_effect_of (&e, d, a, x->levels - 1, metric);
        clauses = arena_format (
            "%s%s%s (%s against %s): \xc3\x97%s, %s", clauses,
            *clauses ? "; " : "Other axes: ", x->name, x->level[x->levels - 1],
            x->level[0], number_shown (e.mean), effect_verdict (&e));
    }
    html_put (out, "<p class=\"lead\">%s.</p>",
              *clauses ? clauses : "There is no other axis");
}

static void sweeppage_put_headline (FILE *out,
                                    const struct sweepdata *d,
                                    const struct study_choice *c)
{
    const char *metric = effect_metric (d, c);
    struct sweeppage_effect most = sweeppage_most (d, metric);
    const struct axis *a = &d->axis[most.axis];

    if (!most.levels) {
        html_paragraph (out, "lead", "Too few to tell: no two points have %s.",
                        metric);
        return;
    }
    html_paragraph (
        out, "lead",
        "%s changes most with %s: %s has \xc3\x97%s of what %s has: "
        "%s.",
        metric, a->name, a->level[most.level], number_shown (most.e.mean),
        a->level[0], effect_verdict (&most.e));
    sweeppage_put_others (out, d, metric, most.axis);
    if (most.e.pairs > 1)
        html_paragraph (
            out, "lead",
            "How sure: 95 %% interval \xc3\x97%s to \xc3\x97%s, from "
            "%zu pairs of runs or points that differ in nothing "
            "else; %zu levels were tried.",
            number_shown (most.e.low), number_shown (most.e.high), most.e.pairs,
            most.levels);
    else
        html_paragraph (out, "lead",
                        "How sure: one pair says nothing about chance: use "
                        "repeats.");
}

/* --- head ------------------------------------------------------------- */

static void sweeppage_put_axes (FILE *out, const struct sweepdata *d)
{
    fputs ("<dl>", out);
    for (size_t i = 0; i < d->axes; i++) {
        html_put (out, "<dt>%s</dt><dd>", d->axis[i].name);
        for (size_t k = 0; k < d->axis[i].levels; k++)
            html_put (out, "%s%s", k ? ", " : "", d->axis[i].level[k]);
        fputs ("</dd>", out);
    }
    fputs ("</dl>\n", out);
}

static double sweeppage_sum_of (const struct csv *c, const char *name)
{
    double sum = 0;

    for (size_t r = 0; r < csv_rows (c); r++) {
        double v = csv_number (c, r, name);

        sum += isnan (v) ? 0 : v;
    }
    return sum;
}

static void
sweeppage_put_banners (FILE *out, const struct sweepdata *d, size_t bad)
{
    double lost = sweeppage_sum_of (d->runs, "lost_events");

    if (bad)
        html_put (out,
                  "<div class=\"banner\">Incomplete: %zu of %zu runs did not "
                  "finish with a trace; see <a href=\"#failed\">the list</a>. "
                  "Their numbers are n/a, not 0.</div>\n",
                  bad, csv_rows (d->runs));
    if (lost > 0)
        page_banner (out,
                     "%.0f events or more are missing from the traces of "
                     "these runs.",
                     lost);
    if (d->unread)
        page_banner (out,
                     "metrics.json of %zu runs could not be read: time by "
                     "operation and the reasons of n/a lack them.",
                     d->unread);
}

static void sweeppage_put_head (FILE *out,
                                const struct sweepdata *d,
                                const struct study_choice *c)
{
    static const struct {
        const char *column, *unit, *what;
    } sums[] = {{"posix_events", "", "POSIX events"},
                {"app_events", "", "application events"},
                {"job_time", "s", "of traced jobs"},
                {"lost_events", "", "events lost"}};
    size_t bad = 0, runs = csv_rows (d->runs);

    for (size_t r = 0; r < runs; r++)
        bad += sweeppage_is_bad (csv_get (d->runs, r, "state"));
    sweeppage_put_headline (out, d, c);
    html_paragraph (out, "note", "Parameter sweep%s%s, layers %s",
                    d->created[0] ? ", " : "", d->created, d->layers);
    sweeppage_put_banners (out, d, bad);
    fputs ("<div class=\"cards\">", out);
    page_card (out, arena_format ("%zu", d->count), "configurations");
    page_card (out, arena_format ("%zu of %zu", runs - bad, runs), "runs done");
    for (size_t i = 0; i < ITEMS (sums); i++)
        page_card (out,
                   value_shown (sweeppage_sum_of (d->runs, sums[i].column),
                                sums[i].unit),
                   sums[i].what);
    fputs ("</div>\n", out);
    sweeppage_put_axes (out, d);
    fputs ("<nav>", out);
    html_link (out, "figures", "", "Figures");
    html_link (out, "effects", "", "Effects");
    html_link (out, "points", "", "Points");
    if (bad)
        html_link (out, "failed", "", "Failed");
    fputs ("</nav>\n", out);
}

/* --- effects ---------------------------------------------------------- */

static void sweeppage_put_effect (FILE *out, const struct effect *e)
{
    if (e->pairs)
        page_ratio (
            out, e->mean, e->low, e->high,
            arena_format ("%zu pairs from %s to %s, %zu without a ratio",
                          e->pairs, number_shown (e->lo), number_shown (e->hi),
                          e->without));
    else
        page_words (out, NAN, "", "no pair in which both are above zero");
}

/* Print the cost of tracing; nothing without untraced controls. */
static void sweeppage_put_overhead (FILE *out, const struct sweepdata *d)
{
    struct effect e;

    effect_of_tracing (&e, d);
    if (!e.pairs)
        return;
    html_put (out, "<p id=\"overhead\" data-v=\"%.17g\"><b>Tracing:</b>",
              e.mean);
    html_format (out,
                 " runs took %+.1f %% longer than their untraced controls "
                 "(geometric mean of %zu pairs, from %+.1f %% to %+.1f %%",
                 100 * (e.mean - 1), e.pairs, 100 * (e.lo - 1),
                 100 * (e.hi - 1));
    if (e.pairs > 1)
        html_format (out, "; 95 %% interval of the mean %+.1f %% to %+.1f %%",
                     100 * (e.low - 1), 100 * (e.high - 1));
    fputs (").</p>", out);
}

static void sweeppage_put_effects (FILE *out,
                                   const struct sweepdata *d,
                                   const struct study_choice *c)
{
    html_section (out, "effects", "What an axis does");
    sweeppage_put_overhead (out, d);
    html_paragraph (
        out, "note", "%s",
        "Each level against the first one of its axis, over all pairs of "
        "configurations that differ in nothing else: geometric mean of the "
        "ratios, below it its 95 % interval (Student's t of their "
        "logarithms); the smallest and the largest stand in the tooltip. n/a: "
        "there is no pair in which both are above zero.");
    page_table (out, 0);
    page_heads (out, ".axis|.level|.against");
    for (size_t k = 0; k < c->columns; k++)
        if (sweepdata_has (d, c->column[k]))
            page_th (out, NULL, c->title[k], NULL);
    page_table_body (out);
    for (size_t a = 0; a < d->axes; a++)
        for (size_t i = 1; i < d->axis[a].levels; i++) {
            page_row (out, NULL, 0);
            page_cells (out, "%s %s %s", d->axis[a].name, d->axis[a].level[i],
                        d->axis[a].level[0]);
            for (size_t k = 0; k < c->columns; k++) {
                struct effect e;

                if (!sweepdata_has (d, c->column[k]))
                    continue;
                effect_of (&e, d, a, i, c->column[k]);
                sweeppage_put_effect (out, &e);
            }
            page_row_end (out);
        }
    page_table_end (out);
    html_section_end (out);
}

/* Pair by pair along the axis of panels: what the mean hides. */
static void sweeppage_put_pairs (FILE *out,
                                 const struct sweepdata *d,
                                 const struct study_choice *c,
                                 size_t axis)
{
    const struct axis *a = &d->axis[axis];

    for (size_t i = 1; i < a->levels; i++) {
        html_put (out,
                  "<details><summary>%s against %s, pair by pair</summary>",
                  a->level[i], a->level[0]);
        page_table (out, 1);
        page_th (out, "t", "configuration", NULL);
        for (size_t k = 0; k < c->columns; k++)
            page_th (out, NULL, c->title[k], NULL);
        page_table_body (out);
        for (size_t p = 0; p < d->count; p++) {
            long base = sweepdata_beside (d, p, axis, 0);

            if (d->point[p].level[axis] != i || base < 0)
                continue;
            page_row (out, NULL, 0);
            page_td (out, "t", d->point[p].label);
            for (size_t k = 0; k < c->columns; k++) {
                struct effect e;

                effect_begin (&e);
                effect_pair (&e, sweepdata_cell (d, base, c->column[k]).v,
                             sweepdata_cell (d, p, c->column[k]).v);
                effect_end (&e);
                sweeppage_put_effect (out, &e);
            }
            page_row_end (out);
        }
        page_table_end (out);
        fputs ("</details>", out);
    }
}

/* --- points ----------------------------------------------------------- */

/* Did the point pass the checks of the sweep file, where it has some? */
static void sweeppage_put_check (FILE *out, const struct sweepdata *d, size_t p)
{
    const char *check = csv_get (d->points, p, "check");

    if (csv_find (d->points, "check") >= 0)
        page_td (out, strcmp (check, "fail") == 0 ? "t bad" : "t", check);
}

static void sweeppage_put_points (FILE *out,
                                  const struct sweepdata *d,
                                  const struct study_choice *c)
{
    html_section (out, "points", "Points");
    html_paragraph (out, "note",
                    "Means over the repeats. Click a heading to sort.");
    page_table (out, 1);
    page_th (out, "t", "label", NULL);
    for (size_t i = 0; i < d->axes; i++)
        page_th (out, NULL, d->axis[i].name, NULL);
    for (size_t i = 0; i < d->others; i++)
        page_th (out, "t", csv_head (d->points, d->other[i]), NULL);
    page_th (out, "t", "state", NULL);
    if (csv_find (d->points, "check") >= 0)
        page_th (out, "t", "check", NULL);
    for (size_t k = 0; k < c->columns; k++)
        page_th (out, NULL, c->title[k], NULL);
    page_table_body (out);
    for (size_t p = 0; p < d->count; p++) {
        const struct sweep_point *at = &d->point[p];

        page_row (out, NULL, 0);
        page_td (out, "t", at->label);
        for (size_t i = 0; i < d->axes; i++)
            page_words (out, at->level[i], d->axis[i].level[at->level[i]],
                        NULL);
        for (size_t i = 0; i < d->others; i++)
            page_td (out, "t", csv_cell (d->points, p, d->other[i]));
        page_td (out, sweeppage_is_bad (at->state) ? "t bad" : "t", at->state);
        sweeppage_put_check (out, d, p);
        for (size_t k = 0; k < c->columns; k++) {
            struct cell x = sweepdata_cell (d, p, c->column[k]);

            page_number (out, x.text, sweepdata_unit (d, c->column[k]), x.why);
        }
        page_row_end (out);
    }
    page_table_end (out);
    html_section_end (out);
}

static void sweeppage_put_failed (FILE *out, const struct sweepdata *d)
{
    static const char *const names[] = {"label", "repeat", "attempt", "state",
                                        "exit",  "node",   "job"};
    enum { N = ITEMS (names) };
    size_t bad = 0;

    for (size_t r = 0; r < csv_rows (d->runs); r++) {
        if (!sweeppage_is_bad (csv_get (d->runs, r, "state")))
            continue;
        if (!bad++) {
            html_section (out, "failed", "Runs without numbers");
            page_table_heads (
                out, 1, ".label|.repeat|.attempt|.state|.exit|.node|.job");
        }
        page_row (out, NULL, 0);
        for (size_t i = 0; i < N; i++)
            page_td (out, i == 3 ? "t bad" : "t",
                     csv_get (d->runs, r, names[i]));
        page_row_end (out);
    }
    if (bad) {
        page_table_end (out);
        html_section_end (out);
    }
}

int page_sweep (FILE *out, const char *dir, struct errtext *err)
{
    struct sweepdata *d = sweepdata_load (dir, err);
    struct study_choice *c;
    struct axis_roles roles;

    if (!d)
        return -1;
    c = choice_create (d);
    roles_choose (&roles, d->axis, d->axes);
    html_begin (out, d->name);
    sweeppage_put_head (out, d, c);
    html_section (out, "figures", "Figures");
    fig_sweep (out, d, &roles, c);
    html_section_end (out);
    sweeppage_put_effects (out, d, c);
    if (roles.panel_axes)
        sweeppage_put_pairs (out, d, c, roles.panel[0]);
    sweeppage_put_points (out, d, c);
    sweeppage_put_failed (out, d);
    html_end (
        out, "dftrace " PACKAGE_VERSION ", dftrace report. Numbers are "
             "those of results/points.csv; definitions: dftrace help metrics.");
    sweepdata_destroy (d);
    return 0;
}
