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
#include "lib/chart/scale.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

enum {
    PANELS = 2,
    HEAT_BINS = 40,
    HEAT_MERGE = BINS / HEAT_BINS,
    CELLS_MAX = PANELS * SCAN_ROWS_MAX * HEAT_BINS,
    TEXT_MAX = 24
};

/* --- heat maps: process by time ---------------------------------------------
 */

/* The cells of a heat map. */
struct heat_cells {
    struct cell cell[CELLS_MAX];
    char text[CELLS_MAX][TEXT_MAX];
    const struct scan_row *row[SCAN_ROWS_MAX];
    const char *name[SCAN_ROWS_MAX];
    char tick[HEAT_BINS][WORDS_MAX];
    const char *ticks[HEAT_BINS];
    size_t n;
};

static int heat_has (const struct scan_row *row)
{
    for (size_t i = 0; i < PANELS * BINS; i++)
        if (row->bytes[i / BINS][i % BINS])
            return 1;
    return 0;
}

/* Cells of row r: panel by panel, x->n rows in each. */
static void heat_fill (struct heat_cells *x, size_t r)
{
    for (size_t i = 0; i < PANELS * HEAT_BINS; i++) {
        size_t panel = i / HEAT_BINS, bin = i % HEAT_BINS;
        size_t at = (panel * x->n + r) * HEAT_BINS + bin;
        struct cell *c = &x->cell[at];

        *c = (struct cell){
            .lo = NAN, .hi = NAN, .name = x->name[r], .text = x->text[at]};
        for (size_t k = 0; k < HEAT_MERGE; k++)
            c->v += x->row[r]->bytes[panel][bin * HEAT_MERGE + k];
        snprintf (x->text[at], TEXT_MAX, "%.9g", c->v);
    }
}

static void heat_ticks (struct heat_cells *x, double seconds, double factor)
{
    for (size_t k = 0; k < HEAT_BINS; k++) {
        number_words (x->tick[k], (double)k * seconds / HEAT_BINS * factor);
        x->ticks[k] = x->tick[k];
    }
}

/* Leave out a panel if no process has anything of it. */
static int heat_is_empty (const struct heat_cells *x, size_t panel)
{
    for (size_t i = 0; i < x->n * HEAT_BINS; i++)
        if (x->cell[panel * x->n * HEAT_BINS + i].v > 0)
            return 0;
    return 1;
}

static void heat_put (FILE *out,
                      const struct jobscan *s,
                      const struct heat_cells *x,
                      const char *axis)
{
    static const struct chart chart = {
        .title = "Bytes moved by process and time",
        .text = "Bytes read and written by each process over the time of the "
                "job",
        .metric = "bytes",
        .measure = "bytes",
        .unit = "B",
        .thin = 1};
    static const char *const names[PANELS] = {"read", "written"};
    const struct scan_rows *rows = jobrows_shown (s);
    struct heat panel[PANELS];
    char words[WORDS_MAX];
    size_t panels = 0;

    for (size_t i = 0; i < PANELS; i++)
        if (!heat_is_empty (x, i))
            panel[panels++] = (struct heat){names[i], (struct cell *)x->cell +
                                                          i * x->n * HEAT_BINS};
    html_figure (out, "fig-bytes", chart.title);
    if (x->n)
        chart_heat (out, &chart,
                    &(struct heat_map){
                        .rows = x->n,
                        .row = x->name,
                        .row_name = rows == &s->nodes ? "node" : "process",
                        .columns = HEAT_BINS,
                        .column = x->ticks,
                        .column_name = axis,
                        .panel = panel,
                        .panels = panels});
    else
        html_paragraph (out, NULL,
                        "No process read or wrote a file on storage.");
    html_caption (out);
    html_format (out, "Files on storage; a cell is %s.",
                 value_words (words, bins_seconds (&s->bins) / HEAT_BINS, "s"));
    jobrows_say (out, rows);
    html_caption_end (out);
}

void fig_heats (FILE *out, const struct jobscan *s)
{
    const struct scan_rows *rows = jobrows_shown (s);
    double seconds = bins_seconds (&s->bins);
    struct heat_cells *x = ZEROED (x, 1);
    struct shown_unit u = unit_for ("s", seconds);
    char axis[WORDS_MAX];

    for (size_t i = 0; i < rows->count; i++)
        if (heat_has (&rows->row[i])) {
            x->row[x->n] = &rows->row[i];
            x->name[x->n++] = rows->row[i].name;
        }
    for (size_t r = 0; r < x->n; r++)
        heat_fill (x, r);
    heat_ticks (x, seconds, u.factor);
    FORMAT (axis, "time since the start of the job, %s", u.name);
    heat_put (out, s, x, axis);
    free (x);
}

/* --- lines ------------------------------------------------------------------
 */

static void timefig_lines (FILE *out,
                           const struct jobscan *s,
                           const char *id,
                           const struct chart *c,
                           double value[PANELS][BINS],
                           const char *caption)
{
    static const char *const names[PANELS] = {"read", "written"};
    double *const values[PANELS] = {value[0], value[1]};
    char words[WORDS_MAX];

    html_figure (out, id, c->title);
    chart_rates (
        out, c,
        &(struct rates){bins_seconds (&s->bins), BINS, PANELS, names, values});
    html_figure_end (out, "%s of each %s.", caption,
                     value_words (words, bins_bin_seconds (&s->bins), "s"));
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
    double value[PANELS][BINS];
    const struct scan_sums *sums = &s->sums;

    for (size_t way = 0; way < PANELS; way++)
        for (size_t k = 0; k < BINS; k++)
            value[way][k] = (double)sums->bytes[way][k] / (1 << 20) /
                            (bins_width (&s->bins, k) / 1e9);
    timefig_lines (out, s, "fig-rates", &bandwidth, value,
                   "All processes, files on storage, mean");
    for (size_t way = 0; way < PANELS; way++)
        for (size_t k = 0; k < BINS; k++)
            value[way][k] = sums->ended[way][k]
                                ? (double)sums->ended_bytes[way][k] /
                                      (double)sums->ended[way][k]
                                : NAN;
    timefig_lines (
        out, s, "fig-transfer", &size, value,
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
    struct candidate *c = ZEROED (c, t->processes + 1);
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
    struct candidate *c = ZEROED (c, t->processes + 1);

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
    NEW (rows->row, rows->count + 1);
}

static char *jobrows_process_name (const struct trace_process *who)
{
    char rank[16] = "", pid[16];

    if (who->p.rank >= 0)
        FORMAT (rank, "%d", who->p.rank);
    FORMAT (pid, "%u", who->p.pid);
    return fig_process_name (rank, who->text[SHARD_STRING_EXE],
                             who->text[SHARD_STRING_HOST], pid);
}

/* One row for all short processes. */
static void jobrows_add_short (struct jobrows *j,
                               struct scan_rows *rows,
                               const struct result *r,
                               size_t n)
{
    struct scan_row *row = &rows->row[rows->count];

    row->processes = 1; /* as a rule one runs after another */
    row->name = xasprintf ("%zu short ones", n);
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
    free (c);
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
            xasprintf ("%s, %zu process%s", jobrows_host_of (t, c[i].index),
                       c[i].processes, c[i].processes == 1 ? "" : "es");
    }
    free (c);
}

void jobrows_make (struct jobrows *j, struct jobscan *s, const struct result *r)
{
    size_t n = r->totals->processes;

    s->processes.what = "processes";
    s->processes.by = "the first process of each rank, then those with the "
                      "most events";
    s->nodes.what = "nodes";
    s->nodes.by = "those with the most events";
    NEW (j->process, n);
    NEW (j->node, n);
    for (size_t i = 0; i < n; i++)
        j->process[i] = j->node[i] = JOBROW_NONE;
    jobrows_make_processes (j, &s->processes, r);
    jobrows_make_nodes (j, &s->nodes, r->totals);
}

void jobrows_clear (struct jobrows *j)
{
    free (j->process);
    free (j->node);
}

void scan_rows_clear (struct scan_rows *rows)
{
    for (size_t i = 0; rows->row && i < rows->count; i++)
        free (rows->row[i].name);
    free (rows->row);
}

const struct scan_rows *jobrows_shown (const struct jobscan *s)
{
    return s->nodes.count && s->processes.count < s->processes.all
               ? &s->nodes
               : &s->processes;
}

void jobrows_say (FILE *out, const struct scan_rows *rows)
{
    if (rows->count < rows->all)
        fprintf (out, " %zu of %zu %s: %s.", rows->count, rows->all, rows->what,
                 rows->by);
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
    double *value = ZEROED (value, rows * FIGMAP_SERIES + 1);
    double width = jobdata_number (d, VIEW_timemap, 0, "seconds");
    double *values[FIGMAP_SERIES];
    char words[WORDS_MAX];

    for (size_t s = 0; s < f->series; s++) {
        values[s] = value + s * rows;
        for (size_t i = 0; i < rows; i++)
            values[s][i] = jobdata_number (d, VIEW_timemap, i, f->column[s]) /
                           f->unit / width;
    }
    html_figure (out, f->id, f->chart.title);
    chart_rates (out, &f->chart,
                 &(struct rates){(double)rows * width, rows, f->series, f->name,
                                 values});
    html_figure_end (out, "%s of each %s.", f->caption,
                     value_words (words, width, "s"));
    free (value);
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
