/* SPDX-License-Identifier: MIT
 *
 * view.c - the tables of one job: their words, files, headings, columns
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/model/view.h"

const struct view_info view_table[VIEW_COUNT] = {
#define VIEW(WORD, FILE, HEADING, SHOWN, HELP) {#WORD, FILE, HEADING, HELP},
#include "lib/model/views.def"
#undef VIEW
};

/* Digits and unit of most columns of a kind. */
#define OF_TEXT    0, ""
#define OF_PATH    0, ""
#define OF_ID      0, ""
#define OF_NUMBER  0, ""
#define OF_BYTES   0, "B"
#define OF_SECONDS 6, "s"
#define OF_MICROS  2, "us"

/* The columns of a view stand behind a row that has its number and no name. */
static const struct view_column view_columns_all[] = {
#define TABLE(VIEW) {.view = VIEW_##VIEW},
#define COLUMN(NAME, KIND, DIGITS, TITLE, UNIT, HEADING, HELP) \
    {0, #NAME, COLUMN_##KIND, DIGITS, TITLE, UNIT, HEADING, 0, 0, HELP},
#define HEADED(NAME, KIND, TITLE, HEADING, HELP) \
    HEADED_OF (NAME, KIND, TITLE, HEADING, HELP, OF_##KIND)
#define HEADED_OF(NAME, KIND, TITLE, HEADING, HELP, ...) \
    HEADED_AS (NAME, KIND, TITLE, HEADING, HELP, __VA_ARGS__)
#define HEADED_AS(NAME, KIND, TITLE, HEADING, HELP, DIGITS, UNIT) \
    COLUMN (NAME, KIND, DIGITS, TITLE, UNIT, HEADING, HELP)
#define FACT(NAME, KIND, TITLE, HELP) HEADED (NAME, KIND, TITLE, "=", HELP)
#define ESTIMATE(NAME, KIND, DIGITS, TITLE, UNIT, HEADING, HELP) \
    {0, #NAME, COLUMN_##KIND, DIGITS, TITLE, UNIT, HEADING, 0, 1, HELP},
#define JOINED(NAME, KIND, HEADING) \
    {0, #NAME, COLUMN_##KIND, 0, "", "", HEADING, 1, 0, ""},
#include "lib/model/viewcolumns.def"
#undef COLUMN
};

const struct top_column_info top_column_table[TOP_COLUMN_COUNT] = {
#define TOP(NAME, UNIT, HELP) {#NAME, UNIT, HELP},
#include "lib/model/topcolumns.def"
#undef TOP
};

int view_parse (const char *word)
{
    for (int i = 0; i < VIEW_COUNT; i++)
        if (strcmp (view_table[i].word, word) == 0 ||
            strcmp (view_table[i].file, word) == 0)
            return i;
    return -1;
}

const struct view_column *view_column_next (enum view v,
                                            const struct view_column *after)
{
    const struct view_column *at = after ? after : view_columns_all;

    while (!after && (at->name || at->view != v))
        at++;
    at++;
    return at < view_columns_all + ITEMS (view_columns_all) && at->name ? at
                                                                        : NULL;
}

void view_columns (struct textable *t, enum view v)
{
    for (const struct view_column *c = NULL; (c = view_column_next (v, c));)
        if (!c->joined) {
            textable_column (t, c->name, c->title, c->unit,
                             c->kind >= COLUMN_ID);
            textable_column_digits (t, c->digits);
        }
}
