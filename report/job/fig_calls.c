/* SPDX-License-Identifier: MIT
 *
 * fig_calls.c - figures of a job's calls, steps and workers
 *
 * In:  histograms, steps, processes.csv
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "report/chart/chart.h"
#include "report/chart/chart_time.h"
#include "report/job/fig_job.h"
#include "report/chart/html.h"
#include "report/chart/style.h"

enum { ROWS_MAX = 48 };

/* --- access pattern --------------------------------------------------- */

int fig_access (FILE *out, const struct jobdata *d)
{
    static const char *const rows[] = {"read", "write"};
    static const char *const parts[] = {"consecutive", "forward, with a gap",
                                        "backward", "first, or not known"};
    struct chart c = {"Access pattern",
                      "How many reads and writes began where "
                      "the one before them in the file had ended, after it or "
                      "before it",
                      "access",
                      "calls",
                      "",
                      0,
                      0,
                      0,
                      0};
    struct series series[ACCESS_COUNT];
    struct cell cell[ACCESS_COUNT][2];
    char text[ACCESS_COUNT][2][24];
    double most = 1;

    for (size_t i = 0; i < 2; i++) {
        double sum = 0;

        for (size_t k = 0; k < ACCESS_COUNT; k++) {
            uint64_t n = d->scan->access[i][k];

            (void)snprintf (text[k][i], sizeof (text[k][i]), "%llu",
                            (unsigned long long)n);
            cell[k][i] = (struct cell){.v = (double)n,
                                       .lo = NAN,
                                       .hi = NAN,
                                       .text = text[k][i],
                                       .name = rows[i]};
            sum += (double)n;
        }
        most = fmax (most, sum);
    }
    for (size_t k = 0; k < ACCESS_COUNT; k++)
        series[k] = (struct series){parts[k], cell[k]};
    html_figure (out, "fig-access", c.title);
    chart_rows (out, &c, 2, rows, series, ACCESS_COUNT, most);
    html_figure_end (out, "Files on storage; each against the one before it in "
                          "the same file and stretch of a thread's events.");
    return 0;
}

/* --- histograms ------------------------------------------------------- */

static void quantiles (FILE *out,
                       const char *name,
                       const struct scan_hist *h,
                       double factor,
                       const char *unit)
{
    char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];

    if (h->n)
        (void)fprintf (
            out, " %s: median %s, 95th percentile %s, 99th %s.", name,
            value_words (a, scan_hist_quantile (h, .5) * factor, unit),
            value_words (b, scan_hist_quantile (h, .95) * factor, unit),
            value_words (c, scan_hist_quantile (h, .99) * factor, unit));
}

/* Histograms of several kinds side by side, in powers of two; factor makes
 * the unit of the buckets that of the axis. */
static int histogram (FILE *out,
                      const struct chart *c,
                      const char *id,
                      size_t kinds,
                      const char *const *name,
                      const struct scan_hist *hist,
                      double factor,
                      const char *unit,
                      const char *axis)
{
    struct cell *cell = calloc (kinds * SCAN_OCTAVES, sizeof (*cell));
    char (*text)[24] = calloc (kinds * SCAN_OCTAVES, sizeof (*text));
    char *label[SCAN_OCTAVES] = {NULL}, words[WORDS_MAX];
    struct series series[SCAN_CLASSES];
    int lo = SCAN_OCTAVES, hi = -1, rc = cell && text ? 0 : -1;
    size_t n = 0, used = 0;

    for (size_t k = 0; k < kinds; k++)
        for (int i = 0; i < SCAN_OCTAVES; i++)
            if (hist[k].octave[i]) {
                lo = i < lo ? i : lo;
                hi = i > hi ? i : hi;
            }
    for (int i = lo; rc == 0 && i <= hi; i++, n++)
        if (!(label[n] = strdup (value_words (words, ldexp (factor, i), unit))))
            rc = -1;
    for (size_t k = 0; rc == 0 && k < kinds; k++) {
        if (!hist[k].n)
            continue;
        series[used] = (struct series){name[k], cell + used * SCAN_OCTAVES};
        for (size_t i = 0; i < n; i++) {
            struct cell *x = &series[used].cell[i];
            char *exact = text[used * SCAN_OCTAVES + i];

            x->v = (double)hist[k].octave[(size_t)lo + i];
            x->absent = x->v == 0;
            x->lo = x->hi = NAN;
            x->name = x->id = label[i];
            (void)snprintf (exact, sizeof (text[0]), "%.0f", x->v);
            x->text = exact;
        }
        used++;
    }
    if (rc == 0) {
        struct categories cats = {
            n, 0, (const char *const *)label, NULL, axis, NULL, 0};

        html_figure (out, id, c->title);
        if (used)
            chart_bars (out, c, &cats, series, used);
        else
            (void)fputs ("<p>No such calls on files on storage.</p>", out);
        (void)fputs ("<figcaption>Each bar: from its label up to twice as "
                     "much; counts on a logarithmic scale. Percentiles are "
                     "within 2 %.",
                     out);
        for (size_t k = 0; k < kinds; k++)
            quantiles (out, name[k], &hist[k], factor, unit);
        (void)fputs ("</figcaption></figure>\n", out);
    }
    for (size_t i = 0; i < SCAN_OCTAVES; i++)
        free (label[i]);
    free (text);
    free (cell);
    return rc;
}

int fig_histograms (FILE *out, const struct jobdata *d)
{
    static const char *const names[] = {"read", "write", "metadata", "sync"};
    struct chart size = {"Sizes of reads and writes",
                         "How many reads and "
                         "writes moved how many bytes",
                         "sizes",
                         "calls",
                         "",
                         1,
                         0,
                         0,
                         0};
    struct chart time = {"Durations of calls",
                         "How many calls took how long",
                         "durations",
                         "calls",
                         "",
                         1,
                         0,
                         0,
                         0};

    if (histogram (out, &size, "fig-sizes", 2, names, d->scan->size, 1, "B",
                   "bytes moved") < 0)
        return -1;
    return histogram (out, &time, "fig-durations", SCAN_CLASSES, names,
                      d->scan->latency, 1e-9, "s", "duration");
}

/* --- steps and workers ------------------------------------------------ */

static size_t group_of (int32_t rank, int32_t *seen, size_t *groups)
{
    for (size_t i = 0; i < *groups; i++)
        if (seen[i] == rank)
            return i;
    if (*groups == STYLE_SERIES - 1)
        return STYLE_SERIES - 1;
    seen[*groups] = rank;
    return (*groups)++;
}

static int by_seconds (const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int fig_steps (FILE *out, const struct jobdata *d)
{
    enum { DOTS_MAX = 2400 };
    const struct jobscan *s = d->scan;
    struct chart c = {"Duration of training steps",
                      "Each dot is a step of a "
                      "rank: when it began and how long it took",
                      "step_s",
                      "step",
                      "s",
                      0,
                      0,
                      0,
                      0};
    struct dot *dot = calloc (s->steps + 1, sizeof (*dot));
    double *sorted = calloc (s->steps + 1, sizeof (*sorted));
    char names[STYLE_SERIES][24], a[WORDS_MAX], b[WORDS_MAX], m[WORDS_MAX];
    const char *name[STYLE_SERIES];
    int32_t seen[STYLE_SERIES];
    size_t groups = 0, dots = 0, every = s->steps / DOTS_MAX + 1, others = 0;

    if (!dot || !sorted || s->steps == 0) {
        free (dot);
        free (sorted);
        return dot && sorted ? 0 : -1;
    }
    for (size_t i = 0; i < s->steps; i++) {
        sorted[i] = s->step[i].seconds;
        if (i % every)
            continue;
        dot[dots] = (struct dot){s->step[i].at, s->step[i].seconds,
                                 group_of (s->step[i].rank, seen, &groups)};
        others |= dot[dots++].group == STYLE_SERIES - 1;
    }
    for (size_t i = 0; i < groups; i++) {
        if (seen[i] < 0)
            (void)snprintf (names[i], sizeof (names[i]), "no rank");
        else
            (void)snprintf (names[i], sizeof (names[i]), "rank %d", seen[i]);
        name[i] = names[i];
    }
    if (others)
        name[groups++] = "other ranks";
    qsort (sorted, s->steps, sizeof (*sorted), by_seconds);
    html_figure (out, "fig-steps", c.title);
    chart_dots (out, &c, (double)(s->t1 - s->t0) / 1e9, dot, dots, groups,
                name);
    (void)fprintf (out,
                   "<figcaption>%zu steps (compute/step): shortest %s, "
                   "median %s, longest %s.",
                   s->steps_seen, value_words (a, sorted[0], "s"),
                   value_words (m, sorted[s->steps / 2], "s"),
                   value_words (b, sorted[s->steps - 1], "s"));
    if (every > 1)
        (void)fprintf (out, " Every %zuth is drawn.", every);
    (void)fputs ("</figcaption></figure>\n", out);
    free (dot);
    free (sorted);
    return 0;
}

/* Data loader workers: how much of their life they work. */
int fig_workers (FILE *out, const struct jobdata *d)
{
    struct chart c = {"Occupancy of data loader workers",
                      "Share of each "
                      "worker's life in loader regions",
                      "occupancy",
                      "busy",
                      "%",
                      0,
                      0,
                      0,
                      0};
    const struct csv *p = d->processes;
    struct cell cell[ROWS_MAX];
    struct series series = {"busy", cell};
    char *name[ROWS_MAX] = {NULL};
    size_t n = 0, all = 0;
    int rc = 0;

    for (size_t r = 0; r < csv_rows (p); r++) {
        double busy = csv_number (p, r, "loader_s");
        double life = csv_number (p, r, "time_s");

        if (!(busy > 0) || !(life > 0))
            continue;
        all++;
        if (n == ROWS_MAX)
            continue;
        if (!(name[n] =
                  text_format ("rank %s, %s:%s", csv_get (p, r, "rank"),
                               csv_get (p, r, "host"), csv_get (p, r, "pid"))))
            rc = -1;
        cell[n] = (struct cell){
            .v = 100 * busy / life, .lo = NAN, .hi = NAN, .name = name[n]};
        n++;
    }
    if (rc == 0 && n) {
        html_figure (out, "fig-workers", c.title);
        chart_rows (out, &c, n, (const char *const *)name, &series, 1, 100);
        (void)fputs ("<figcaption>Processes with loader regions; their own "
                     "time in them over the time they lived.",
                     out);
        if (n < all)
            (void)fprintf (out, " The first %zu of %zu.", n, all);
        (void)fputs ("</figcaption></figure>\n", out);
    }
    for (size_t r = 0; r < ROWS_MAX; r++)
        free (name[r]);
    return rc;
}
