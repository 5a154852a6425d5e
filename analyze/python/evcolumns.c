/* SPDX-License-Identifier: MIT
 *
 * evcolumns.c - the columns of events that are asked for
 *
 * In:  words of columns=
 * Out: what they are and what type they have, to evfill.c
 */
#include "config.h"

#include "analyze/python/evcolumns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/query/query.h"
#include "analyze/scan/where.h"
#include "lib/util/optparse.h"

const char *const evcolumns_default[] = {
    "time_ns", "dur_ns", "host", "pid",    "tid", "rank",  "cat",
    "name",    "file",   "size", "offset", "ret", "errno", NULL};

/* Words that conditions do not have. */
static const struct evcolumns_own {
    const char *word;
    enum evcolumn_from from;
    enum arrowcol_type type;
    const char *unit;
} evcolumns_own[] = {
    {"time_ns", EVCOLUMN_REAL_TIME, ARROWCOL_INT64, "ns"},
    {"dur_ns", EVCOLUMN_NUMBER, ARROWCOL_INT64, "ns"},
    {"args", EVCOLUMN_ARGS, ARROWCOL_TEXT, NULL},
};
enum { EVCOLUMNS_OWN = sizeof (evcolumns_own) / sizeof (evcolumns_own[0]) };

static int evcolumns_unknown (const char *word, struct errtext *err)
{
    const char *words[WHERE_COLUMNS + EVCOLUMNS_OWN + 2], *near;
    int n = 0;

    for (int i = 0; i < WHERE_COLUMNS; i++)
        if (where_column_taken ((enum where_column)i))
            words[n++] = where_column_info ((enum where_column)i)->word;
    for (int i = 0; i < EVCOLUMNS_OWN; i++)
        words[n++] = evcolumns_own[i].word;
    words[n++] = "arg.NAME";
    words[n] = NULL;
    near = nearest_word (word, words);
    errno = EINVAL;
    return near ? errf (err,
                        "columns: %s: no such column: did you mean %s? See "
                        "dftrace help where",
                        word, near)
                : errf (err,
                        "columns: %s: no such column: see dftrace help where",
                        word);
}

static enum arrowcol_type evcolumns_type (enum where_column column)
{
    switch (column) {
    case WHERE_pid:
    case WHERE_tid:
    case WHERE_fd:
    case WHERE_errno:
    case WHERE_BY_rank:
        return ARROWCOL_INT32;
    default:
        return ARROWCOL_INT64;
    }
}

static int
evcolumns_text (struct evcolumn *c, const char *word, struct errtext *err)
{
    struct query q = {.keys = 0};

    if (query_parse_keys (&q, word, err) < 0)
        return -1;
    c->key = q.key[0];
    c->from = EVCOLUMN_TEXT;
    c->type = ARROWCOL_WORDS;
    return 0;
}

static int
evcolumns_find (struct evcolumn *c, const char *word, struct errtext *err)
{
    enum where_type type;
    int column = asking_find (word, strlen (word));

    for (int i = 0; i < EVCOLUMNS_OWN; i++)
        if (strcmp (evcolumns_own[i].word, word) == 0) {
            c->from = evcolumns_own[i].from;
            c->type = evcolumns_own[i].type;
            c->unit = evcolumns_own[i].unit;
            c->column = WHERE_dur;
            return 0;
        }
    if (strncmp (word, "arg.", 4) == 0 && word[4]) {
        c->from = EVCOLUMN_ARGUMENT;
        return 0;
    }
    if (column < 0)
        return evcolumns_unknown (word, err);
    c->column = (enum where_column)column;
    type = where_column_info (c->column)->type;
    if (type == WHERE_TEXT)
        return evcolumns_text (c, word, err);
    c->from = EVCOLUMN_NUMBER;
    c->type = evcolumns_type (c->column);
    c->unit = type == WHERE_TIME ? "ns" : type == WHERE_BYTES ? "B" : NULL;
    return 0;
}

int evcolumns_add (struct evcolumns *c, const char *word, struct errtext *err)
{
    struct evcolumn *one = &c->item[c->count];

    errno = EINVAL;
    if (c->count == EVCOLUMNS_MAX)
        return errf (err, "columns: more than %d columns", EVCOLUMNS_MAX);
    if (strlen (word) >= KEYS_WORD_MAX)
        return evcolumns_unknown ("", err);
    for (size_t i = 0; i < c->count; i++)
        if (strcmp (c->item[i].word, word) == 0)
            return errf (err, "columns: %s: the same column twice", word);
    memset (one, 0, sizeof (*one));
    (void)snprintf (one->word, sizeof (one->word), "%s", word);
    if (evcolumns_find (one, word, err) < 0)
        return -1;
    c->count++;
    return 0;
}

int evcolumns_has (const struct evcolumns *c, enum where_column column)
{
    for (size_t i = 0; i < c->count; i++)
        if ((c->item[i].from == EVCOLUMN_NUMBER ||
             c->item[i].from == EVCOLUMN_TEXT) &&
            c->item[i].column == column)
            return 1;
    return 0;
}

int evcolumns_need_context (const struct evcolumns *c)
{
    return evcolumns_has (c, WHERE_BY_step) ||
           evcolumns_has (c, WHERE_BY_epoch) ||
           evcolumns_has (c, WHERE_BY_kind);
}

enum batch_need evcolumns_need (const struct evcolumns *c,
                                const struct where *where)
{
    enum batch_need need = query_need_of_where (where), one;

    for (size_t i = 0; i < c->count; i++) {
        const struct evcolumn *e = &c->item[i];

        one = e->from == EVCOLUMN_REAL_TIME ? BATCH_REGIONS
              : e->from == EVCOLUMN_NUMBER || e->from == EVCOLUMN_TEXT
                  ? query_need_of_column (e->column)
                  : BATCH_ALL;
        need = one < need ? one : need;
    }
    return need;
}

void evcolumns_fields (const struct evcolumns *c, struct arrowcol_field *field)
{
    for (size_t i = 0; i < c->count; i++)
        field[i] = (struct arrowcol_field){c->item[i].word, c->item[i].unit,
                                           c->item[i].type};
}
