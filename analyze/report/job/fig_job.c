/* SPDX-License-Identifier: MIT
 *
 * fig_job.c - the figures of a job
 *
 * In:  rows of lanes and times, tables
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include "analyze/report/job/fig_job.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/util/xalloc.h"

/* --- timeline ---------------------------------------------------------------
 */

/* Scale the lanes of nodes: the largest fraction of any node is 1 for each kind
 * of lane, since most processes of a node never do the same. */
static void jobfig_lanes_relative (size_t rows, float *share)
{
    for (size_t l = 0; l < LANE_COUNT; l++) {
        float most = 0;

        for (size_t i = 0; i < rows * BINS; i++) {
            float one = share[(i / BINS * LANE_COUNT + l) * BINS + i % BINS];

            most = MAX (one, most);
        }
        for (size_t i = 0; most > 0 && i < rows * BINS; i++)
            share[(i / BINS * LANE_COUNT + l) * BINS + i % BINS] /= most;
    }
}

/* Shares of bins of all lanes of rows: lane[row * LANE_COUNT + lane]. */
static void jobfig_lane_shares (const struct jobscan *s,
                                const struct scan_rows *rows,
                                struct lane *lane)
{
    float *share =
        arena_array (rows->count * LANE_COUNT * BINS, sizeof (*share));

    for (size_t i = 0; i < rows->count * LANE_COUNT; i++) {
        const struct scan_row *row = &rows->row[i / LANE_COUNT];
        size_t l = i % LANE_COUNT;

        if (!row->lane_ns[l])
            continue;
        lane[i] = (struct lane){share + i * BINS, row->lane_ns[l] / 1e9};
        for (size_t k = 0; k < BINS; k++) {
            float one =
                (float)row->did.busy[l][k] /
                ((float)bins_width (&s->bins, k) * (float)row->processes);

            share[i * BINS + k] = MIN (one, 1);
        }
    }
    if (rows == &s->nodes)
        jobfig_lanes_relative (rows->count, share);
}

void fig_timeline (FILE *out,
                   const struct jobscan *s,
                   const struct scan_rows *rows,
                   const char *id,
                   const char *title,
                   double seconds)
{
    const struct chart c = {.title = title ? title : "Timeline of the job",
                            .text = "Processes from top to bottom, time from "
                                    "left to right; what each was busy with",
                            .metric = "busy",
                            .unit = "s",
                            .classes = 1,
                            .most = seconds};
    struct lane *lane = arena_array (rows->count * LANE_COUNT, sizeof (*lane));
    const char **name = arena_array (rows->count, sizeof (*name));
    const char *title_of[LANE_COUNT];

    jobfig_lane_shares (s, rows, lane);
    for (size_t i = 0; i < rows->count; i++)
        name[i] = rows->row[i].name;
    for (int l = 0; l < LANE_COUNT; l++)
        title_of[l] = lane_table[l].title;
    html_figure (out, id, c.title);
    chart_timeline (out, &c,
                    &(struct timeline){.seconds = bins_seconds (&s->bins),
                                       .bins = BINS,
                                       .rows = rows->count,
                                       .lanes = LANE_COUNT,
                                       .row = name,
                                       .lane_name = title_of,
                                       .lane = lane});
    html_caption (out);
    html_format (out,
                 rows == &s->nodes
                     ? "The height of a mark is the mean number of processes "
                       "of the node that were at it in these %s, relative to "
                       "the largest such number of any node; lanes above "
                       "each other overlap in time."
                     : "The height of a mark is the share of its %s in which "
                       "the process was at it; lanes above each other "
                       "overlap in time.",
                 value_shown (bins_bin_seconds (&s->bins), "s"));
    html_text (out, jobrows_words (rows));
    html_caption_end (out);
}

/* --- cost -------------------------------------------------------------------
 */

static void jobfig_cost (FILE *out, const struct jobscan *s)
{
    static const char *const parts[SCAN_CLASSES + 1] = {
        "read", "write", "copy", "metadata", "sync", "page faults"};
    static const struct chart c = {
        .title = "Cost of I/O by process",
        .text = "Seconds in reads, writes, copies inside the kernel, metadata "
                "calls, syncs and page faults",
        .metric = "io_seconds",
        .measure = "time",
        .unit = "s",
        .classes = 1};
    const struct scan_rows *rows = jobrows_shown (s);
    struct chart_grid g = chart_grid_create (1, rows->count, ITEMS (parts));

    memcpy (g.column, parts, sizeof (parts));
    for (size_t i = 0; i < g.rows * g.columns; i++) {
        const struct scan_row *row = &rows->row[i / g.columns];
        size_t k = i % g.columns;

        g.row[i / g.columns] = row->name;
        g.cell[i] = cell_of ((k < SCAN_CLASSES ? row->did.class_ns[k]
                                               : row->lane_ns[LANE_FAULT]) /
                                 1e9,
                             row->name);
    }
    html_figure (out, "fig-cost", c.title);
    chart_rows (out, &c, &g);
    html_figure_end (out,
                     "Files on storage, summed over the threads of a %s; the "
                     "job took %s.%s",
                     rows == &s->nodes ? "node" : "process",
                     value_shown (bins_seconds (&s->bins), "s"),
                     jobrows_words (rows));
}

/* --- all --------------------------------------------------------------------
 */

static void jobfig_over_time (FILE *out, const struct jobscan *s)
{
    if (s->nodes.count)
        fig_timeline (out, s, &s->nodes, "fig-nodes", "Timeline of the nodes",
                      0);
    fig_timeline (out, s, &s->processes, "fig-timeline", NULL, 0);
    jobfig_cost (out, s);
    fig_heats (out, s);
    fig_rates (out, s);
    fig_access (out, s);
    fig_histograms (out, s);
    fig_steps (out, s);
}

void fig_job (FILE *out, const struct jobdata *d)
{
    fig_bill (out, d);
    if (d->scan) {
        jobfig_over_time (out, d->scan);
        fig_tree (out, d);
    }
    fig_timemap (out, d);
    fig_workers (out, d);
    fig_checkpoints (out, d);
}
