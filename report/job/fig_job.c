/* SPDX-License-Identifier: MIT
 *
 * fig_job.c - the figures of a job
 *
 * In:  tables and bins of a job
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include "report/job/fig_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart/chart.h"
#include "report/chart/chart_time.h"
#include "report/chart/html.h"
#include "report/job/jobrows.h"

/* --- timeline --------------------------------------------------------- */

int fig_timeline (FILE *out,
                  const struct jobdata *d,
                  const char *id,
                  const char *title)
{
    static const char *const lanes[] = {"compute",          "data loader",
                                        "waiting for data", "I/O on storage",
                                        "checkpoint",       "page-fault stall"};
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
    struct lane *lane = calloc (JOBROWS_MAX * LANE_COUNT, sizeof (*lane));
    char *name[JOBROWS_MAX] = {NULL};
    size_t row[JOBROWS_MAX], n = 0;
    int rc = weight && lane ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < s->processes; i++)
        weight[i] = (double)s->process[i].events;
    if (rc == 0)
        n = jobrows_choose (weight, s->processes, row);
    for (size_t r = 0; r < n; r++) {
        const struct scan_process *p = &s->process[row[r]];

        if (!(name[r] = jobrow_name (p)))
            rc = -1;
        for (size_t i = 0; i < LANE_COUNT; i++)
            if (p->lane_s[i] > 0)
                lane[r * LANE_COUNT + i] =
                    (struct lane){p->busy[i], p->lane_s[i]};
    }
    if (rc == 0) {
        html_figure (out, id, title ? title : c.title);
        chart_timeline (out, &c, jobscan_seconds (d->scan), SCAN_BINS, n,
                        (const char *const *)name, LANE_COUNT, lanes, lane);
        (void)fprintf (out,
                       "<figcaption>The height of a mark is the share of "
                       "its %.3g s in which the process was at it; lanes of a "
                       "process above each other overlap in time.",
                       jobscan_bin_seconds (s));
        jobrows_say (out, n, s->processes, "processes", "events");
        (void)fputs ("</figcaption></figure>\n", out);
    }
    for (size_t r = 0; r < n; r++)
        free (name[r]);
    free (weight);
    free (lane);
    return rc;
}

/* --- cost ------------------------------------------------------------- */

static int cost (FILE *out, const struct jobdata *d)
{
    enum { PARTS = SCAN_CLASSES + 2 };
    static const char *const parts[PARTS] = {
        "read", "write", "metadata", "sync", "page faults", "waiting for data"};
    const struct jobscan *s = d->scan;
    struct chart c = {"Cost of I/O by process",
                      "Seconds in reads, writes, "
                      "metadata calls, syncs, page faults and waiting "
                      "for data",
                      "io_seconds",
                      "time",
                      "s",
                      0,
                      0,
                      0,
                      0};
    struct cell *cell = calloc (PARTS * JOBROWS_MAX, sizeof (*cell));
    char text[PARTS * JOBROWS_MAX][24];
    double *weight = calloc (s->processes + 1, sizeof (*weight)), most = 0;
    char *name[JOBROWS_MAX] = {NULL};
    struct series series[PARTS];
    size_t row[JOBROWS_MAX], n = 0;
    int rc = cell && weight ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < s->processes; i++) {
        const struct scan_process *p = &s->process[i];

        weight[i] = p->lane_s[LANE_STALL] + p->lane_s[LANE_FAULT];
        for (size_t k = 0; k < SCAN_CLASSES; k++)
            weight[i] += p->class_s[k];
        most = fmax (most, weight[i]);
    }
    if (rc == 0)
        n = jobrows_choose (weight, s->processes, row);
    for (size_t r = 0; r < n; r++) {
        const struct scan_process *p = &s->process[row[r]];

        if (!(name[r] = jobrow_name (p)))
            rc = -1;
        for (size_t k = 0; k < PARTS; k++) {
            struct cell *x = &cell[k * JOBROWS_MAX + r];

            x->lo = x->hi = NAN;
            x->name = name[r];
            x->v = k < SCAN_CLASSES    ? p->class_s[k]
                   : k == SCAN_CLASSES ? p->lane_s[LANE_FAULT]
                                       : p->lane_s[LANE_STALL];
            (void)snprintf (text[k * JOBROWS_MAX + r], sizeof (text[0]), "%.9g",
                            x->v);
            x->text = text[k * JOBROWS_MAX + r];
        }
    }
    for (size_t k = 0; k < PARTS; k++)
        series[k] = (struct series){parts[k], cell + k * JOBROWS_MAX};
    if (rc == 0) {
        char words[WORDS_MAX];

        html_figure (out, "fig-cost", c.title);
        chart_rows (out, &c, n, (const char *const *)name, series, PARTS,
                    most > 0 ? most : 1);
        (void)fprintf (out,
                       "<figcaption>Files on storage, summed over the "
                       "threads of a process; the job took %s.",
                       value_words (words, jobscan_seconds (d->scan), "s"));
        jobrows_say (out, n, s->processes, "processes", "time");
        (void)fputs ("</figcaption></figure>\n", out);
    }
    for (size_t r = 0; r < JOBROWS_MAX; r++)
        free (name[r]);
    free (weight);
    free (cell);
    return rc;
}

int fig_job (FILE *out, const struct jobdata *d)
{
    if (fig_timeline (out, d, "fig-timeline", NULL) < 0 || cost (out, d) < 0 ||
        fig_heats (out, d) < 0)
        return -1;
    fig_rates (out, d);
    return fig_access (out, d) < 0 || fig_histograms (out, d) < 0 ||
                   fig_steps (out, d) < 0 || fig_workers (out, d) < 0 ||
                   fig_checkpoints (out, d) < 0
               ? -1
               : 0;
}
