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

#include "lib/chart/chart.h"
#include "lib/chart/chart_time.h"
#include "analyze/report/job/fig_job.h"
#include "lib/chart/html.h"
#include "analyze/report/job/jobrows.h"

enum {
    PANELS = 2,
    HEAT_BINS = 40,
    HEAT_MERGE = BINS / HEAT_BINS,
    CELLS_MAX = PANELS * SCAN_ROWS_MAX * HEAT_BINS,
    TEXT_MAX = 24
};

/* --- heat maps: process by time ---------------------------------------------
 */

/* What is added up in the cells of a heat map. */
struct heat_kind {
    const char *id;
    struct chart chart;
    const char *panel[PANELS];
    double (*value) (const struct scan_row *row, size_t panel, size_t bin);
    const char *none, *caption;
};

/* What is drawn of it. */
struct heat_cells {
    struct cell cell[CELLS_MAX];
    char text[CELLS_MAX][TEXT_MAX];
    const struct scan_row *row[SCAN_ROWS_MAX];
    const char *name[SCAN_ROWS_MAX];
    char tick[HEAT_BINS][WORDS_MAX];
    const char *ticks[HEAT_BINS];
    size_t n;
};

static double
timefig_bytes_of (const struct scan_row *row, size_t panel, size_t bin)
{
    return (double)row->bytes[panel][bin];
}

static double
timefig_seconds_of (const struct scan_row *row, size_t panel, size_t bin)
{
    static const enum scan_lane lanes[PANELS] = {LANE_IO, LANE_STALL};

    return (double)row->busy[lanes[panel]][bin] / 1e9;
}

static int heat_has (const struct heat_kind *h, const struct scan_row *row)
{
    for (size_t i = 0; i < PANELS * BINS; i++)
        if (h->value (row, i / BINS, i % BINS) > 0)
            return 1;
    return 0;
}

/* Cells of row r: panel by panel, x->n rows in each. */
static void
heat_fill (struct heat_cells *x, const struct heat_kind *h, size_t r)
{
    for (size_t i = 0; i < PANELS * HEAT_BINS; i++) {
        size_t panel = i / HEAT_BINS, bin = i % HEAT_BINS;
        size_t at = (panel * x->n + r) * HEAT_BINS + bin;
        struct cell *c = &x->cell[at];

        *c = (struct cell){
            .lo = NAN, .hi = NAN, .name = x->name[r], .text = x->text[at]};
        for (size_t k = 0; k < HEAT_MERGE; k++)
            c->v += h->value (x->row[r], panel, bin * HEAT_MERGE + k);
        (void)snprintf (x->text[at], TEXT_MAX, "%.9g", c->v);
    }
}

static void heat_ticks (struct heat_cells *x, double seconds, double factor)
{
    for (size_t k = 0; k < HEAT_BINS; k++) {
        (void)number_words (x->tick[k],
                            (double)k * seconds / HEAT_BINS * factor);
        x->ticks[k] = x->tick[k];
    }
}

/* What no process has anything of needs no panel. */
static int heat_is_empty (const struct heat_cells *x, size_t panel)
{
    for (size_t i = 0; i < x->n * HEAT_BINS; i++)
        if (x->cell[panel * x->n * HEAT_BINS + i].v > 0)
            return 0;
    return 1;
}

static void heat_put (FILE *out,
                      const struct heat_kind *h,
                      const struct jobscan *s,
                      const struct heat_cells *x,
                      const char *axis)
{
    const struct scan_rows *rows = jobrows_shown (s);
    struct heat panel[PANELS];
    char words[WORDS_MAX];
    size_t panels = 0;

    for (size_t i = 0; i < PANELS; i++)
        if (!heat_is_empty (x, i))
            panel[panels++] = (struct heat){
                h->panel[i], (struct cell *)x->cell + i * x->n * HEAT_BINS};
    html_figure (out, h->id, h->chart.title);
    if (x->n)
        chart_heat (out, &h->chart, x->n, x->name,
                    rows == &s->nodes ? "node" : "process", HEAT_BINS, x->ticks,
                    axis, panel, panels);
    else
        html_paragraph (out, NULL, "%s", h->none);
    html_caption (out);
    html_format (out, "%s; a cell is %s.", h->caption,
                 value_words (words, bins_seconds (&s->bins) / HEAT_BINS, "s"));
    jobrows_say (out, rows);
    html_caption_end (out);
}

static int
timefig_heat (FILE *out, const struct jobscan *s, const struct heat_kind *h)
{
    const struct scan_rows *rows = jobrows_shown (s);
    double seconds = bins_seconds (&s->bins);
    struct heat_cells *x = calloc (1, sizeof (*x));
    struct shown_unit u = unit_for ("s", seconds);
    char axis[WORDS_MAX];

    if (!x)
        return -1;
    for (size_t i = 0; i < rows->count; i++)
        if (heat_has (h, &rows->row[i])) {
            x->row[x->n] = &rows->row[i];
            x->name[x->n++] = rows->row[i].name;
        }
    for (size_t r = 0; r < x->n; r++)
        heat_fill (x, h, r);
    heat_ticks (x, seconds, u.factor);
    (void)snprintf (axis, sizeof (axis), "time since the start of the job, %s",
                    u.name);
    heat_put (out, h, s, x, axis);
    free (x);
    return 0;
}

int fig_heats (FILE *out, const struct jobscan *s)
{
    static const struct heat_kind bytes = {
        .id = "fig-bytes",
        .chart = {.title = "Bytes moved by process and time",
                  .text = "Bytes read and written by each process over the "
                          "time of the job",
                  .metric = "bytes",
                  .measure = "bytes",
                  .unit = "B",
                  .thin = 1},
        .panel = {"read", "written"},
        .value = timefig_bytes_of,
        .none = "No process read or wrote a file on storage.",
        .caption = "Files on storage"};
    static const struct heat_kind seconds = {
        .id = "fig-seconds",
        .chart = {.title = "Time in I/O by process and time",
                  .text = "Seconds each process was inside I/O calls and "
                          "waited for data, over the time of the job",
                  .metric = "seconds",
                  .measure = "time",
                  .unit = "s",
                  .thin = 1},
        .panel = {"inside I/O calls", "waiting for data"},
        .value = timefig_seconds_of,
        .none = "No process was inside an I/O call on storage or waited for "
                "data.",
        .caption = "Time when at least one thread of the process was at it, "
                   "files on storage"};

    return timefig_heat (out, s, &bytes) < 0 ? -1
                                             : timefig_heat (out, s, &seconds);
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
    chart_rates (out, c, bins_seconds (&s->bins), BINS, PANELS, names, values);
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
        .unit = "MiB/s"};
    static const struct chart size = {
        .title = "Transfer size over time",
        .text = "Mean bytes of a read and of a write, all processes together",
        .metric = "transfer_size",
        .measure = "bytes a call",
        .unit = "B",
        .log = 1};
    double value[PANELS][BINS];
    const struct scan_sums *sums = &s->sums;

    for (size_t way = 0; way < PANELS; way++)
        for (size_t k = 0; k < BINS; k++)
            value[way][k] = (double)sums->bytes[way][k] / (1 << 20) /
                            ((double)bins_width (&s->bins, k) / 1e9);
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
