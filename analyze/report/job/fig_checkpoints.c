/* SPDX-License-Identifier: MIT
 *
 * fig_checkpoints.c - figures of a job's checkpoints
 *
 * In:  the tables of checkpoints and of their kinds
 * Out: figures as HTML and SVG, to a stream; nothing without checkpoints
 */
#include "config.h"

#include <stdlib.h>

#include "lib/util/fsutil.h"
#include "lib/chart/html.h"
#include "lib/chart/rowbars.h"
#include "analyze/report/job/fig_job.h"

enum { PARTS = 2 };

/* A table as rows of bars made of two of its columns. */
struct breakdown {
    const char *id, *part[PARTS], *column[PARTS], *caption;
    struct chart chart;
    enum view view;
    const char *name[PARTS]; /* columns of a row's name; the second may be
                                NULL */
};

static char *
breakdown_name (const struct breakdown *b, const struct textable *t, size_t row)
{
    char buf[PARTS][TEXTABLE_NUMBER_MAX];
    const char *first =
        textable_cell (t, row, textable_find (t, b->name[0]), buf[0]);

    return b->name[1]
               ? text_format ("rank %s, %s", first,
                              textable_cell (t, row,
                                             textable_find (t, b->name[1]),
                                             buf[1]))
               : text_format ("%s", first);
}

static int breakdown_fill (struct rowbars *bars,
                           const struct jobdata *d,
                           const struct breakdown *b,
                           size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        char *name = breakdown_name (b, d->table[b->view], r);
        int rc = name ? rowbars_row (bars, name) : -1;

        free (name);
        if (rc < 0)
            return -1;
        for (size_t k = 0; k < PARTS; k++)
            rowbars_value (bars, k,
                           jobdata_number (d, b->view, r, b->column[k]));
    }
    return 0;
}

static int fig_checkpoints_breakdown (FILE *out,
                                      const struct jobdata *d,
                                      const struct breakdown *b)
{
    size_t all = textable_rows (d->table[b->view]);
    size_t n = all < SCAN_ROWS_MAX ? all : SCAN_ROWS_MAX;
    struct rowbars *bars = rowbars_create (PARTS, b->part);
    int rc = bars ? breakdown_fill (bars, d, b, n) : -1;

    if (rc == 0 && rowbars_longest (bars) > 0) {
        html_figure (out, b->id, b->chart.title);
        rc = rowbars_draw (out, &b->chart, bars, 0);
        html_caption (out);
        html_text (out, b->caption);
        if (n < all)
            html_format (out, " The first %zu of %zu.", n, all);
        html_caption_end (out);
    }
    rowbars_destroy (bars);
    return rc;
}

int fig_checkpoints (FILE *out, const struct jobdata *d)
{
    static const struct breakdown ranks = {
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
        .view = VIEW_checkpoint,
        .name = {"rank", "host"}};
    static const struct breakdown kinds = {
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
        .view = VIEW_checkpointkind,
        .name = {"kind"}};

    return fig_checkpoints_breakdown (out, d, &ranks) < 0
               ? -1
               : fig_checkpoints_breakdown (out, d, &kinds);
}
