/* SPDX-License-Identifier: MIT
 *
 * fig_checkpoints.c - figures of a job's checkpoints
 *
 * In:  checkpoints.csv, checkpointkinds.csv
 * Out: figures as HTML and SVG, to a stream; nothing without checkpoints
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "report/chart/chart.h"
#include "report/job/fig_job.h"
#include "report/chart/html.h"
#include "report/job/jobrows.h"

enum { PARTS = 2 };

/* A table as rows of bars made of two of its columns. */
struct breakdown {
    const char *id, *part[PARTS], *column[PARTS], *caption;
    struct chart chart;
    const struct csv *table;
    char *(*name) (const struct csv *table, size_t row);
};

static char *rank_name (const struct csv *t, size_t row)
{
    return text_format ("rank %s, %s", csv_get (t, row, "rank"),
                        csv_get (t, row, "host"));
}

static char *kind_name (const struct csv *t, size_t row)
{
    return strdup (csv_get (t, row, "kind"));
}

static int breakdown (FILE *out, const struct breakdown *b)
{
    size_t all = csv_rows (b->table);
    size_t n = all < JOBROWS_MAX ? all : JOBROWS_MAX;
    struct cell cell[PARTS][JOBROWS_MAX];
    struct series series[PARTS];
    char *name[JOBROWS_MAX] = {NULL};
    double most = 0;
    int rc = 0;

    for (size_t r = 0; r < n; r++) {
        double sum = 0;

        if (!(name[r] = b->name (b->table, r)))
            rc = -1;
        for (size_t k = 0; k < PARTS; k++) {
            const char *text = csv_get (b->table, r, b->column[k]);
            double v = cell_number (text);

            cell[k][r] = (struct cell){.v = isnan (v) ? 0 : v,
                                       .lo = NAN,
                                       .hi = NAN,
                                       .text = text,
                                       .name = name[r]};
            sum += cell[k][r].v;
        }
        most = fmax (most, sum);
    }
    for (size_t k = 0; k < PARTS; k++)
        series[k] = (struct series){b->part[k], cell[k]};
    if (rc == 0 && most > 0) {
        html_figure (out, b->id, b->chart.title);
        chart_rows (out, &b->chart, n, (const char *const *)name, series, PARTS,
                    most);
        (void)fprintf (out, "<figcaption>%s", b->caption);
        if (n < all)
            (void)fprintf (out, " The first %zu of %zu.", n, all);
        (void)fputs ("</figcaption></figure>\n", out);
    }
    for (size_t r = 0; r < JOBROWS_MAX; r++)
        free (name[r]);
    return rc;
}

int fig_checkpoints (FILE *out, const struct jobdata *d)
{
    const struct breakdown ranks = {
        .id = "fig-checkpoints",
        .part = {"blocking", "asynchronous"},
        .column = {"checkpoint_s", "checkpoint_async_s"},
        .caption = "Time in checkpoint regions of the threads that train, and "
                   "of those beside them.",
        .chart = {.title = "Time in checkpoints by rank",
                  .text = "Seconds each rank spent in checkpoints, blocking "
                          "training or beside it",
                  .metric = "checkpoint_s",
                  .measure = "time",
                  .unit = "s"},
        .table = d->checkpoints,
        .name = rank_name};
    const struct breakdown kinds = {
        .id = "fig-checkpoint-kinds",
        .part = {"written", "read"},
        .column = {"write_bytes", "read_bytes"},
        .caption = "Kinds by the names of files: dftrace help metrics.",
        .chart = {.title = "Bytes of checkpoints by kind of file",
                  .text = "Bytes written and read of optimizer state, layers "
                          "and other checkpoint files",
                  .metric = "checkpoint_bytes",
                  .measure = "bytes",
                  .unit = "B"},
        .table = d->checkpointkinds,
        .name = kind_name};

    return breakdown (out, &ranks) < 0 ? -1 : breakdown (out, &kinds);
}
