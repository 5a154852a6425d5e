/* SPDX-License-Identifier: MIT
 *
 * page_nodes.c - the section of a job's page about its nodes
 *
 * In:  rows of nodes, as the figures have them
 * Out: HTML: processes, bytes, and what time went into, node by node
 */
#include "config.h"

#include "analyze/report/job/page_nodes.h"

#include "lib/chart/html.h"
#include "analyze/report/job/jobrows.h"
#include "analyze/report/page.h"

static const char *const nodes_lanes[LANE_COUNT] = {
#define LANE(NAME, TITLE, SHORT, SET) [LANE_##NAME] = SHORT,
#include "analyze/report/job/lanes.def"
#undef LANE
};

/* A lane that no node has is left out. */
static int nodes_has_lane (const struct scan_rows *rows, size_t lane)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].lane_ns[lane])
            return 1;
    return 0;
}

static double nodes_bytes (const struct scan_row *row, int written)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < BINS; i++)
        sum += row->bytes[written][i];
    return (double)sum;
}

static void
nodes_row (FILE *out, const struct scan_rows *rows, const struct scan_row *row)
{
    page_row (out, NULL, 0);
    page_td (out, "t", row->name);
    page_value (out, nodes_bytes (row, 0), "B", NULL);
    page_value (out, nodes_bytes (row, 1), "B", NULL);
    for (size_t l = 0; l < LANE_COUNT; l++)
        if (nodes_has_lane (rows, l))
            page_value (out,
                        (double)row->lane_ns[l] / 1e9 / (double)row->processes,
                        "s", NULL);
    page_value (out, (double)row->class_ns[SCAN_META] / 1e9, "s", NULL);
    page_value (out, (double)row->class_ns[SCAN_SYNC] / 1e9, "s", NULL);
    page_row_end (out);
}

void page_nodes (FILE *out, const struct jobdata *d)
{
    const struct scan_rows *rows = d->scan ? &d->scan->nodes : NULL;

    if (!rows || !rows->count)
        return;
    html_section (out, "nodes", "Nodes");
    page_table (out, 1);
    page_th (out, "t", "node", NULL);
    page_th (out, NULL, "read", NULL);
    page_th (out, NULL, "written", NULL);
    for (size_t l = 0; l < LANE_COUNT; l++)
        if (nodes_has_lane (rows, l))
            page_th (out, NULL, nodes_lanes[l], "s a process");
    page_th (out, NULL, "metadata", "s, sum");
    page_th (out, NULL, "sync", "s, sum");
    page_table_body (out);
    for (size_t i = 0; i < rows->count; i++)
        nodes_row (out, rows, &rows->row[i]);
    page_table_end (out);
    html_open (out, "p", "note");
    html_text (out, "Times of a process are its own unions, mean over the "
                    "processes of the node; sums are over all its threads. "
                    "More by node: dftrace analyze --view host.");
    jobrows_say (out, rows);
    html_close (out, "p");
    html_section_end (out);
}
