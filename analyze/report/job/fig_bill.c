/* SPDX-License-Identifier: MIT
 *
 * fig_bill.c - figures of a job's time: one bar of the job, and one of each
 *              rank or process
 *
 * In:  tables of the bills
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include "analyze/report/job/fig_job.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/model/metric.h"

const char *fig_process_name (const char *rank,
                              const char *exe,
                              const char *host,
                              const char *pid)
{
    const char *slash = strrchr (exe, '/');

    exe = slash ? slash + 1 : exe;
    return *rank ? arena_format ("rank %s, %s:%s", rank, host, pid)
                 : arena_format ("%s%s%s:%s", exe, *exe ? ", " : "", host, pid);
}

/* --- parts and their colours ------------------------------------------------
 */

/* The parts of both figures: the largest rows of the bills in their order, and
 * one for all the others. */
struct figbill {
    const struct jobdata *d;
    const struct textable *t; /* the bill of the ranks */
    size_t lanes;             /* rows of t but the last one, which is all */
    int column[BILL_COUNT];   /* of t */
    double job[BILL_COUNT];   /* s of the job */
    double weight[BILL_COUNT];
    size_t part[BILL_COUNT];
    size_t parts;
    const char *name[ROWBARS_PARTS_MAX];
};

/* n/a is 0. */
static double figbill_seconds (const struct textable *t, size_t row, int column)
{
    double v = textable_number (t, row, column);

    return v > 0 ? v : 0;
}

static double figbill_lane (const struct figbill *f, size_t lane, int row)
{
    return figbill_seconds (f->t, lane, f->column[row]);
}

static double figbill_total (const double s[BILL_COUNT])
{
    double total = 0;

    for (int row = 0; row < BILL_COUNT; row++)
        total += s[row];
    return total;
}

/* How many rows have more of the time than this one. */
static size_t figbill_larger (const struct figbill *f, int row)
{
    size_t larger = 0;

    for (int other = 0; other < BILL_COUNT; other++)
        larger += f->weight[other] > f->weight[row] ||
                  (other < row && !(f->weight[other] < f->weight[row]));
    return larger;
}

/* Weight: how much of a row there is in both figures. */
static void figbill_parts (struct figbill *f)
{
    double ranks[BILL_COUNT], job = figbill_total (f->job), all;

    for (int row = 0; row < BILL_COUNT; row++)
        ranks[row] = figbill_lane (f, f->lanes, row);
    all = figbill_total (ranks);
    for (int row = 0; row < BILL_COUNT; row++)
        f->weight[row] = (job > 0 ? f->job[row] / job : 0) +
                         (all > 0 ? ranks[row] / all : 0);
    for (int row = 0; row < BILL_COUNT; row++) {
        f->part[row] = ROWBARS_PARTS_MAX;
        if (f->weight[row] > 0 &&
            figbill_larger (f, row) < ROWBARS_PARTS_MAX - 1) {
            f->part[row] = f->parts;
            f->name[f->parts++] = bill_table[row].title;
        }
    }
    for (int row = 0; row < BILL_COUNT; row++)
        f->part[row] = MIN (f->part[row], f->parts);
    f->name[f->parts++] = "smaller parts";
}

static void figbill_open (struct figbill *f, const struct jobdata *d)
{
    const struct textable *wall = d->table[VIEW_wall];

    *f = (struct figbill){.d = d, .t = d->table[VIEW_bill]};
    f->lanes = textable_rows (f->t) ? textable_rows (f->t) - 1 : 0;
    for (int row = 0; row < BILL_COUNT; row++) {
        f->column[row] =
            textable_find (f->t, arena_format ("%s_s", bill_table[row].name));
        for (size_t r = 0; r < textable_rows (wall); r++)
            if (strcmp (jobdata_cell (wall, r, "cause"),
                        bill_table[row].name) == 0)
                f->job[row] =
                    figbill_seconds (wall, r, textable_find (wall, "time_s"));
    }
    figbill_parts (f);
}

/* Add a bar of these seconds. */
static void figbill_bar (const struct figbill *f,
                         struct chart_grid *g,
                         const char *name,
                         const double seconds[BILL_COUNT])
{
    struct cell *cell = g->cell + g->rows * g->columns;
    double part[ROWBARS_PARTS_MAX] = {0};

    for (int row = 0; row < BILL_COUNT; row++)
        part[f->part[row]] += seconds[row];
    for (size_t i = 0; i < f->parts; i++)
        cell[i] = cell_of (part[i], name);
    g->row[g->rows++] = name;
}

/* --- the job: one bar -------------------------------------------------------
 */

static void figwall_put (FILE *out, const struct figbill *f)
{
    static const struct chart c = {
        .title = "Where the time of the job went",
        .text = "Seconds of the job, by what its main threads did or waited "
                "for",
        .metric = "wall",
        .measure = "time",
        .unit = "s",
        .classes = 1};
    struct chart_grid g = chart_grid_create (1, 1, f->parts);
    double total = figbill_total (f->job);

    if (!(total > 0))
        return;
    g.rows = 0;
    figbill_bar (f, &g, "job", f->job);
    for (size_t i = 0; i < f->parts; i++)
        g.column[i] = arena_format ("%s: %s, %.1f %%", f->name[i],
                                    value_shown (g.cell[i].v, "s"),
                                    100 * g.cell[i].v / total);
    html_figure (out, "fig-wall", c.title);
    chart_rows (out, &c, &g);
    html_figure_end (out,
                     "The parts add up to the time of the job: an instant is "
                     "shared by the main threads that were there, without "
                     "those that waited for the others.");
}

/* --- ranks and processes: a bar for each ------------------------------------
 */

/* A row of the bill, and how much of its time is in other parts than the mean
 * has. */
struct figbill_rank {
    size_t row;
    int ranked;           /* it has a rank */
    double time, differs; /* s */
};

static int figbill_by_row (const void *a, const void *b)
{
    const struct figbill_rank *x = a, *y = b;

    return ORDER (x->row, y->row);
}

static int figbill_by_difference (const void *a, const void *b)
{
    const struct figbill_rank *x = a, *y = b;

    return ORDER (y->differs, x->differs) ?: figbill_by_row (a, b);
}

/* Those without a rank, the shortest ones first. */
static int figbill_by_time (const void *a, const void *b)
{
    const struct figbill_rank *x = a, *y = b;

    return x->ranked - y->ranked
               ?: ORDER (x->time, y->time)
               ?: figbill_by_row (a, b);
}

/* All of them by time. */
static struct figbill_rank *figbill_ranks (const struct figbill *f)
{
    struct figbill_rank *rank = arena_array (f->lanes, sizeof (*rank));

    for (size_t r = 0; r < f->lanes; r++) {
        rank[r] = (struct figbill_rank){
            .row = r,
            .ranked = jobdata_number (f->d, VIEW_bill, r, "rank") >= 0,
            .time = figbill_seconds (f->t, r, textable_find (f->t, "time_s"))};
        for (int row = 0; row < BILL_COUNT; row++)
            rank[r].differs +=
                fabs (figbill_lane (f, r, row) -
                      figbill_lane (f, f->lanes, row) / (double)f->lanes);
    }
    SORT (rank, f->lanes, figbill_by_time);
    return rank;
}

/* The first ones that are processes of less than 1 % of the job together; 0
 * when these are not several. */
static size_t figbill_short (const struct figbill *f,
                             const struct figbill_rank *rank)
{
    double sum = 0, most = figbill_total (f->job) / 100;
    size_t n = 0;

    while (n < f->lanes && !rank[n].ranked && sum + rank[n].time < most)
        sum += rank[n++].time;
    return n > 1 ? n : 0;
}

/* With the program that ran longest in the first process of a row: the shell
 * before an exec has run for a moment only. */
static const char *figbill_name (const struct figbill *f, size_t row)
{
    const struct textable *t = f->d->table[VIEW_process];
    const char *host = jobdata_cell (f->t, row, "host");
    const char *pid = jobdata_cell (f->t, row, "pid");
    size_t found = textable_rows (t);
    int time = textable_find (t, "time_s");
    double longest = -1;

    for (size_t r = 0; r < textable_rows (t); r++)
        if (figbill_seconds (t, r, time) > longest &&
            strcmp (jobdata_cell (t, r, "pid"), pid) == 0 &&
            strcmp (jobdata_cell (t, r, "host"), host) == 0) {
            longest = figbill_seconds (t, r, time);
            found = r;
        }
    return fig_process_name (jobdata_cell (f->t, row, "rank"),
                             jobdata_cell (t, found, "exe"), host, pid);
}

/* Add a bar of n ranks, or of as many short ones. */
static void figbill_row (struct chart_grid *g,
                         const struct figbill *f,
                         const struct figbill_rank *rank,
                         size_t n)
{
    double seconds[BILL_COUNT] = {0}, time = 0;

    for (size_t r = 0; r < n; r++) {
        time += rank[r].time;
        for (int row = 0; row < BILL_COUNT; row++)
            seconds[row] += figbill_lane (f, rank[r].row, row);
    }
    figbill_bar (f, g,
                 n == 1 ? figbill_name (f, rank->row)
                        : arena_format ("%zu short ones: %s", n,
                                        value_shown (time, "s")),
                 seconds);
}

static void figbill_caption (
    FILE *out, const struct jobdata *d, size_t shown, size_t all, size_t few)
{
    int ranked = jobdata_ranked (d);
    const char *one = ranked ? "rank" : "process";

    html_caption (out);
    html_format (out,
                 "Main threads only; the parts of a bar add up to the time of "
                 "the %s.",
                 one);
    if (!isnan (d->metric[METRIC_stall_time].value))
        html_format (out,
                     " While a %s waits for a batch its other threads and "
                     "processes say what for.",
                     one);
    if (shown < all)
        html_format (out, " The %zu of %zu %s that differ most from the mean.",
                     shown, all, ranked ? "ranks" : "processes");
    if (few)
        html_text (out, " The short ones have less than 1 % of the job's time "
                        "together.");
    if (few || shown < all)
        html_text (out, " dftrace analyze --view bill has all.");
    html_caption_end (out);
}

static void figbill_put (FILE *out, const struct figbill *f)
{
    int ranked = jobdata_ranked (f->d);
    const struct chart c = {
        .title = ranked ? "Where the time of the ranks went"
                        : "Where the time of the processes went",
        .text = ranked ? "Seconds of the main thread of each rank, by what it "
                         "did or waited for"
                       : "Seconds of the main thread of each process, by what "
                         "it did or waited for",
        .metric = "bill",
        .measure = "time",
        .unit = "s",
        .classes = 1};
    struct figbill_rank *rank = figbill_ranks (f);
    size_t few = figbill_short (f, rank), all = f->lanes - few;
    size_t shown = MIN (all, SCAN_ROWS_MAX);
    struct chart_grid g = chart_grid_create (1, shown + 1, f->parts);

    memcpy (g.column, f->name, f->parts * sizeof (*g.column));
    g.rows = 0;
    if (shown < all)
        SORT (rank + few, all, figbill_by_difference);
    SORT (rank + few, shown, figbill_by_row);
    for (size_t r = 0; r < shown; r++)
        figbill_row (&g, f, rank + few + r, 1);
    if (few)
        figbill_row (&g, f, rank, few);
    html_figure (out, "fig-bill", c.title);
    chart_rows (out, &c, &g);
    figbill_caption (out, f->d, shown, all, few);
}

void fig_bill (FILE *out, const struct jobdata *d)
{
    struct figbill f;

    figbill_open (&f, d);
    if (!f.lanes)
        return;
    figwall_put (out, &f);
    figbill_put (out, &f);
}
