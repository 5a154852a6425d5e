/* SPDX-License-Identifier: MIT
 *
 * fig_time.c - figures of a job over its time: heat maps and lines
 *
 * In:  bins of a job
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart/chart.h"
#include "report/chart/chart_time.h"
#include "report/job/fig_job.h"
#include "report/chart/html.h"
#include "report/job/jobrows.h"

enum {
    PANELS = 2,
    HEAT_BINS = 40,
    HEAT_MERGE = SCAN_BINS / HEAT_BINS,
    CELLS_MAX = PANELS * JOBROWS_MAX * HEAT_BINS,
    TEXT_MAX = 24
};

/* --- heat maps: process by time --------------------------------------------
 */

/* What is added up in the cells of a heat map. */
struct heat_kind {
    const char *id, *by; /* by: what rows were chosen for */
    struct chart chart;
    const char *panel[PANELS];
    double (*value) (const struct jobscan *s,
                     const struct scan_process *p,
                     size_t panel,
                     size_t bin);
    const char *none, *caption;
};

static double bytes_of (const struct jobscan *s,
                        const struct scan_process *p,
                        size_t panel,
                        size_t bin)
{
    (void)s;
    return p->bytes[panel][bin];
}

static double seconds_of (const struct jobscan *s,
                          const struct scan_process *p,
                          size_t panel,
                          size_t bin)
{
    static const enum scan_lane lanes[PANELS] = {LANE_IO, LANE_STALL};

    return p->busy[lanes[panel]][bin] * jobscan_bin_seconds (s);
}

/* The rows that have anything at all, the heaviest. */
static size_t choose_rows (const struct heat_kind *h,
                           const struct jobscan *s,
                           double *weight,
                           size_t row[JOBROWS_MAX])
{
    size_t n;

    for (size_t i = 0; i < s->processes; i++)
        for (size_t k = 0; k < PANELS * SCAN_BINS; k++)
            weight[i] +=
                h->value (s, &s->process[i], k / SCAN_BINS, k % SCAN_BINS);
    n = jobrows_choose (weight, s->processes, row);
    for (size_t r = 0; r < n;) {
        if (weight[row[r]] > 0)
            r++;
        else
            memmove (row + r, row + r + 1, (--n - r) * sizeof (row[0]));
    }
    return n;
}

/* Cells of one process: panel by panel, `rows` rows in each. */
static void fill_row (const struct heat_kind *h,
                      const struct jobscan *s,
                      const struct scan_process *p,
                      const char *name,
                      struct cell *cell,
                      char (*text)[TEXT_MAX],
                      size_t rows,
                      size_t r)
{
    for (size_t i = 0; i < PANELS * HEAT_BINS; i++) {
        size_t panel = i / HEAT_BINS, bin = i % HEAT_BINS;
        size_t at = (panel * rows + r) * HEAT_BINS + bin;
        struct cell *x = &cell[at];

        x->lo = x->hi = NAN;
        x->name = name;
        for (size_t k = 0; k < HEAT_MERGE; k++)
            x->v += h->value (s, p, panel, bin * HEAT_MERGE + k);
        (void)snprintf (text[at], TEXT_MAX, "%.9g", x->v);
        x->text = text[at];
    }
}

static void put_heat (FILE *out,
                      const struct heat_kind *h,
                      const struct jobscan *s,
                      size_t n,
                      char *const *name,
                      char *const *tick,
                      const char *axis,
                      struct cell *cell)
{
    struct heat panel[PANELS];

    for (size_t i = 0; i < PANELS; i++)
        panel[i] = (struct heat){h->panel[i], cell + i * n * HEAT_BINS};
    html_figure (out, h->id, h->chart.title);
    if (n)
        chart_heat (out, &h->chart, n, (const char *const *)name, "process",
                    HEAT_BINS, (const char *const *)tick, axis, panel, PANELS);
    else
        (void)fprintf (out, "<p>%s</p>", h->none);
    (void)fprintf (out, "<figcaption>%s; a cell is %.3g s.", h->caption,
                   jobscan_bin_seconds (s) * HEAT_MERGE);
    jobrows_say (out, n, s->processes, "processes", h->by);
    (void)fputs ("</figcaption></figure>\n", out);
}

static int heat (FILE *out, const struct jobdata *d, const struct heat_kind *h)
{
    const struct jobscan *s = d->scan;
    double *weight = calloc (s->processes + 1, sizeof (*weight));
    struct cell *cell = calloc (CELLS_MAX, sizeof (*cell));
    char (*text)[TEXT_MAX] = calloc (CELLS_MAX, sizeof (*text));
    char *name[JOBROWS_MAX] = {NULL}, *tick[HEAT_BINS] = {NULL};
    struct shown_unit u = unit_for ("s", jobscan_seconds (s));
    size_t row[JOBROWS_MAX], n = 0;
    int rc = weight && cell && text ? 0 : -1;
    char buf[WORDS_MAX];

    if (rc == 0)
        n = choose_rows (h, s, weight, row);
    for (size_t k = 0; k < HEAT_BINS; k++)
        if (!(tick[k] = strdup (number_words (buf, (double)k * HEAT_MERGE *
                                                       jobscan_bin_seconds (s) *
                                                       u.factor))))
            rc = -1;
    for (size_t r = 0; rc == 0 && r < n; r++) {
        if (!(name[r] = jobrow_name (&s->process[row[r]])))
            rc = -1;
        else
            fill_row (h, s, &s->process[row[r]], name[r], cell, text, n, r);
    }
    if (rc == 0) {
        (void)snprintf (buf, sizeof (buf), "time since the begin, %s", u.name);
        put_heat (out, h, s, n, name, tick, buf, cell);
    }
    for (size_t r = 0; r < JOBROWS_MAX; r++)
        free (name[r]);
    for (size_t k = 0; k < HEAT_BINS; k++)
        free (tick[k]);
    free (weight);
    free (text);
    free (cell);
    return rc;
}

int fig_heats (FILE *out, const struct jobdata *d)
{
    static const struct heat_kind bytes = {
        .id = "fig-bytes",
        .by = "bytes",
        .chart = {.title = "Bytes moved by process and time",
                  .text = "Bytes read and written by each process over the "
                          "time of the job",
                  .metric = "bytes",
                  .measure = "bytes",
                  .unit = "B",
                  .thin = 1},
        .panel = {"read", "written"},
        .value = bytes_of,
        .none = "No process read or wrote a file on storage.",
        .caption = "Files on storage"};
    static const struct heat_kind seconds = {
        .id = "fig-seconds",
        .by = "time in them",
        .chart = {.title = "Time in I/O by process and time",
                  .text = "Seconds each process was inside I/O calls and "
                          "waited for data, over the time of the job",
                  .metric = "seconds",
                  .measure = "time",
                  .unit = "s",
                  .thin = 1},
        .panel = {"inside I/O calls", "waiting for data"},
        .value = seconds_of,
        .none = "No process was inside an I/O call on storage or waited for "
                "data.",
        .caption = "Time when at least one thread of the process was at it, "
                   "files on storage"};

    return heat (out, d, &bytes) < 0 ? -1 : heat (out, d, &seconds);
}

/* --- lines over time -------------------------------------------------------
 */

static void lines (FILE *out,
                   const struct jobdata *d,
                   const char *id,
                   const struct chart *c,
                   double *const value[PANELS],
                   const char *caption)
{
    static const char *const names[PANELS] = {"read", "written"};

    html_figure (out, id, c->title);
    chart_rates (out, c, jobscan_seconds (d->scan), SCAN_BINS, PANELS, names,
                 value);
    (void)fprintf (out,
                   "<figcaption>%s of each %.3g s.</figcaption></figure>\n",
                   caption, jobscan_bin_seconds (d->scan));
}

void fig_rates (FILE *out, const struct jobdata *d)
{
    static const struct chart bandwidth = {
        .title = "Bandwidth over time",
        .text = "Bytes per second of all processes together, read and written",
        .metric = "rate",
        .measure = "bandwidth",
        .unit = "MiB/s"};
    static const struct chart size = {
        .title = "Transfer size over time",
        .text = "Mean bytes of a read and of a write, all processes together",
        .metric = "transfer_size",
        .measure = "bytes a call",
        .unit = "B",
        .log = 1};
    static double value[PANELS][SCAN_BINS];
    double *const values[PANELS] = {value[0], value[1]};
    const struct jobscan *s = d->scan;

    memset (value, 0, sizeof (value));
    for (size_t i = 0; i < s->processes; i++)
        for (size_t k = 0; k < PANELS * SCAN_BINS; k++)
            value[k / SCAN_BINS][k % SCAN_BINS] +=
                s->process[i].bytes[k / SCAN_BINS][k % SCAN_BINS] / (1 << 20) /
                jobscan_bin_seconds (s);
    lines (out, d, "fig-rates", &bandwidth, values,
           "All processes, files on storage, mean");
    for (size_t k = 0; k < PANELS * SCAN_BINS; k++) {
        const struct scan_ended *e = &s->ended[k / SCAN_BINS][k % SCAN_BINS];

        value[k / SCAN_BINS][k % SCAN_BINS] =
            e->calls > 0 ? e->bytes / e->calls : NAN;
    }
    lines (out, d, "fig-transfer", &size, values,
           "All processes, files on storage, mean of the calls that ended in "
           "it (a logarithmic axis; no line where there was none),");
}
