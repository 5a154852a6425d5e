/* SPDX-License-Identifier: MIT
 *
 * fig_bill.c - where the time of the ranks went: a bar for each
 *
 * In:  the table of view bill
 * Out: a figure as HTML and SVG, to a stream
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "lib/chart/html.h"
#include "lib/chart/rowbars.h"
#include "lib/model/bill.h"
#include "lib/util/fsutil.h"
#include "analyze/report/job/fig_job.h"

/* The parts of the figure: the largest rows of the bill in their order, and
 * one for all the others. */
struct figbill {
    const struct textable *t;
    size_t lanes;           /* rows of t but the last one, which is all */
    int column[BILL_COUNT]; /* of t */
    size_t part[BILL_COUNT];
    size_t parts;
    const char *name[ROWBARS_PARTS_MAX];
};

static double figbill_sum (const struct figbill *f, int row)
{
    return textable_number (f->t, f->lanes, f->column[row]);
}

static void figbill_columns (struct figbill *f)
{
    static const char *const columns[BILL_COUNT] = {
#define BILL(NAME, TITLE, HEAD, CALLS, KINDS, ROLES, NEED, HELP) #NAME "_s",
#include "lib/model/bill.def"
#undef BILL
    };

    for (int row = 0; row < BILL_COUNT; row++)
        f->column[row] = textable_find (f->t, columns[row]);
}

/* How many rows have more of the time than this one. */
static size_t figbill_larger (const struct figbill *f, int row)
{
    size_t larger = 0;

    for (int other = 0; other < BILL_COUNT; other++)
        larger +=
            figbill_sum (f, other) > figbill_sum (f, row) ||
            (other < row && !(figbill_sum (f, other) < figbill_sum (f, row)));
    return larger;
}

static void figbill_parts (struct figbill *f)
{
    for (int row = 0; row < BILL_COUNT; row++)
        if (figbill_sum (f, row) > 0 &&
            figbill_larger (f, row) < ROWBARS_PARTS_MAX - 1) {
            f->part[row] = f->parts;
            f->name[f->parts++] = bill_table[row].title;
        } else
            f->part[row] = ROWBARS_PARTS_MAX;
    f->name[f->parts] = "smaller parts";
    for (int row = 0; row < BILL_COUNT; row++)
        if (f->part[row] == ROWBARS_PARTS_MAX)
            f->part[row] = f->parts;
    f->parts++;
}

/* A rank, and how much of its time is in other parts than the mean has. */
struct figbill_rank {
    size_t row;
    double differs; /* s */
};

static int figbill_by_difference (const void *a, const void *b)
{
    const struct figbill_rank *x = a, *y = b;

    if (x->differs < y->differs || x->differs > y->differs)
        return x->differs < y->differs ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static int figbill_by_row (const void *a, const void *b)
{
    const struct figbill_rank *x = a, *y = b;

    return (x->row > y->row) - (x->row < y->row);
}

/* The first `shown` are those to show, in their order: of many ranks those that
 * differ most from the mean. NULL: ENOMEM. */
static struct figbill_rank *figbill_ranks (const struct figbill *f,
                                           size_t shown)
{
    struct figbill_rank *rank = calloc (f->lanes, sizeof (*rank));

    for (size_t r = 0; rank && r < f->lanes; r++)
        rank[r].row = r;
    for (int row = 0; rank && row < BILL_COUNT; row++) {
        double sum = 0;

        for (size_t r = 0; r < f->lanes; r++)
            sum += textable_number (f->t, r, f->column[row]);
        for (size_t r = 0; r < f->lanes; r++)
            rank[r].differs += fabs (textable_number (f->t, r, f->column[row]) -
                                     sum / (double)f->lanes);
    }
    if (rank && shown < f->lanes) {
        qsort (rank, f->lanes, sizeof (*rank), figbill_by_difference);
        qsort (rank, shown, sizeof (*rank), figbill_by_row);
    }
    return rank;
}

static int figbill_row (struct rowbars *b, const struct figbill *f, size_t r)
{
    char rank[TEXTABLE_NUMBER_MAX], pid[TEXTABLE_NUMBER_MAX],
        host[TEXTABLE_NUMBER_MAX];
    const char *number =
        textable_cell (f->t, r, textable_find (f->t, "rank"), rank);
    char *name = text_format (
        "%s%s, %s", *number ? "rank " : "process ",
        *number ? number
                : textable_cell (f->t, r, textable_find (f->t, "pid"), pid),
        textable_cell (f->t, r, textable_find (f->t, "host"), host));
    double part[ROWBARS_PARTS_MAX] = {0};
    int rc = name ? rowbars_row (b, name) : -1;

    free (name);
    for (int row = 0; rc == 0 && row < BILL_COUNT; row++)
        part[f->part[row]] += textable_number (f->t, r, f->column[row]);
    for (size_t i = 0; rc == 0 && i < f->parts; i++)
        rowbars_value (b, i, part[i]);
    return rc;
}

int fig_bill (FILE *out, const struct jobdata *d)
{
    static const struct chart c = {
        .title = "Where the time of the ranks went",
        .text = "Seconds of the main thread of each rank, by what it did or "
                "waited for",
        .metric = "bill",
        .measure = "time",
        .unit = "s"};
    struct figbill f = {.t = d->table[VIEW_bill]};
    size_t rows = textable_rows (f.t), shown;
    struct figbill_rank *rank;
    struct rowbars *b;
    int rc = 0;

    if (rows < 2)
        return 0;
    f.lanes = rows - 1;
    shown = f.lanes < SCAN_ROWS_MAX ? f.lanes : SCAN_ROWS_MAX;
    figbill_columns (&f);
    figbill_parts (&f);
    rank = figbill_ranks (&f, shown);
    b = rank ? rowbars_create (f.parts, f.name) : NULL;
    if (!b)
        rc = -1;
    for (size_t r = 0; rc == 0 && r < shown; r++)
        rc = figbill_row (b, &f, rank[r].row);
    if (rc == 0) {
        html_figure (out, "fig-bill", c.title);
        rc = rowbars_draw (out, &c, b, 0);
        html_caption (out);
        html_text (out, "Main threads only; the parts of a bar add up to the "
                        "time of the rank. While a rank waits for a batch its "
                        "other threads and processes say what for.");
        if (shown < f.lanes)
            html_format (out,
                         " The %zu of %zu ranks that differ most from the "
                         "mean; dftrace analyze --view bill has all.",
                         shown, f.lanes);
        html_caption_end (out);
    }
    rowbars_destroy (b);
    free (rank);
    return rc;
}
