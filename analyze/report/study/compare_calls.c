/* SPDX-License-Identifier: MIT
 *
 * compare_calls.c - calls and regions of two sweeps, run by run
 *
 * In:  runs of the same configuration and repeat
 * Out: HTML: time in both, ratio with its interval, what is significant
 */
#include "config.h"

#include "analyze/report/study/compare_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/chart/html.h"
#include "lib/chart/words.h"
#include "analyze/report/page.h"
#include "analyze/report/study/runtimes.h"

static const double comparecalls_sure = 0.05;

static int comparecalls_is_done (const struct sweepdata *d, size_t run)
{
    return strcmp (csv_get (d->runs, run, "state"), "done") == 0 &&
           !(csv_number (d->runs, run, "control") > 0);
}

void compare_interval (FILE *out, const struct effect *e)
{
    char m[WORDS_MAX], l[WORDS_MAX], h[WORDS_MAX], words[3 * WORDS_MAX];

    (void)snprintf (words, sizeof (words), "\xc3\x97%s",
                    number_words (m, e->mean));
    page_words (out, e->pairs ? e->mean : NAN, words, "no pair has a ratio");
    (void)snprintf (words, sizeof (words), "%s\xe2\x80\xa6%s",
                    number_words (l, e->low), number_words (h, e->high));
    page_words (out, e->pairs > 1 ? e->low : NAN, words,
                "fewer than two pairs");
}

/* Rows of runs.csv of b with the same point and repeat; NULL: ENOMEM. */
static long *comparecalls_pair_runs (const struct sweepdata *a,
                                     const struct sweepdata *b)
{
    long *pair = calloc (csv_rows (a->runs) + 1, sizeof (*pair));

    for (size_t r = 0; pair && r < csv_rows (a->runs); r++) {
        const char *id = csv_get (a->runs, r, "point");
        const char *repeat = csv_get (a->runs, r, "repeat");
        long point = -1;

        pair[r] = -1;
        for (size_t i = 0; point < 0 && i < a->count; i++)
            if (strcmp (a->point[i].id, id) == 0)
                point = sweepdata_same (b, &a->point[i]);
        if (point < 0 || !comparecalls_is_done (a, r))
            continue;
        for (size_t k = 0; pair[r] < 0 && k < csv_rows (b->runs); k++)
            if (comparecalls_is_done (b, k) &&
                strcmp (csv_get (b->runs, k, "point"), b->point[point].id) ==
                    0 &&
                strcmp (csv_get (b->runs, k, "repeat"), repeat) == 0)
                pair[r] = (long)k;
    }
    return pair;
}

static const char *comparecalls_verdict (const struct runtime *t)
{
    if (t->sum[0] <= 0 || t->sum[1] <= 0)
        return t->sum[0] > 0 ? "only in A" : "only in B";
    if (isnan (t->p))
        return "too few to tell";
    return t->p >= comparecalls_sure ? "no difference seen"
           : t->ratio.mean > 1       ? "more time in B"
                                     : "less time in B";
}

static void comparecalls_put_runtime (FILE *out, const struct runtime *t)
{
    char p[16];

    page_row (out, NULL, 0);
    page_td (out, "t", t->layer);
    page_td (out, "t", t->name);
    page_value (out, t->sum[0], "s", NULL);
    page_value (out, t->sum[1], "s", NULL);
    compare_interval (out, &t->ratio);
    page_value (out, (double)t->ratio.pairs, "", NULL);
    (void)snprintf (p, sizeof (p), "%.2g", t->p);
    page_words (out, t->p, p, "fewer than two pairs");
    page_td (out, "t", comparecalls_verdict (t));
    page_row_end (out);
}

static void comparecalls_put_runtimes (FILE *out, const struct runtimes *t)
{
    page_table (out, 1);
    page_th (out, "t", "layer", NULL);
    page_th (out, "t", "call or region", NULL);
    page_th (out, NULL, "time A", NULL);
    page_th (out, NULL, "time B", NULL);
    page_th (out, NULL, "geometric mean of B / A", NULL);
    page_th (out, NULL, "its 95 % interval", NULL);
    page_th (out, NULL, "pairs", NULL);
    page_th (out, NULL, "p", NULL);
    page_th (out, "t", "verdict", NULL);
    page_table_body (out);
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

int compare_calls (FILE *out,
                   const struct sweepdata *a,
                   const struct sweepdata *b)
{
    long *pair = comparecalls_pair_runs (a, b);
    struct runtimes t;
    int rc = pair ? runtimes_load (&t, a, b, pair) : -1;

    free (pair);
    if (rc < 0)
        return -1;
    html_section (out, "calls", "Calls and regions, B against A");
    if (t.count)
        comparecalls_put_runtimes (out, &t);
    else
        html_paragraph (out, NULL,
                        "n/a: the traces of the runs have no tables, or have "
                        "gone.");
    html_section_end (out);
    runtimes_clear (&t);
    return 0;
}
