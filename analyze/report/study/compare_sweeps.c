/* SPDX-License-Identifier: MIT
 *
 * compare_sweeps.c - two sweeps -> what differs between them
 *
 * In:  what `dftrace sweep results` wrote of both
 * Out: HTML: parts of the specs, ratios by metric and by point
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/util/ytree.h"
#include "lib/chart/chart.h"
#include "analyze/report/compare.h"
#include "analyze/report/study/choice.h"
#include "analyze/report/study/compare_calls.h"
#include "analyze/report/study/effects.h"
#include "lib/chart/html.h"
#include "analyze/report/page.h"
#include "analyze/report/study/sweepdata.h"
#include "lib/chart/words.h"

enum { PAIRS_DRAWN = 40 }; /* configurations of a figure */

static int sweeps_digests_differ (FILE *out,
                                  const char *dir_a,
                                  const char *dir_b,
                                  struct errtext *err)
{
    char *path_a = path_join (dir_a, "manifest.json");
    char *path_b = path_join (dir_b, "manifest.json");
    struct ytree *a = path_a ? ytree_load (path_a, err) : NULL;
    struct ytree *b = path_b ? ytree_load (path_b, err) : NULL;
    const struct ynode *x = a ? ynode_get (ytree_root (a), "digests") : NULL;
    const struct ynode *y = b ? ynode_get (ytree_root (b), "digests") : NULL;
    size_t n = 0;

    html_section (out, "changes", "What differs");
    if (a && b) {
        compare_change (out, "created",
                        ynode_text (ytree_root (a), "created", ""),
                        ynode_text (ytree_root (b), "created", ""), &n);
        compare_change (out, "layers",
                        ynode_text (ytree_root (a), "layers", ""),
                        ynode_text (ytree_root (b), "layers", ""), &n);
        for (size_t i = 0; x && i < x->count; i++)
            if (strcmp (ynode_text (x, x->key[i]->text, ""),
                        ynode_text (y, x->key[i]->text, "")) != 0)
                compare_change (out, x->key[i]->text, "as in its spec.yaml",
                                "another one: see its spec.yaml", &n);
    }
    compare_end_changes (out, n);
    free (path_a);
    free (path_b);
    ytree_destroy (a);
    ytree_destroy (b);
    return a && b ? 0 : -1;
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
        double y = at < 0 ? NAN : sweepdata_cell (b, (size_t)at, metric).v;

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
    char l[WORDS_MAX], h[WORDS_MAX];

    page_row (out, NULL, 0);
    page_td (out, "t", metric);
    compare_interval (out, &e);
    page_td (out, NULL, e.pairs ? number_words (l, e.lo) : "");
    page_td (out, NULL, e.pairs ? number_words (h, e.hi) : "");
    page_value (out, (double)smaller, "", NULL);
    page_value (out, (double)e.pairs, "", NULL);
    page_row_end (out);
}

/* --- figures ---------------------------------------------------------------
 */

/* Metrics whose ratio has a number, with their intervals. */
static int sweeps_draw_ratios (FILE *out,
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
    struct cell *cell = calloc (c->columns + 1, sizeof (*cell));
    const char **name = calloc (c->columns + 1, sizeof (*name));
    char (*text)[32] = calloc (c->columns + 1, sizeof (*text));
    size_t n = 0, smaller;
    int rc = cell && name && text ? 0 : -1;

    for (size_t k = 0; rc == 0 && k < c->columns; k++) {
        struct effect e = sweeps_effect (a, b, c->column[k], &smaller);

        if (!e.pairs)
            continue;
        (void)snprintf (text[n], sizeof (text[n]), "%.9g", e.mean);
        cell[n] = (struct cell){.v = e.mean,
                                .lo = e.low,
                                .hi = e.high,
                                .text = text[n],
                                .id = c->column[k],
                                .name = c->column[k]};
        name[n++] = c->title[k];
    }
    if (rc == 0 && n) {
        html_figure (out, "fig-ratios", chart.title);
        chart_forest (out, &chart, n, name, cell);
        html_figure_end (out,
                         "Geometric means over the configurations; whiskers: "
                         "their 95 %% intervals (Student's t of the "
                         "logarithms). An interval that holds 1 is no "
                         "difference.");
    }
    free (text);
    free (name);
    free (cell);
    return rc;
}

/* A and B side by side, a pair of bars a configuration, on one scale. */
static int sweeps_draw_pairs (FILE *out,
                              const struct sweepdata *a,
                              const struct sweepdata *b,
                              const char *metric,
                              const char *title)
{
    static const char *const side[] = {"A", "B"};
    struct chart chart = {.title = title,
                          .text = "Bars side by side on one scale",
                          .metric = metric,
                          .measure = title,
                          .unit = sweepdata_unit (a, metric)};
    struct cell *cell = calloc (2 * a->count + 1, sizeof (*cell));
    const char **name = calloc (a->count + 1, sizeof (*name));
    struct series s[2] = {{side[0], cell}, {side[1], cell + a->count}};
    char id[128];
    size_t n = 0;

    for (size_t i = 0; cell && name && i < a->count; i++) {
        long at = sweepdata_same (b, &a->point[i]);

        if (at < 0 || n == PAIRS_DRAWN)
            continue;
        s[0].cell[n] = sweepdata_cell (a, i, metric);
        s[1].cell[n] = sweepdata_cell (b, (size_t)at, metric);
        name[n++] = a->point[i].label;
    }
    if (n) {
        struct categories cats = {n, 0, name, NULL, "configuration", NULL, 0};

        (void)snprintf (id, sizeof (id), "fig-%s", metric);
        html_figure (out, id, title);
        chart_bars (out, &chart, &cats, s, 2);
        html_figure_end (out,
                         "Mean of the repeats; whiskers: lowest and "
                         "highest of them.%s",
                         a->count > n ? " Not all configurations are drawn; "
                                        "the table has them."
                                      : "");
    }
    free (name);
    free (cell);
    return cell && name ? 0 : -1;
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
                        at < 0 ? NAN : sweepdata_cell (b, (size_t)at, metric).v,
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
    page_table (out, 1);
    page_th (out, "t", "metric", NULL);
    page_th (out, NULL, "geometric mean of B / A", NULL);
    page_th (out, NULL, "its 95 % interval", NULL);
    page_th (out, NULL, "smallest", NULL);
    page_th (out, NULL, "largest", NULL);
    page_th (out, NULL, "smaller in B", NULL);
    page_th (out, NULL, "pairs", NULL);
    page_table_body (out);
    for (size_t k = 0; k < c->columns; k++)
        sweeps_put_summary (out, a, b, c->column[k]);
    page_table_end (out);
}

static int sweeps_sweep_tables (FILE *out,
                                const struct sweepdata *a,
                                const struct sweepdata *b)
{
    struct study_choice *c = choice_create (a);
    int rc = c ? 0 : -1;

    if (!c)
        return -1;
    html_section (out, "ratios", "B against A, point by point");
    rc = sweeps_draw_ratios (out, a, b, c);
    sweeps_put_ratios (out, a, b, c);
    html_section_end (out);
    html_section (out, "figures", "A and B on one scale");
    for (size_t k = 0; rc == 0 && k < c->columns; k++)
        if (sweepdata_has (a, c->column[k]) && sweepdata_has (b, c->column[k]))
            rc = sweeps_draw_pairs (out, a, b, c->column[k], c->title[k]);
    html_section_end (out);
    if (rc == 0)
        rc = compare_calls (out, a, b);
    for (size_t k = 0; k < c->columns; k++)
        sweeps_put_metric (out, a, b, c->column[k]);
    choice_destroy (c);
    return rc;
}

int compare_sweeps (FILE *out,
                    const char *dir_a,
                    const char *dir_b,
                    struct errtext *err)
{
    struct sweepdata *a = sweepdata_load (dir_a, err);
    struct sweepdata *b = a ? sweepdata_load (dir_b, err) : NULL;
    size_t both = 0;
    int rc = -1;

    for (size_t i = 0; b && i < a->count; i++)
        both += sweepdata_same (b, &a->point[i]) >= 0;
    if (b && both == 0)
        (void)errf (err,
                    "%s, %s: no configuration in common: nothing to "
                    "compare",
                    dir_a, dir_b);
    else if (b) {
        compare_begin (out, dir_a, dir_b, a->name, b->name);
        html_paragraph (out, NULL,
                        "%zu configurations in both, %zu only in A, %zu only "
                        "in B.",
                        both, a->count - both,
                        b->count - (both < b->count ? both : b->count));
        rc = sweeps_digests_differ (out, dir_a, dir_b, err);
        if (rc == 0 && sweeps_sweep_tables (out, a, b) < 0)
            rc = errf (err, "%s: %s", dir_a, strerror (ENOMEM));
        html_end (out, "dftrace " PACKAGE_VERSION ", dftrace report");
    }
    sweepdata_destroy (a);
    sweepdata_destroy (b);
    return rc;
}
