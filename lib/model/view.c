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

static const struct view_column view_columns_all[] = {
#define COLUMN(VIEW, NAME, KIND, DIGITS, TITLE, UNIT, HEADING, HELP)  \
    {VIEW_##VIEW, #NAME, COLUMN_##KIND, DIGITS, TITLE, UNIT, HEADING, \
     0,           0,     HELP},
#define FACT(VIEW, NAME, KIND, TITLE, HELP) \
    FACT_OF (VIEW, NAME, KIND, TITLE, HELP, OF_##KIND)
#define FACT_OF(VIEW, NAME, KIND, TITLE, HELP, ...) \
    FACT_AS (VIEW, NAME, KIND, TITLE, HELP, __VA_ARGS__)
#define FACT_AS(VIEW, NAME, KIND, TITLE, HELP, DIGITS, UNIT) \
    COLUMN (VIEW, NAME, KIND, DIGITS, TITLE, UNIT, "=", HELP)
#define ESTIMATE(VIEW, NAME, KIND, DIGITS, TITLE, UNIT, HEADING, HELP) \
    {VIEW_##VIEW, #NAME, COLUMN_##KIND, DIGITS, TITLE, UNIT, HEADING,  \
     0,           1,     HELP},
#define JOINED(VIEW, NAME, KIND, HEADING) \
    {VIEW_##VIEW, #NAME, COLUMN_##KIND, 0, "", "", HEADING, 1, 0, ""},
#include "lib/model/viewcolumns.def"
#undef JOINED
#undef ESTIMATE
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
    const struct view_column *end = view_columns_all + ITEMS (view_columns_all);

    for (after = after ? after + 1 : view_columns_all; after < end; after++)
        if (after->view == v)
            return after;
    return NULL;
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
