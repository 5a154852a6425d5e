/* SPDX-License-Identifier: MIT
 *
 * fig_job.c - the figures of a job
 *
 * In:  tables and bins of a job
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include "report/fig_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "report/chart.h"
#include "report/chart_time.h"
#include "report/html.h"

enum { ROWS_MAX = 48, HEAT_BINS = 40, HEAT_MERGE = SCAN_BINS / HEAT_BINS };

static double job_seconds (const struct jobdata *d)
{
    return (double)(d->scan->t1 - d->scan->t0) / 1e9;
}

static char *row_name (const struct scan_process *p)
{
    return p->rank >= 0
               ? text_format ("rank %d, %s:%u", p->rank, p->host, p->pid)
               : text_format ("%s:%u", p->host, p->pid);
}

/* The busiest rows by weight, in their order. Returns how many; row[] gets
 * indices. */
static size_t choose (const double *weight, size_t n, size_t row[ROWS_MAX])
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        size_t least = 0;

        if (kept < ROWS_MAX) {
            row[kept++] = i;
            continue;
        }
        for (size_t k = 1; k < kept; k++)
            if (weight[row[k]] < weight[row[least]])
                least = k;
        if (weight[i] <= weight[row[least]])
            continue;
        memmove (row + least, row + least + 1,
                 (kept - least - 1) * sizeof (row[0]));
        row[kept - 1] = i;
    }
    return kept;
}

static void
say_rows (FILE *out, size_t shown, size_t all, const char *what, const char *by)
{
    if (shown < all)
        (void)fprintf (out, " %zu of %zu %s, those with the most %s.", shown,
                       all, what, by);
}

/* --- timeline --------------------------------------------------------- */

int fig_timeline (FILE *out,
                  const struct jobdata *d,
                  const char *id,
                  const char *title)
{
    static const char *const lanes[] = {"compute", "data loader",
                                        "waiting for data", "I/O on storage",
                                        "checkpoint"};
    const struct jobscan *s = d->scan;
    struct chart c = {"Timeline of the job",
                      "Processes from top to bottom, "
                      "time from left to right; what each was busy with",
                      "busy",
                      "",
                      "s",
                      0,
                      0,
                      0,
                      0};
    double *weight = calloc (s->processes + 1, sizeof (*weight));
    struct lane *lane = calloc (ROWS_MAX * LANE_COUNT, sizeof (*lane));
    char *name[ROWS_MAX] = {NULL};
    size_t row[ROWS_MAX], n = 0;
    int rc = weight && lane ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < s->processes; i++)
        weight[i] = (double)s->process[i].events;
    if (rc == 0)
        n = choose (weight, s->processes, row);
    for (size_t r = 0; r < n; r++) {
        const struct scan_process *p = &s->process[row[r]];

        if (!(name[r] = row_name (p)))
            rc = -1;
        for (size_t i = 0; i < LANE_COUNT; i++)
            if (p->lane_s[i] > 0)
                lane[r * LANE_COUNT + i] =
                    (struct lane){p->busy[i], p->lane_s[i]};
    }
    if (rc == 0) {
        html_figure (out, id, title ? title : c.title);
        chart_timeline (out, &c, job_seconds (d), SCAN_BINS, n,
                        (const char *const *)name, LANE_COUNT, lanes, lane);
        (void)fprintf (out,
                       "<figcaption>The height of a mark is the share of "
                       "its %.3g s in which the process was at it; lanes of a "
                       "process above each other overlap in time.",
                       jobscan_bin_seconds (s));
        say_rows (out, n, s->processes, "processes", "events");
        (void)fputs ("</figcaption></figure>\n", out);
    }
    for (size_t r = 0; r < n; r++)
        free (name[r]);
    free (weight);
    free (lane);
    return rc;
}

/* --- bytes by process and time ---------------------------------------- */

static int bytes_heat (FILE *out, const struct jobdata *d)
{
    const struct jobscan *s = d->scan;
    struct chart c = {"Bytes moved by process and time",
                      "Bytes read and written by each process over the time "
                      "of the job",
                      "bytes",
                      "bytes",
                      "B",
                      0,
                      1,
                      0,
                      0};
    double *weight = calloc (s->processes + 1, sizeof (*weight));
    struct cell *cell = calloc (2 * ROWS_MAX * HEAT_BINS, sizeof (*cell));
    char *name[ROWS_MAX] = {NULL}, *tick[HEAT_BINS] = {NULL};
    struct heat panel[2] = {{"read", NULL}, {"written", NULL}};
    size_t row[ROWS_MAX], n = 0;
    struct unit u = unit_for ("s", job_seconds (d));
    int rc = weight && cell ? 0 : -1;
    char buf[WORDS_MAX];

    for (size_t i = 0; rc == 0 && i < s->processes; i++)
        for (size_t k = 0; k < SCAN_BINS; k++)
            weight[i] += s->process[i].bytes[0][k] + s->process[i].bytes[1][k];
    if (rc == 0)
        n = choose (weight, s->processes, row);
    for (size_t r = 0; r < n;) { /* only those that moved something */
        if (weight[row[r]] > 0)
            r++;
        else
            memmove (row + r, row + r + 1, (--n - r) * sizeof (row[0]));
    }
    for (size_t k = 0; k < HEAT_BINS; k++)
        if (!(tick[k] = strdup (number_words (buf, (double)k * HEAT_MERGE *
                                                       jobscan_bin_seconds (s) *
                                                       u.factor))))
            rc = -1;
    for (size_t r = 0; rc == 0 && r < n; r++) {
        const struct scan_process *p = &s->process[row[r]];

        if (!(name[r] = row_name (p)))
            rc = -1;
        for (size_t i = 0; i < 2 * HEAT_BINS; i++) {
            struct cell *x =
                &cell[(i / HEAT_BINS * n + r) * HEAT_BINS + i % HEAT_BINS];

            x->lo = x->hi = NAN;
            x->name = name[r];
            for (size_t k = 0; k < HEAT_MERGE; k++)
                x->v += p->bytes[i / HEAT_BINS][i % HEAT_BINS * HEAT_MERGE + k];
        }
    }
    if (rc == 0) {
        (void)snprintf (buf, sizeof (buf), "time since the begin, %s", u.name);
        panel[0].cell = cell;
        panel[1].cell = cell + n * HEAT_BINS;
        html_figure (out, "fig-bytes", c.title);
        if (n)
            chart_heat (out, &c, n, (const char *const *)name, "process",
                        HEAT_BINS, (const char *const *)tick, buf, panel, 2);
        else
            (void)fputs ("<p>No process read or wrote a file on storage.</p>",
                         out);
        (void)fprintf (out, "<figcaption>Files on storage; a cell is %.3g s.",
                       jobscan_bin_seconds (s) * HEAT_MERGE);
        say_rows (out, n, s->processes, "processes", "bytes");
        (void)fputs ("</figcaption></figure>\n", out);
    }
    for (size_t r = 0; r < ROWS_MAX; r++)
        free (name[r]);
    for (size_t k = 0; k < HEAT_BINS; k++)
        free (tick[k]);
    free (weight);
    free (cell);
    return rc;
}

static void rates (FILE *out, const struct jobdata *d)
{
    static const char *const names[] = {"read", "written"};
    static double value[2][SCAN_BINS];
    double *const values[] = {value[0], value[1]};
    struct chart c = {"Bandwidth over time",
                      "Bytes per second of all "
                      "processes together, read and written",
                      "rate",
                      "bandwidth",
                      "MiB/s",
                      0,
                      0,
                      0,
                      0};

    memset (value, 0, sizeof (value));
    for (size_t i = 0; i < d->scan->processes; i++)
        for (size_t k = 0; k < 2 * SCAN_BINS; k++)
            value[k / SCAN_BINS][k % SCAN_BINS] +=
                d->scan->process[i].bytes[k / SCAN_BINS][k % SCAN_BINS] /
                (1 << 20) / jobscan_bin_seconds (d->scan);
    html_figure (out, "fig-rates", c.title);
    chart_rates (out, &c, job_seconds (d), SCAN_BINS, 2, names, values);
    (void)fprintf (out,
                   "<figcaption>All processes, files on storage, mean of "
                   "each %.3g s.</figcaption></figure>\n",
                   jobscan_bin_seconds (d->scan));
}

/* --- cost ------------------------------------------------------------- */

static int cost (FILE *out, const struct jobdata *d)
{
    enum { PARTS = 5 };
    static const char *const parts[PARTS] = {"read", "write", "metadata",
                                             "sync", "waiting for data"};
    const struct jobscan *s = d->scan;
    struct chart c = {"Cost of I/O by process",
                      "Seconds in reads, writes, "
                      "metadata calls, syncs and waiting for data",
                      "io_seconds",
                      "time",
                      "s",
                      0,
                      0,
                      0,
                      0};
    struct cell *cell = calloc (PARTS * ROWS_MAX, sizeof (*cell));
    double *weight = calloc (s->processes + 1, sizeof (*weight)), most = 0;
    char *name[ROWS_MAX] = {NULL};
    struct series series[PARTS];
    size_t row[ROWS_MAX], n = 0;
    int rc = cell && weight ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < s->processes; i++) {
        const struct scan_process *p = &s->process[i];

        weight[i] = p->lane_s[LANE_STALL];
        for (size_t k = 0; k < SCAN_CLASSES; k++)
            weight[i] += p->class_s[k];
        most = fmax (most, weight[i]);
    }
    if (rc == 0)
        n = choose (weight, s->processes, row);
    for (size_t r = 0; r < n; r++) {
        const struct scan_process *p = &s->process[row[r]];

        if (!(name[r] = row_name (p)))
            rc = -1;
        for (size_t k = 0; k < PARTS; k++) {
            struct cell *x = &cell[k * ROWS_MAX + r];

            x->lo = x->hi = NAN;
            x->name = name[r];
            x->v = k < SCAN_CLASSES ? p->class_s[k] : p->lane_s[LANE_STALL];
        }
    }
    for (size_t k = 0; k < PARTS; k++)
        series[k] = (struct series){parts[k], cell + k * ROWS_MAX};
    if (rc == 0) {
        char words[WORDS_MAX];

        html_figure (out, "fig-cost", c.title);
        chart_rows (out, &c, n, (const char *const *)name, series, PARTS,
                    most > 0 ? most : 1);
        (void)fprintf (out,
                       "<figcaption>Files on storage, summed over the "
                       "threads of a process; the job took %s.",
                       value_words (words, job_seconds (d), "s"));
        say_rows (out, n, s->processes, "processes", "time");
        (void)fputs ("</figcaption></figure>\n", out);
    }
    for (size_t r = 0; r < ROWS_MAX; r++)
        free (name[r]);
    free (weight);
    free (cell);
    return rc;
}

int fig_job (FILE *out, const struct jobdata *d)
{
    if (fig_timeline (out, d, "fig-timeline", NULL) < 0 || cost (out, d) < 0 ||
        bytes_heat (out, d) < 0)
        return -1;
    rates (out, d);
    return fig_access (out, d) < 0 || fig_histograms (out, d) < 0 ||
                   fig_steps (out, d) < 0 || fig_workers (out, d) < 0
               ? -1
               : 0;
}
