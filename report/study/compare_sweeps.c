/* SPDX-License-Identifier: MIT
 *
 * compare_sweeps.c - two sweeps -> what differs between them
 *
 * In:  what `dftrace sweep results` wrote of both
 * Out: HTML: parts of the specs, ratios by metric and by point
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/util/ytree.h"
#include "report/compare.h"
#include "report/study/effects.h"
#include "lib/chart/html.h"
#include "report/page.h"
#include "report/study/sweepdata.h"
#include "lib/chart/words.h"

/* The point of b with the id, else the label, of a point of a; -1 none. */
static long sweeps_same_point (const struct sweepdata *b,
                               const struct sweep_point *p)
{
    long by_label = -1;

    for (size_t i = 0; i < b->count; i++) {
        if (strcmp (b->point[i].id, p->id) == 0)
            return (long)i;
        if (by_label < 0 && strcmp (b->point[i].label, p->label) == 0)
            by_label = (long)i;
    }
    return by_label;
}

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

/* Geometric mean of B / A, its interval, range and number of pairs over the
 * points of both. */
static void sweeps_put_summary (FILE *out,
                                const struct sweepdata *a,
                                const struct sweepdata *b,
                                const char *metric)
{
    struct effect e;
    size_t smaller = 0;
    char m[WORDS_MAX], l[WORDS_MAX], h[WORDS_MAX], words[3 * WORDS_MAX];

    effect_begin (&e);
    for (size_t i = 0; i < a->count; i++) {
        long at = sweeps_same_point (b, &a->point[i]);
        double x = sweepdata_cell (a, i, metric).v;
        double y = at < 0 ? NAN : sweepdata_cell (b, (size_t)at, metric).v;

        smaller += x > 0 && y > 0 && y < x;
        effect_pair (&e, x, y);
    }
    effect_end (&e);
    page_row (out, NULL, 0);
    page_td (out, "t", metric);
    (void)snprintf (words, sizeof (words), "\xc3\x97%s",
                    number_words (m, e.mean));
    page_words (out, e.pairs ? e.mean : NAN, words, "no pair has a ratio");
    (void)snprintf (words, sizeof (words), "%s\xe2\x80\xa6%s",
                    number_words (l, e.low), number_words (h, e.high));
    page_words (out, e.pairs > 1 ? e.low : NAN, words, "fewer than two pairs");
    page_td (out, NULL, e.pairs ? number_words (l, e.lo) : "");
    page_td (out, NULL, e.pairs ? number_words (h, e.hi) : "");
    page_value (out, (double)smaller, "", NULL);
    page_value (out, (double)e.pairs, "", NULL);
    page_row_end (out);
}

static void sweeps_sweep_tables (FILE *out,
                                 const struct sweepdata *a,
                                 const struct sweepdata *b)
{
    static const char *const metrics[] = {"posix_events",    "loader_time",
                                          "loader_percent",  "stall_time",
                                          "read_time",       "read_bandwidth",
                                          "read_size",       "sample_bandwidth",
                                          "checkpoint_time", "job_time"};
    enum { N = sizeof (metrics) / sizeof (metrics[0]) };

    html_section (out, "ratios", "B against A, point by point");
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
    for (size_t k = 0; k < N; k++)
        sweeps_put_summary (out, a, b, metrics[k]);
    page_table_end (out);
    html_section_end (out);
    for (size_t k = 0; k < N; k++) {
        html_section (out, metrics[k], metrics[k]);
        compare_heads (out, "configuration", NULL);
        for (size_t i = 0; i < a->count; i++) {
            long at = sweeps_same_point (b, &a->point[i]);

            page_row (out, NULL, 0);
            page_td (out, "t", a->point[i].label);
            compare_values (
                out, sweepdata_cell (a, i, metrics[k]).v,
                at < 0 ? NAN : sweepdata_cell (b, (size_t)at, metrics[k]).v,
                sweepdata_unit (a, metrics[k]));
            page_row_end (out);
        }
        page_table_end (out);
        html_section_end (out);
    }
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
        both += sweeps_same_point (b, &a->point[i]) >= 0;
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
        sweeps_sweep_tables (out, a, b);
        html_end (out, "dftrace " PACKAGE_VERSION ", dftrace report");
    }
    sweepdata_destroy (a);
    sweepdata_destroy (b);
    return rc;
}
