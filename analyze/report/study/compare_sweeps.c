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
struct sweeps_effect {
    const char *metric, *title;
    struct effect e;
    size_t smaller; /* pairs in which that of B is */
};

struct sweeps {
    const struct sweepdata *a, *b;
    const char *metric;           /* that the first sentence is about */
    long *same;                   /* by point of a: the point of b, -1: none */
    size_t both;                  /* points that have one */
    struct sweeps_effect *effect; /* by column of the tables */
    size_t effects;
};

/* A metric of a point of a, and at the same point of b; NaN: none. */
static double sweeps_of_a (const struct sweeps *s, size_t i, const char *metric)
{
    return sweepdata_cell (s->a, i, metric).v;
}

static double sweeps_of_b (const struct sweeps *s, size_t i, const char *metric)
{
    return s->same[i] < 0 ? NAN : sweepdata_cell (s->b, s->same[i], metric).v;
}

static struct sweeps sweeps_make (const struct sweepdata *a,
                                  const struct sweepdata *b)
{
    const struct study_choice *c = choice_create (a);
    struct sweeps s = {
        .a = a, .b = b, .metric = effect_metric (a, c), .effects = c->columns};

    s.same = arena_array (a->count, sizeof (*s.same));
    s.effect = arena_array (s.effects, sizeof (*s.effect));
    for (size_t i = 0; i < a->count; i++) {
        s.same[i] = sweepdata_same (b, &a->point[i]);
        s.both += s.same[i] >= 0;
    }
    for (size_t k = 0; k < s.effects; k++) {
        struct sweeps_effect *x = &s.effect[k];

        x->metric = c->column[k];
        x->title = c->title[k];
        effect_begin (&x->e);
        for (size_t i = 0; i < a->count; i++) {
            double of_a = sweeps_of_a (&s, i, x->metric);
            double of_b = sweeps_of_b (&s, i, x->metric);

            x->smaller += of_a > 0 && of_b > 0 && of_b < of_a;
            effect_pair (&x->e, of_a, of_b);
        }
        effect_end (&x->e);
    }
    return s;
}

/* --- figures ---------------------------------------------------------------
 */

/* Metrics whose ratio has a number, with their intervals. */
static void sweeps_draw_ratios (FILE *out, const struct sweeps *s)
{
    const struct chart chart = {
        .title = "B against A, over all configurations",
        .text = "Ratios of the metrics with their 95 % intervals",
        .metric = "metric_ratio",
        .measure = "B / A",
        .unit = ""};
    struct chart_grid g = chart_grid_create (1, s->effects, 1);

    g.rows = 0;
    for (size_t k = 0; k < s->effects; k++) {
        const struct sweeps_effect *x = &s->effect[k];
        struct cell *cell = &g.cell[g.rows];

        if (!x->e.pairs)
            continue;
        *cell = cell_of (x->e.mean, x->metric);
        cell->lo = x->e.low;
        cell->hi = x->e.high;
        cell->id = x->metric;
        g.row[g.rows++] = x->title;
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
                               const struct sweeps *s,
                               const struct sweeps_effect *x)
{
    const struct chart chart = {.title = x->title,
                                .text = "Bars side by side on one scale",
                                .metric = x->metric,
                                .measure = x->title,
                                .unit = sweepdata_unit (s->a, x->metric)};
    struct chart_grid g = chart_grid_create (1, 2, MIN (s->both, PAIRS_DRAWN));
    size_t n = 0;

    if (!sweepdata_has (s->a, x->metric) || !sweepdata_has (s->b, x->metric))
        return;
    g.row[0] = "A";
    g.row[1] = "B";
    g.column_name = "configuration";
    for (size_t i = 0; n < g.columns; i++) {
        if (s->same[i] < 0)
            continue;
        g.column[n] = s->a->point[i].label;
        g.cell[n] = sweepdata_cell (s->a, i, x->metric);
        g.cell[g.columns + n++] = sweepdata_cell (s->b, s->same[i], x->metric);
    }
    html_figure (out, arena_format ("fig-%s", x->metric), x->title);
    chart_bars (out, &chart, &g);
    html_figure_end (out,
                     "Mean of the repeats; whiskers: lowest and "
                     "highest of them.%s",
                     s->a->count > n ? " Not all configurations are drawn; "
                                       "the table has them."
                                     : "");
}

/* --- tables ------------------------------------------------------------------
 */

static void
sweeps_put_metric (FILE *out, const struct sweeps *s, const char *metric)
{
    html_section (out, metric, metric);
    compare_heads (out, "configuration", NULL);
    for (size_t i = 0; i < s->a->count; i++) {
        page_row (out, NULL, 0);
        page_td (out, "t", s->a->point[i].label);
        compare_values (out, sweeps_of_a (s, i, metric),
                        sweeps_of_b (s, i, metric),
                        sweepdata_unit (s->a, metric));
        page_row_end (out);
    }
    page_table_end (out);
    html_section_end (out);
}

/* Geometric means of B / A with their intervals, ranges and numbers of pairs.
 */
static void sweeps_put_ratios (FILE *out, const struct sweeps *s)
{
    html_paragraph (out, "note",
                    "Ratios over the configurations that both have and in "
                    "which both numbers are above zero.");
    page_table_heads (out, 1,
                      ".metric|geometric mean of B / A|its 95 % "
                      "interval|smallest|largest|smaller in B|pairs");
    for (size_t k = 0; k < s->effects; k++) {
        const struct effect *e = &s->effect[k].e;

        page_row (out, NULL, 0);
        page_td (out, "t", s->effect[k].metric);
        compare_interval (out, e);
        page_td (out, NULL, e->pairs ? number_shown (e->lo) : "");
        page_td (out, NULL, e->pairs ? number_shown (e->hi) : "");
        page_cells (out, "%f %f", (double)s->effect[k].smaller,
                    (double)e->pairs);
        page_row_end (out);
    }
    page_table_end (out);
}

static void sweeps_put_tables (FILE *out, const struct sweeps *s)
{
    html_section (out, "ratios", "B against A, point by point");
    sweeps_draw_ratios (out, s);
    sweeps_put_ratios (out, s);
    html_section_end (out);
    html_section (out, "figures", "A and B on one scale");
    for (size_t k = 0; k < s->effects; k++)
        sweeps_draw_pairs (out, s, &s->effect[k]);
    html_section_end (out);
    compare_calls (out, s->a, s->b);
    for (size_t k = 0; k < s->effects; k++)
        sweeps_put_metric (out, s, s->effect[k].metric);
}

/* The metric, its ratio and how sure that is; then what else changed most. */
static void sweeps_put_headline (FILE *out, const struct sweeps *s)
{
    const struct sweeps_effect *first = s->effect, *most = NULL;
    const struct effect *e;

    for (size_t k = 0; k < s->effects; k++)
        if (strcmp (s->effect[k].metric, s->metric) == 0)
            first = &s->effect[k];
    e = &first->e;
    if (!e->pairs) {
        html_paragraph (out, "lead",
                        "Too few to tell: no configuration has %s "
                        "in both.",
                        first->metric);
        return;
    }
    html_paragraph (
        out, "lead",
        "%s of B is \xc3\x97%s of that of A over %zu configurations: "
        "%s.",
        first->metric, number_shown (e->mean), e->pairs, effect_verdict (e));
    for (size_t k = 0; k < s->effects; k++) {
        const struct sweeps_effect *x = &s->effect[k];

        if (x != first && x->e.pairs > 1 && (x->e.low > 1 || x->e.high < 1) &&
            (!most || fabs (x->e.logs.mean) > fabs (most->e.logs.mean)))
            most = x;
    }
    if (most)
        html_paragraph (
            out, "lead",
            "Of the other metrics %s changed most: \xc3\x97%s (%s to "
            "%s).",
            most->metric, number_shown (most->e.mean),
            number_shown (most->e.low), number_shown (most->e.high));
    else
        html_paragraph (out, "lead", "No other metric is shown to differ.");
    html_paragraph (
        out, "lead",
        e->pairs > 1 ? "How sure: 95 %% interval \xc3\x97%s to \xc3\x97%s; a "
                       "configuration is the unit."
                     : "How sure: one configuration says nothing about "
                       "chance%.0s%.0s.",
        number_shown (e->low), number_shown (e->high));
}

static int sweeps_put (FILE *out,
                       const struct sweepdata *a,
                       const struct sweepdata *b,
                       struct errtext *err)
{
    struct sweeps s = sweeps_make (a, b);

    if (!s.both)
        return errf (err,
                     "%s, %s: no configuration in common: nothing to "
                     "compare",
                     a->dir, b->dir);
    compare_begin (out, a->dir, b->dir, a->name, b->name);
    sweeps_put_headline (out, &s);
    html_paragraph (out, NULL,
                    "%zu configurations in both, %zu only in A, %zu only "
                    "in B.",
                    s.both, a->count - s.both,
                    b->count - MIN (s.both, b->count));
    sweeps_digests_differ (out, a, b);
    sweeps_put_tables (out, &s);
    html_end (out, "dftrace " PACKAGE_VERSION ", dftrace report");
    return 0;
}

static int compare_sweeps (FILE *out, char *const dir[2], struct errtext *err)
{
    struct sweepdata *a = sweepdata_load (dir[0], err);
    struct sweepdata *b = a ? sweepdata_load (dir[1], err) : NULL;
    int rc = b ? sweeps_put (out, a, b, err) : -1;

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
        return compare_sweeps (out, dir, err);
    if (sweeps)
        return errf (err, "%s, %s: a sweep and a job cannot be compared",
                     dir[0], dir[1]);
    if (jobcompare_sides (jobs, count, dir, second, err) == 0)
        rc = compare_jobs (out, jobs, rules, err);
    for (int side = 0; side < JOBCOMPARE_SIDES; side++)
        joblist_clear (&jobs[side]);
    return rc;
}
