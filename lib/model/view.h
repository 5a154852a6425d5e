/* SPDX-License-Identifier: MIT
 *
 * view.h - the tables of one job: their words, files, headings, columns
 *
 * For who makes them and for who shows them.
 */
#pragma once

#include "lib/util/textable.h"

enum view {
#define VIEW(WORD, FILE, HEADING, SHOWN, HELP) VIEW_##WORD,
#include "lib/model/views.def"
#undef VIEW
    VIEW_COUNT
};

struct view_info {
    const char *word, *file, *heading, *help;
};

extern const struct view_info view_table[VIEW_COUNT];

/* Return the view with this word or file, or -1. */
int view_parse (const char *word);

enum { VIEW_COLUMNS_MAX = 40 }; /* of one view */

enum column_kind {
    COLUMN_TEXT = 0,
    COLUMN_PATH,
    COLUMN_ID, /* a number that is a name: rank, pid */
    COLUMN_NUMBER,
    COLUMN_BYTES,
    COLUMN_SECONDS,
    COLUMN_MICROS,
};

struct view_column {
    enum view view; /* of view.c alone */
    const char *name;
    enum column_kind kind;
    int digits; /* after the point; -1: each row has its own */
    const char *title, *unit;
    const char *heading; /* on the page; "=": the title, "": not there */
    int joined;          /* on the page only, of percentiles.csv */
    int estimate;        /* in rows whose column `exact` is no */
    const char *help;
};

/* The next column of a view, NULL: the first; NULL after the last one. */
const struct view_column *view_column_next (enum view v,
                                            const struct view_column *after);

/* The columns of v in t, which has none yet; not those that are joined. */
void view_columns (struct textable *t, enum view v);

/* Members that `dftrace top --format jsonl` writes. */
enum top_column {
#define TOP(NAME, UNIT, HELP) TOP_##NAME,
#include "lib/model/topcolumns.def"
#undef TOP
    TOP_COLUMN_COUNT
};

struct top_column_info {
    const char *name, *unit, *help;
};

extern const struct top_column_info top_column_table[TOP_COLUMN_COUNT];
