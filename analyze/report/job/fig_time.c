/* SPDX-License-Identifier: MIT
 *
 * fig_time.c - figures of a job over its time: heat maps, lines, the map of
 *              time of a profile; rows of processes
 *
 * In:  bins of a job
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include "analyze/report/job/fig_job.h"
#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/util/xalloc.h"

enum { PANELS = 2, HEAT_BINS = 40, HEAT_MERGE = BINS / HEAT_BINS };

static const char *const time_ways[PANELS] = {"read", "written"};

/* --- heat maps: process by time ---------------------------------------------
 */

/* Bytes of a bin of the heat map, or (bin HEAT_BINS) of all. */
static uint64_t heat_bytes (const struct scan_row *row, size_t way, size_t bin)
{
    size_t first = bin < HEAT_BINS ? bin * HEAT_MERGE : 0;
    size_t end = bin < HEAT_BINS ? first + HEAT_MERGE : BINS;
    uint64_t sum = 0;

    for (; first < end; first++)
        sum += row->did.bytes[way][first];
    return sum;
}

/* A panel for each way in which anything was moved, a row for each process that
 * moved something. */
static struct chart_grid heat_grid (const struct scan_rows *rows)
{
    struct chart_grid g = chart_grid_create (PANELS, rows->count, HEAT_BINS);
    struct cell *cell = g.cell;

    g.panels = 0;
    for (size_t way = 0; way < PANELS; way++) {
        uint64_t any = 0;

        g.rows = 0;
        for (size_t r = 0; r < rows->count; r++) {
            const struct scan_row *row = &rows->row[r];
            uint64_t bytes = heat_bytes (row, way, HEAT_BINS);

            if (!bytes && !heat_bytes (row, !way, HEAT_BINS))
                continue;
            any |= bytes;
            g.row[g.rows++] = row->name;
            for (size_t bin = 0; bin < HEAT_BINS; bin++)
                *cell++ = cell_of (heat_bytes (row, way, bin), row->name);
        }
        if (any)
            g.panel[g.panels++] = time_ways[way];
        else
            cell -= g.rows * HEAT_BINS;
    }
    return g;
}

void fig_heats (FILE *out, const struct jobscan *s)
{
    static const struct chart chart = {
        .title = "Bytes moved by process and time",
        .text = "Bytes read and written by each process over the time of the "
                "job",
        .metric = "bytes",
        .measure = "bytes",
        .unit = "B",
        .thin = 1};
    const struct scan_rows *rows = jobrows_shown (s);
    double bin = bins_seconds (&s->bins) / HEAT_BINS;
    struct shown_unit u = unit_for ("s", bins_seconds (&s->bins));
    struct chart_grid g = heat_grid (rows);

    g.row_name = rows == &s->nodes ? "node" : "process";
    g.column_name =
        arena_format ("time since the start of the job, %s", u.name);
    for (size_t k = 0; k < HEAT_BINS; k++)
        g.column[k] = number_shown ((double)k * bins_seconds (&s->bins) /
                                    HEAT_BINS * u.factor);
    html_figure (out, "fig-bytes", chart.title);
    if (g.rows)
        chart_heat (out, &chart, &g);
    else
        html_paragraph (out, NULL,
                        "No process read or wrote a file on storage.");
    html_figure_end (out, "Files on storage; a cell is %s.%s",
                     value_shown (bin, "s"), jobrows_words (rows));
}

/* --- lines ------------------------------------------------------------------
 */

/* A figure of lines over bins, and what each bin has. */
static void timefig_put (FILE *out,
                         const char *id,
                         const struct chart *c,
                         const struct rates *r,
                         const char *caption)
{
    html_figure (out, id, c->title);
    chart_rates (out, c, r);
    html_figure_end (out, "%s of each %s.", caption,
                     value_shown (r->seconds / (double)r->bins, "s"));
}

void fig_rates (FILE *out, const struct jobscan *s)
{
    static const struct chart bandwidth = {
        .title = "Bandwidth over time",
        .text = "Bytes per second of all processes together, read and written",
        .metric = "rate",
        .measure = "bandwidth",
        .unit = "MiB/s",
        .classes = 1};
    static const struct chart size = {
        .title = "Transfer size over time",
        .text = "Mean bytes of a read and of a write, all processes together",
        .metric = "transfer_size",
        .measure = "bytes a call",
        .unit = "B",
        .log = 1,
        .classes = 1};
    double value[2][PANELS][BINS];
    double *const lines[2][PANELS] = {{value[0][0], value[0][1]},
                                      {value[1][0], value[1][1]}};
    const struct scan_sums *sums = &s->sums;
    struct rates r = {bins_seconds (&s->bins), BINS, PANELS, time_ways,
                      lines[0]};

    for (size_t i = 0; i < PANELS * BINS; i++) {
        size_t way = i / BINS, k = i % BINS;
        double ended = sums->n.ended[way][k];

        value[0][way][k] = (double)sums->n.bytes[way][k] / (1 << 20) /
                           (bins_width (&s->bins, k) / 1e9);
        value[1][way][k] =
            ended > 0 ? (double)sums->n.ended_bytes[way][k] / ended : NAN;
    }
    timefig_put (out, "fig-rates", &bandwidth, &r,
                 "All processes, files on storage, mean");
    r.value = lines[1];
    timefig_put (
        out, "fig-transfer", &size, &r,
        "All processes, files on storage, mean of the calls that ended in "
        "it (a logarithmic axis; no line where there was none),");
}

/* --- processes of a job -> the rows of its figures --------------------------
 */

/* A candidate for a row. */
struct candidate {
    size_t index;    /* of its process, or its first one */
    int first, rank; /* does it begin a rank; its number, INT32_MAX none */
    uint64_t events;
    size_t processes;
};

static int candidate_by_weight (const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->first != y->first)
        return y->first - x->first;
    if (x->first && x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return ORDER (y->events, x->events) ?: ORDER (x->index, y->index);
}

static int candidate_by_rank (const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return ORDER (x->rank, y->rank) ?: ORDER (x->index, y->index);
}

static int candidate_by_index (const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return ORDER (x->index, y->index);
}

/* A helper that begins no rank, of less than 1 % of the job's time. */
static int jobrows_is_short (const struct process *p, const struct summary *s)
{
    return p->who->p.rank < 0 && p->end - p->start < (s->end - s->start) / 100;
}

/* Short ones are left out where there are several, and others. */
static struct candidate *jobrows_processes (const struct result *r, size_t *n)
{
    enum { SEVERAL = 3 };
    const struct totals *t = r->totals;
    struct candidate *c = arena_array (t->processes + 1, sizeof (*c));
    size_t shorts = 0;

    for (size_t i = 0; i < t->processes; i++)
        shorts += jobrows_is_short (&t->process[i], r->summary);
    if (shorts < SEVERAL || shorts == t->processes)
        shorts = 0;
    *n = 0;
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];
        const struct rank *rank = &r->summary->rank[p->rank];

        if (shorts && jobrows_is_short (p, r->summary))
            continue;
        c[(*n)++] = (struct candidate){
            .index = i,
            .first = p->who->p.rank >= 0 && rank->first == p,
            .rank = p->who->p.rank >= 0 ? p->who->p.rank : INT32_MAX,
            .events = p->n.events,
            .processes = 1};
    }
    return c;
}

static const char *jobrows_host_of (const struct totals *t, size_t i)
{
    return t->process[i].who->text[SHARD_STRING_HOST];
}

/* Processes of the totals are sorted by host. */
static struct candidate *jobrows_nodes (const struct totals *t, size_t *n)
{
    struct candidate *c = arena_array (t->processes + 1, sizeof (*c));

    *n = 0;
    for (size_t i = 0; i < t->processes; i++) {
        if (i == 0 ||
            strcmp (jobrows_host_of (t, i - 1), jobrows_host_of (t, i)) != 0)
            c[(*n)++].index = i;
        c[*n - 1].events += t->process[i].n.events;
        c[*n - 1].processes++;
    }
    return c;
}

/* Keep the first ones of all that are sorted by weight, in another order. */
static void jobrows_rows_keep (struct scan_rows *rows,
                               struct candidate *c,
                               size_t n,
                               int (*order) (const void *, const void *))
{
    rows->all = n;
    rows->count = MIN (n, SCAN_ROWS_MAX);
    SORT (c, n, candidate_by_weight);
    SORT (c, rows->count, order);
    rows->row = arena_array (rows->count + 1, sizeof (*rows->row));
}

static const char *jobrows_process_name (const struct trace_process *who)
{
    return fig_process_name (
        who->p.rank < 0 ? "" : arena_format ("%d", who->p.rank),
        who->text[SHARD_STRING_EXE], who->text[SHARD_STRING_HOST],
        arena_format ("%u", who->p.pid));
}

/* One row for all short processes. */
static void jobrows_add_short (struct jobrows *j,
                               struct scan_rows *rows,
                               const struct result *r,
                               size_t n)
{
    struct scan_row *row = &rows->row[rows->count];

    row->processes = 1; /* as a rule one runs after another */
    row->name = arena_format ("%zu short ones", n);
    for (size_t i = 0; i < r->totals->processes; i++)
        if (jobrows_is_short (&r->totals->process[i], r->summary))
            j->process[i] = (uint32_t)rows->count;
    rows->count++;
}

static void jobrows_make_processes (struct jobrows *j,
                                    struct scan_rows *rows,
                                    const struct result *r)
{
    const struct totals *t = r->totals;
    size_t n;
    struct candidate *c = jobrows_processes (r, &n);

    jobrows_rows_keep (rows, c, n, candidate_by_rank);
    for (size_t i = 0; i < rows->count; i++) {
        j->process[c[i].index] = (uint32_t)i;
        rows->row[i].processes = 1;
        rows->row[i].name = jobrows_process_name (t->process[c[i].index].who);
    }
    if (n == t->processes)
        return;
    rows->all++;
    if (rows->count < SCAN_ROWS_MAX)
        jobrows_add_short (j, rows, r, t->processes - n);
}

static void jobrows_make_nodes (struct jobrows *j,
                                struct scan_rows *rows,
                                const struct totals *t)
{
    size_t n = 0;
    struct candidate *c = jobrows_nodes (t, &n);

    jobrows_rows_keep (rows, c, n > 1 ? n : 0, candidate_by_index);
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = 0; k < c[i].processes; k++)
            j->node[c[i].index + k] = (uint32_t)i;
        rows->row[i].processes = c[i].processes;
        rows->row[i].name =
            arena_format ("%s, %zu process%s", jobrows_host_of (t, c[i].index),
                          c[i].processes, c[i].processes == 1 ? "" : "es");
    }
}

void jobrows_make (struct jobrows *j, struct jobscan *s, const struct result *r)
{
    size_t n = r->totals->processes;

    s->processes.what = "processes";
    s->processes.by = "the first process of each rank, then those with the "
                      "most events";
    s->nodes.what = "nodes";
    s->nodes.by = "those with the most events";
    j->process = arena_array (n, sizeof (*j->process));
    j->node = arena_array (n, sizeof (*j->node));
    for (size_t i = 0; i < n; i++)
        j->process[i] = j->node[i] = JOBROW_NONE;
    jobrows_make_processes (j, &s->processes, r);
    jobrows_make_nodes (j, &s->nodes, r->totals);
}

const struct scan_rows *jobrows_shown (const struct jobscan *s)
{
    return s->nodes.count && s->processes.count < s->processes.all
               ? &s->nodes
               : &s->processes;
}

const char *jobrows_words (const struct scan_rows *rows)
{
    return rows->count < rows->all
               ? arena_format (" %zu of %zu %s: %s.", rows->count, rows->all,
                               rows->what, rows->by)
               : "";
}

/* --- figures over time of a job that has a profile --------------------------
 */

enum { FIGMAP_SERIES = 3 };

struct figmap {
    const char *id;
    struct chart chart;
    size_t series;
    const char *name[FIGMAP_SERIES];
    const char *column[FIGMAP_SERIES];
    double unit; /* of what is in the column, by second */
    const char *caption;
};

static void
figmap_put (FILE *out, const struct jobdata *d, const struct figmap *f)
{
    size_t rows = textable_rows (d->table[VIEW_timemap]);
    double width = jobdata_number (d, VIEW_timemap, 0, "seconds");
    double *values[FIGMAP_SERIES];
    struct rates r = {(double)rows * width, rows, f->series, f->name, values};

    for (size_t s = 0; s < f->series; s++) {
        values[s] = arena_array (rows, sizeof (*values[s]));
        for (size_t i = 0; i < rows; i++)
            values[s][i] = jobdata_number (d, VIEW_timemap, i, f->column[s]) /
                           f->unit / width;
    }
    timefig_put (out, f->id, &f->chart, &r, f->caption);
}

void fig_timemap (FILE *out, const struct jobdata *d)
{
    static const struct figmap bandwidth = {
        .id = "fig-rates",
        .chart = {.title = "Bandwidth over time",
                  .text = "Bytes per second of all processes together, read "
                          "and written",
                  .metric = "rate",
                  .measure = "bandwidth",
                  .unit = "MiB/s",
                  .classes = 1},
        .series = 2,
        .name = {"read", "written"},
        .column = {"read_bytes", "write_bytes"},
        .unit = 1 << 20,
        .caption =
            "From the maps of time of profiles, and the events of what was "
            "traced in full: all processes, files on storage, bytes of the "
            "calls that began in it, mean"};
    static const struct figmap busy = {
        .id = "fig-busy",
        .chart = {.title = "Threads in I/O over time",
                  .text = "How many threads of all processes were inside a "
                          "call, mean",
                  .metric = "threads",
                  .measure = "threads",
                  .unit = "",
                  .classes = 1},
        .series = 3,
        .name = {"reading", "writing", "other calls"},
        .column = {"read_s", "write_s", "other_s"},
        .unit = 1,
        .caption =
            "From the maps of time of profiles, and the events of what was "
            "traced in full: all processes, files on storage, time in calls "
            "divided by the length of the stretch, mean"};

    struct figmap moved = bandwidth;

    moved.caption = "From the heat maps of logs of Darshan: all processes, "
                    "bytes of POSIX and streams, mean";
    if (!textable_rows (d->table[VIEW_timemap]))
        return;
    if (isnan (jobdata_number (d, VIEW_timemap, 0, busy.column[0]))) {
        figmap_put (out, d, &moved);
    } else {
        figmap_put (out, d, &bandwidth);
        figmap_put (out, d, &busy);
    }
}
