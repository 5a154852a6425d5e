/* SPDX-License-Identifier: MIT
 *
 * insightrows.c - a finding -> the rows of its view that it came from
 *
 * In:  insights.def, the tables of views.c
 * Out: numbers and names of rows, for tables and metrics.json
 */
#include "config.h"

#include "analyze/tables/insightrows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/kind.h"
#include "lib/util/fsutil.h"
#include "lib/util/textable.h"

enum side { MOST, BOTH };

/* Look only at the files with the most bytes: the file of a finding is one of
 * them. */
enum { FILES_LOOKED_AT = 1000 };

#define INSIGHTROWS_MOST   0.9  /* of the time of calls, to name them */
#define INSIGHTROWS_LITTLE 0.01 /* of the first row: not worth a look */

static const struct choice {
    const char *key, *patterns, *by;
    enum side side;
    size_t most; /* 0: the whole table */
} choices[INSIGHT_COUNT] = {
#define ROWS(KEY, PATTERNS, BY, SIDE, MANY) \
    {                                       \
        KEY, PATTERNS, BY, SIDE, MANY       \
    }
#define ROWS_ALL                  \
    {                             \
        NULL, NULL, NULL, MOST, 0 \
    }
#define INSIGHT(NAME, PARTS, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                              \
    [INSIGHT_##NAME] = FOUND,
#include "lib/model/insights.def"
#undef INSIGHT
#undef ROWS_ALL
#undef ROWS
};

/* The columns that name a row, and what stands before and between them. */
static const struct naming {
    const char *before, *column, *between, *other;
} namings[VIEW_COUNT] = {
    [VIEW_health] = {"", "file", "", ""},
    [VIEW_metric] = {"", "metric", "", ""},
    [VIEW_peer] = {"", "peer", ":", "port"},
    [VIEW_wall] = {"", "cause", "", ""},
    [VIEW_call] = {"", "category", "/", "name"},
    [VIEW_operation] = {"", "category", "/", "name"},
    [VIEW_startup] = {"rank ", "rank", " on ", "host"},
    [VIEW_checkpoint] = {"rank ", "rank", " on ", "host"},
    [VIEW_clock] = {"", "host", "", ""},
    [VIEW_rank] = {"rank ", "rank", " on ", "host"},
    [VIEW_process] = {"", "host", ":", "pid"},
    [VIEW_file] = {"", "file", "", ""},
    [VIEW_mapping] = {"", "file", "", ""},
    [VIEW_fault] = {"", "category", "/", "name"},
    [VIEW_mount] = {"", "mount", "", ""},
    [VIEW_shared] = {"", "file", "", ""},
    [VIEW_mpiio] = {"", "kind", "", ""},
    [VIEW_hdf5] = {"", "path", "", "object"}, /* as h5ls has it */
};

/* --- cells ---------------------------------------------------------------- */

static const struct table_cell *
insightrows_cell_of (const struct textable *t, size_t row, const char *column)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp (t->column[i].name, column) == 0)
            return &t->cell[row * t->columns + i];
    return NULL;
}

static const char *
insightrows_text_of (const struct textable *t, size_t row, const char *column)
{
    const struct table_cell *c = insightrows_cell_of (t, row, column);

    return c && c->type == CELL_TEXT && c->text ? c->text : "";
}

/* NaN: it has none. */
static double
insightrows_number_of (const struct textable *t, size_t row, const char *column)
{
    const struct table_cell *c = insightrows_cell_of (t, row, column);

    if (!c)
        return NAN;
    return c->type == CELL_UINT     ? (double)c->u
           : c->type == CELL_DOUBLE ? c->d
                                    : NAN;
}

static const char *insightrows_class_of (const struct textable *t, size_t row)
{
    const char *layer = insightrows_text_of (t, row, "category");
    const char *name = insightrows_text_of (t, row, "name");

    for (int i = 0; i < CALL_MAX; i++)
        if (call_table[i].name[0] && strcmp (call_table[i].name, name) == 0 &&
            strcmp (call_category_name (call_table[i].category), layer) == 0)
            return call_table[i].category >= CALL_CATEGORY_KERNEL
                       ? "" /* asked above POSIX, or seen below it */
                       : call_class_name ((enum call_class)call_table[i].class);
    return "";
}

/* --- choosing ------------------------------------------------------------- */

static int
belongs (const struct textable *t, size_t row, const struct choice *c)
{
    if (!c->key[0])
        return 1;
    return pattern_match (c->patterns,
                          strcmp (c->key, "class") == 0
                              ? insightrows_class_of (t, row)
                              : insightrows_text_of (t, row, c->key));
}

/* Calls are counted on files of all kinds. Where a good part of the metadata is
 * not of data files, the rows of the view do not say what a rule about data
 * files is about. */
static int insightrows_is_about (const struct choice *c,
                                 const struct textable *t,
                                 const struct result *r)
{
    double all_s = 0, data_s = (double)r->summary->n.data_meta.ns / 1e9;

    if (strcmp (c->patterns, "meta") != 0)
        return 1;
    for (size_t row = 0; row < t->rows; row++)
        if (belongs (t, row, c))
            all_s += insightrows_number_of (t, row, c->by);
    return data_s >= INSIGHTROWS_MOST * all_s;
}

static int insightrows_is_chosen (const struct insight_rows *rows, size_t row)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i] == row + 1)
            return 1;
    return 0;
}

/* The best row that is not chosen yet; t->rows: none. Of equal ones the
 * first. */
static size_t best_row (const struct textable *t,
                        const struct choice *c,
                        const struct insight_rows *rows,
                        int least)
{
    size_t best = t->rows;
    double most = 0;

    for (size_t i = 0; i < t->rows; i++) {
        double v = c->by[0] ? insightrows_number_of (t, i, c->by)
                            : (double)(t->rows - i);

        if (isnan (v) || v == 0 || insightrows_is_chosen (rows, i) ||
            !belongs (t, i, c))
            continue;
        if (best == t->rows || (least ? v < most : v > most)) {
            best = i;
            most = v;
        }
    }
    return best;
}

/* After the largest one there may be rows that have nothing to do with what
 * was found, such as a flush of 2 us beside a second of fsync. */
static int insightrows_is_little (const struct textable *t,
                                  const struct choice *c,
                                  const struct insight_rows *rows,
                                  size_t row)
{
    if (c->side != MOST || !c->by[0] || rows->count == 0)
        return 0;
    return insightrows_number_of (t, row, c->by) <
           INSIGHTROWS_LITTLE *
               insightrows_number_of (t, rows->row[0] - 1, c->by);
}

static char *words_of (const struct textable *t, size_t row, const char *column)
{
    const struct table_cell *c =
        column[0] ? insightrows_cell_of (t, row, column) : NULL;

    if (c && c->type == CELL_NA)
        return strdup ("-");
    return c && c->type == CELL_UINT
               ? text_format ("%" PRIu64, c->u)
               : strdup (insightrows_text_of (t, row, column));
}

static char *insightrows_name_of (const struct textable *t,
                                  size_t row,
                                  const struct naming *n)
{
    char *first = words_of (t, row, n->column);
    char *second = words_of (t, row, n->other);
    char *name = first && second ? text_format ("%s%s%s%s", n->before, first,
                                                n->between, second)
                                 : NULL;

    free (first);
    free (second);
    return name;
}

int insight_rows (struct insight_rows *rows,
                  enum insight i,
                  const struct result *r)
{
    const struct choice *c = &choices[i];
    int view = view_parse (insight_table[i].from), rc = 0;
    struct textable *t;

    memset (rows, 0, sizeof (*rows));
    if (!c->most || view < 0 || !namings[view].column)
        return 0;
    if (!(t = view_make (r, (enum view)view,
                         view == VIEW_file ? FILES_LOOKED_AT : 0)))
        return -1;
    while (rc == 0 && insightrows_is_about (c, t, r) && rows->count < c->most) {
        size_t row = best_row (t, c, rows, c->side == BOTH && rows->count);
        char *name;

        if (row == t->rows || insightrows_is_little (t, c, rows, row))
            break;
        if ((name = insightrows_name_of (t, row, &namings[view]))) {
            rows->row[rows->count] = row + 1;
            rows->name[rows->count++] = name;
        } else
            rc = -1;
    }
    textable_destroy (t);
    if (rc < 0)
        insight_rows_clear (rows);
    return rc;
}

void insight_rows_clear (struct insight_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free (rows->name[i]);
    rows->count = 0;
}
