/* SPDX-License-Identifier: MIT
 *
 * compare_sweeps.c - two sweeps -> what differs between them
 *
 * In:  what `dftrace sweep results` wrote of both
 * Out: HTML: parts of the specs, ratios by metric and by point
 */
#include "config.h"

#include "analyze/report/page.h"
#include "analyze/report/study/choice.h"
#include "analyze/report/study/effects.h"
#include "analyze/report/study/sweepdata.h"
#include "analyze/tables/jobcompare.h"
#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/chart/scale.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"
#include "lib/util/ytree.h"

/* A call or a region, over all pairs of runs. */
struct runtime {
    const char *layer, *name;
    double now[2];       /* s, in both runs of the pair at hand */
    double sum[2];       /* s, over the paired runs of A and of B */
    struct effect ratio; /* B / A, run by run */
    double p;            /* that it is chance, corrected for all rows (Holm);
                            NaN: fewer than two pairs */
};

struct runtimes {
    struct runtime *row; /* the largest change first */
    size_t count;
};

/* Add two cells: the mean of ratios, and its interval. */
static void compare_interval (FILE *out, const struct effect *e)
{
    page_times (out, e->mean, "no pair has a ratio");
    page_words (out, e->low,
                arena_format ("%s\xe2\x80\xa6%s", number_shown (e->low),
                              number_shown (e->high)),
                "fewer than two pairs");
}

/* --- time in calls and regions of every run of two sweeps -------------------
 */

/* The row of a call, a new one when it is seen first. names: "layer\nname" ->
 * row. */
static struct runtime *runtimes_row (struct runtimes *t,
                                     struct strmap *names,
                                     const char *layer,
                                     const char *name)
{
    char *key = arena_format ("%s\n%s", layer, name);
    int isnew = 0;
    int64_t at = strmap_intern (names, key, strlen (key), &isnew);

    arena_free (key);
    if (isnew) {
        t->row = arena_grow (t->row, t->count, sizeof (*t->row));
        t->row[at] = (struct runtime){.layer = arena_text (layer),
                                      .name = arena_text (name)};
        effect_begin (&t->row[at].ratio);
        t->count++;
    }
    return &t->row[at];
}

static void runtimes_take (struct runtimes *t,
                           struct strmap *names,
                           const char *trace,
                           const char *table,
                           int side)
{
    struct csv *c = csv_load (trace, table, NULL);

    for (size_t i = 0; i < csv_rows (c); i++) {
        struct runtime *row = runtimes_row (
            t, names, csv_get (c, i, "category"), csv_get (c, i, "name"));
        double s = csv_number (c, i, "sum_s");

        row->now[side] += isnan (s) ? 0 : s;
    }
    csv_destroy (c);
}

/* Both runs of a pair have been read. */
static void runtimes_pair_end (struct runtimes *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct runtime *row = &t->row[i];
        double *s = row->now;

        if (s[0] > 0 || s[1] > 0)
            effect_pair (&row->ratio, s[0], s[1]);
        for (int k = 0; k < 2; k++) {
            row->sum[k] += s[k];
            s[k] = 0;
        }
    }
}

static int runtimes_by_change (const void *x, const void *y)
{
    const struct runtime *a = x, *b = y;
    double p = fabs (a->sum[1] - a->sum[0]), q = fabs (b->sum[1] - b->sum[0]);

    return ORDER (q, p) ?: strcmp (a->name, b->name);
}

/* Student's t of the logarithms of the ratios against 0. */
static double runtimes_chance (const struct effect *e)
{
    if (e->pairs < 2)
        return NAN;
    if (e->logs.sd <= 0)
        return e->logs.mean == 0;
    return student_p (e->logs.mean / e->logs.sd * sqrt (e->pairs),
                      e->pairs - 1);
}

static void runtimes_end (struct runtimes *t)
{
    double *p = arena_array (t->count, sizeof (*p));

    for (size_t i = 0; i < t->count; i++) {
        effect_end (&t->row[i].ratio);
        p[i] = runtimes_chance (&t->row[i].ratio);
    }
    statistics_holm (p, t->count);
    for (size_t i = 0; i < t->count; i++)
        t->row[i].p = p[i];
    if (t->count)
        SORT (t->row, t->count, runtimes_by_change);
}

/* Reads DIR/runs/…/trace/tables/{calls,operations}.csv; a run without these
 * tables has no times. A pair is of one point and repeat. */
static struct runtimes runtimes_load (const struct sweepdata *a,
                                      const struct sweepdata *b)
{
    static const char *const tables[] = {"tables/calls.csv",
                                         "tables/operations.csv"};
    const struct sweepdata *const d[] = {a, b};
    struct strmap *names = strmap_create ();
    struct runtimes t = {.count = 0};

    for (size_t r = 0; r < csv_rows (a->runs); r++) {
        const char *repeat = csv_get (a->runs, r, "repeat");
        long at = sweepdata_point (a, csv_get (a->runs, r, "point")), other;
        long run[2] = {r, -1};

        for (size_t i = 0; at >= 0 && i < a->point[at].runs; i++)
            if (a->point[at].run[i] == r &&
                (other = sweepdata_same (b, &a->point[at])) >= 0)
                run[1] = sweepdata_run (b, &b->point[other], repeat);
        if (run[1] < 0)
            continue;
        for (int i = 0; i < 4; i++)
            runtimes_take (&t, names, sweepdata_trace (d[i / 2], run[i / 2]),
                           tables[i % 2], i / 2);
        runtimes_pair_end (&t);
    }
    strmap_destroy (names);
    runtimes_end (&t);
    return t;
}

/* --- calls and regions of two sweeps, run by run ----------------------------
 */

static const double comparecalls_sure = 0.05;

static const char *comparecalls_verdict (const struct runtime *t)
{
    if (t->sum[0] <= 0 || t->sum[1] <= 0)
        return t->sum[0] > 0 ? "only in A" : "only in B";
    if (t->p < comparecalls_sure)
        return t->ratio.mean > 1 ? "more time in B" : "less time in B";
    return strcmp (effect_verdict (&t->ratio), "the same within 10 %") == 0
               ? "the same within 10 %"
               : "too few to tell";
}

static void comparecalls_put_runtime (FILE *out, const struct runtime *t)
{
    page_row (out, NULL, 0);
    page_cells (out, "%s %s s:%f s:%f", t->layer, t->name, t->sum[0],
                t->sum[1]);
    compare_interval (out, &t->ratio);
    page_value (out, t->ratio.pairs, "", NULL);
    page_words (out, t->p, arena_format ("%.2g", t->p), "fewer than two pairs");
    page_td (out, "t", comparecalls_verdict (t));
    page_row_end (out);
}

static void comparecalls_put_runtimes (FILE *out, const struct runtimes *t)
{
    page_table_heads (out, 1,
                      ".layer|.call or region|time A|time B|geometric mean of "
                      "B / A|its 95 % interval|pairs|p|.verdict");
    for (size_t i = 0; i < t->count; i++)
        comparecalls_put_runtime (out, &t->row[i]);
    page_table_end (out);
    html_paragraph (
        out, "note", "%s",
        "Time in all calls of a run, summed over threads; a pair is a run of "
        "A and the one of B with the same configuration and repeat. p is the "
        "probability that the difference is chance (Student's t of the "
        "logarithms, corrected for the number of rows by Holm's method); "
        "below 0.05 it is taken for real.");
}

static void
compare_calls (FILE *out, const struct sweepdata *a, const struct sweepdata *b)
{
    struct runtimes t = runtimes_load (a, b);

    html_section (out, "calls", "Calls and regions, B against A");
    if (t.count)
        comparecalls_put_runtimes (out, &t);
    else
        html_paragraph (out, NULL,
                        "n/a: the traces of the runs have no tables, or have "
                        "gone.");
    html_section_end (out);
}

/* --- all of it --------------------------------------------------------------
 */
enum { PAIRS_DRAWN = 40 }; /* configurations of a figure */

static void sweeps_digests_differ (FILE *out,
                                   const struct sweepdata *a,
                                   const struct sweepdata *b)
{
    const struct ynode *x = ynode_get (ytree_root (a->manifest), "digests");
    const struct ynode *y = ynode_get (ytree_root (b->manifest), "digests");
    size_t n = 0;

    html_section (out, "changes", "What differs");
    compare_change (out, "created", a->created, b->created, &n);
    compare_change (out, "layers", a->layers, b->layers, &n);
    for (size_t i = 0; x && i < x->count; i++)
        if (strcmp (ynode_text (x, x->key[i]->text, ""),
                    ynode_text (y, x->key[i]->text, "")) != 0)
            compare_change (out, x->key[i]->text, "as in its spec.yaml",
                            "another one: see its spec.yaml", &n);
    compare_end_changes (out, n);
}

/* --- numbers of both ------------------------------------------------------ */

/* B / A of a metric over the points of both. */
static struct effect sweeps_effect (const struct sweepdata *a,
                                    const struct sweepdata *b,
                                    const char *metric,
                                    size_t *smaller)
{
    struct effect e;

    *smaller = 0;
    effect_begin (&e);
    for (size_t i = 0; i < a->count; i++) {
        long at = sweepdata_same (b, &a->point[i]);
        double x = sweepdata_cell (a, i, metric).v;
        double y = at < 0 ? NAN : sweepdata_cell (b, at, metric).v;

        *smaller += x > 0 && y > 0 && y < x;
        effect_pair (&e, x, y);
    }
    effect_end (&e);
    return e;
}

/* Geometric mean of B / A, its interval, range and number of pairs over the
 * points of both. */
static void sweeps_put_summary (FILE *out,
                                const struct sweepdata *a,
                                const struct sweepdata *b,
                                const char *metric)
{
    size_t smaller;
    struct effect e = sweeps_effect (a, b, metric, &smaller);

    page_row (out, NULL, 0);
    page_td (out, "t", metric);
    compare_interval (out, &e);
    page_td (out, NULL, e.pairs ? number_shown (e.lo) : "");
    page_td (out, NULL, e.pairs ? number_shown (e.hi) : "");
    page_cells (out, "%f %f", (double)smaller, (double)e.pairs);
    page_row_end (out);
}

/* --- figures ---------------------------------------------------------------
 */

/* Metrics whose ratio has a number, with their intervals. */
static void sweeps_draw_ratios (FILE *out,
                                const struct sweepdata *a,
                                const struct sweepdata *b,
                                const struct study_choice *c)
{
    const struct chart chart = {
        .title = "B against A, over all configurations",
        .text = "Ratios of the metrics with their 95 % intervals",
        .metric = "metric_ratio",
        .measure = "B / A",
        .unit = ""};
    struct chart_grid g = chart_grid_create (1, c->columns, 1);
    size_t smaller;

    g.rows = 0;
    for (size_t k = 0; k < c->columns; k++) {
        struct effect e = sweeps_effect (a, b, c->column[k], &smaller);
        struct cell *cell = &g.cell[g.rows];

        if (!e.pairs)
            continue;
        *cell = cell_of (e.mean, c->column[k]);
        cell->lo = e.low;
        cell->hi = e.high;
        cell->id = c->column[k];
        g.row[g.rows++] = c->title[k];
    }
    if (!g.rows)
        return;
    html_figure (out, "fig-ratios", chart.title);
    chart_forest (out, &chart, &g);
    html_figure_end (out, "Geometric means over the configurations; whiskers: "
                          "their 95 %% intervals (Student's t of the "
                          "logarithms). An interval that holds 1 is no "
                          "difference.");
}

/* A and B side by side, a pair of bars a configuration, on one scale. */
static void sweeps_draw_pairs (FILE *out,
                               const struct sweepdata *a,
                               const struct sweepdata *b,
                               const char *metric,
                               const char *title)
{
    struct chart chart = {.title = title,
                          .text = "Bars side by side on one scale",
                          .metric = metric,
                          .measure = title,
                          .unit = sweepdata_unit (a, metric)};
    size_t *of = arena_array (PAIRS_DRAWN, sizeof (*of)), n = 0;
    struct chart_grid g;

    for (size_t i = 0; i < a->count && n < PAIRS_DRAWN; i++)
        if (sweepdata_same (b, &a->point[i]) >= 0)
            of[n++] = i;
    if (!n)
        return;
    g = chart_grid_create (1, 2, n);
    g.row[0] = "A";
    g.row[1] = "B";
    g.column_name = "configuration";
    for (size_t i = 0; i < n; i++) {
        const struct sweep_point *p = &a->point[of[i]];

        g.column[i] = p->label;
        g.cell[i] = sweepdata_cell (a, of[i], metric);
        g.cell[n + i] = sweepdata_cell (b, sweepdata_same (b, p), metric);
    }
    html_figure (out, arena_format ("fig-%s", metric), title);
    chart_bars (out, &chart, &g);
    html_figure_end (out,
                     "Mean of the repeats; whiskers: lowest and "
                     "highest of them.%s",
                     a->count > n ? " Not all configurations are drawn; "
                                    "the table has them."
                                  : "");
}

/* --- tables ------------------------------------------------------------------
 */

static void sweeps_put_metric (FILE *out,
                               const struct sweepdata *a,
                               const struct sweepdata *b,
                               const char *metric)
{
    html_section (out, metric, metric);
    compare_heads (out, "configuration", NULL);
    for (size_t i = 0; i < a->count; i++) {
        long at = sweepdata_same (b, &a->point[i]);

        page_row (out, NULL, 0);
        page_td (out, "t", a->point[i].label);
        compare_values (out, sweepdata_cell (a, i, metric).v,
                        at < 0 ? NAN : sweepdata_cell (b, at, metric).v,
                        sweepdata_unit (a, metric));
        page_row_end (out);
    }
    page_table_end (out);
    html_section_end (out);
}

static void sweeps_put_ratios (FILE *out,
                               const struct sweepdata *a,
                               const struct sweepdata *b,
                               const struct study_choice *c)
{
    html_paragraph (out, "note",
                    "Ratios over the configurations that both have and in "
                    "which both numbers are above zero.");
    page_table_heads (out, 1,
                      ".metric|geometric mean of B / A|its 95 % "
                      "interval|smallest|largest|smaller in B|pairs");
    for (size_t k = 0; k < c->columns; k++)
        sweeps_put_summary (out, a, b, c->column[k]);
    page_table_end (out);
}

static void sweeps_sweep_tables (FILE *out,
                                 const struct sweepdata *a,
                                 const struct sweepdata *b,
                                 const struct study_choice *c)
{
    html_section (out, "ratios", "B against A, point by point");
    sweeps_draw_ratios (out, a, b, c);
    sweeps_put_ratios (out, a, b, c);
    html_section_end (out);
    html_section (out, "figures", "A and B on one scale");
    for (size_t k = 0; k < c->columns; k++)
        if (sweepdata_has (a, c->column[k]) && sweepdata_has (b, c->column[k]))
            sweeps_draw_pairs (out, a, b, c->column[k], c->title[k]);
    html_section_end (out);
    compare_calls (out, a, b);
    for (size_t k = 0; k < c->columns; k++)
        sweeps_put_metric (out, a, b, c->column[k]);
}

/* The metric, its ratio and how sure that is; then what else changed most. */
static void sweeps_put_headline (FILE *out,
                                 const struct sweepdata *a,
                                 const struct sweepdata *b,
                                 const struct study_choice *c)
{
    const char *metric = effect_metric (a, c), *other = NULL;
    size_t smaller;
    struct effect e = sweeps_effect (a, b, metric, &smaller), most = {0};

    if (!e.pairs) {
        html_paragraph (out, "lead",
                        "Too few to tell: no configuration has %s "
                        "in both.",
                        metric);
        return;
    }
    html_paragraph (
        out, "lead",
        "%s of B is \xc3\x97%s of that of A over %zu configurations: "
        "%s.",
        metric, number_shown (e.mean), e.pairs, effect_verdict (&e));
    for (size_t k = 0; k < c->columns; k++) {
        struct effect x = sweeps_effect (a, b, c->column[k], &smaller);

        if (strcmp (c->column[k], metric) != 0 && x.pairs > 1 &&
            (x.low > 1 || x.high < 1) &&
            (!other || fabs (x.logs.mean) > fabs (most.logs.mean))) {
            other = c->column[k];
            most = x;
        }
    }
    if (other)
        html_paragraph (
            out, "lead",
            "Of the other metrics %s changed most: \xc3\x97%s (%s to "
            "%s).",
            other, number_shown (most.mean), number_shown (most.low),
            number_shown (most.high));
    else
        html_paragraph (out, "lead", "No other metric is shown to differ.");
    html_paragraph (
        out, "lead",
        e.pairs > 1 ? "How sure: 95 %% interval \xc3\x97%s to \xc3\x97%s; a "
                      "configuration is the unit."
                    : "How sure: one configuration says nothing about "
                      "chance%.0s%.0s.",
        number_shown (e.low), number_shown (e.high));
}

static int compare_sweeps (FILE *out,
                           const char *dir_a,
                           const char *dir_b,
                           struct errtext *err)
{
    struct sweepdata *a = sweepdata_load (dir_a, err);
    struct sweepdata *b = a ? sweepdata_load (dir_b, err) : NULL;
    struct study_choice *c = b ? choice_create (a) : NULL;
    size_t both = 0;
    int rc = -1;

    for (size_t i = 0; b && i < a->count; i++)
        both += sweepdata_same (b, &a->point[i]) >= 0;
    if (b && both == 0)
        errf (err,
              "%s, %s: no configuration in common: nothing to "
              "compare",
              dir_a, dir_b);
    else if (b) {
        compare_begin (out, dir_a, dir_b, a->name, b->name);
        sweeps_put_headline (out, a, b, c);
        html_paragraph (out, NULL,
                        "%zu configurations in both, %zu only in A, %zu only "
                        "in B.",
                        both, a->count - both, b->count - MIN (both, b->count));
        sweeps_digests_differ (out, a, b);
        sweeps_sweep_tables (out, a, b, c);
        html_end (out, "dftrace " PACKAGE_VERSION ", dftrace report");
        rc = 0;
    }
    sweepdata_destroy (a);
    sweepdata_destroy (b);
    return rc;
}

/* --- two of one kind -------------------------------------------------------
 */

int page_compare (FILE *out,
                  char **dir,
                  int count,
                  int second,
                  const struct kind_rules *rules,
                  struct errtext *err)
{
    struct joblist jobs[JOBCOMPARE_SIDES] = {{0}, {0}};
    int rc = -1, sweeps = 0;

    for (int i = 0; i < count; i++)
        sweeps += page_is_sweep (dir[i]);
    if (sweeps == count && count == 2)
        return compare_sweeps (out, dir[0], dir[1], err);
    if (sweeps)
        return errf (err, "%s, %s: a sweep and a job cannot be compared",
                     dir[0], dir[1]);
    if (jobcompare_sides (jobs, count, dir, second, err) == 0)
        rc = compare_jobs (out, jobs, rules, err);
    for (int side = 0; side < JOBCOMPARE_SIDES; side++)
        joblist_clear (&jobs[side]);
    return rc;
}
