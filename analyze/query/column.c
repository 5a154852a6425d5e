/* SPDX-License-Identifier: MIT
 *
 * column.c - a batch -> the values of one key, as ordinals
 *
 * In:  events in columns
 * Out: small numbers, to query.c; the texts they stand for
 */
#include "config.h"

#include "analyze/query/column.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/keycolumn.h"
#include "analyze/query/keytext.h"

/* --- ordinals ---------------------------------------------------------------
 */

int64_t column_text (struct column *c, const char *text, int64_t number)
{
    int isnew;
    int64_t at = strmap_intern (c->texts, text, strlen (text), &isnew);
    size_t room = c->room ? 2 * c->room : 16;
    int64_t *numbers;

    if (at < 0 || !isnew)
        return at;
    if ((size_t)at >= c->room) {
        if (!(numbers = reallocarray (c->number, room, sizeof (*numbers))))
            return -1;
        c->number = numbers;
        c->room = room;
    }
    c->number[at] = number;
    return at;
}

static int64_t column_new_number (struct column *c,
                                  const struct column_source *s,
                                  int64_t number)
{
    char text[32];
    uint32_t known = c->numbers.count;
    int64_t at = pairs_ordinal (&c->numbers, (uint64_t)number), ordinal;
    size_t room = c->numbers_room ? 2 * c->numbers_room : 16;
    uint32_t *of;

    if (at < 0 || at < known)
        return at < 0 ? -1 : (int64_t)c->of_number[at];
    if ((size_t)at >= c->numbers_room) {
        if (!(of = reallocarray (c->of_number, room, sizeof (*of))))
            return -1;
        c->of_number = of;
        c->numbers_room = room;
    }
    ordinal = column_text (
        c, query_number_text (c->key->what, number, s->interval, text), number);
    if (ordinal >= 0)
        c->of_number[at] = (uint32_t)ordinal;
    return ordinal;
}

int64_t
column_number (struct column *c, const struct column_source *s, int64_t number)
{
    int64_t ordinal;

    if (c->last_ordinal && c->last == number)
        return c->last_ordinal - 1;
    if ((ordinal = column_new_number (c, s, number)) < 0)
        return -1;
    c->last = number;
    c->last_ordinal = (uint32_t)ordinal + 1;
    return ordinal;
}

/* --- by name, call and thread ------------------------------------------------
 */

int column_grow_names (struct column *c, const struct column_source *s)
{
    size_t names = dict_limit (s->dict), room = c->names ? c->names : 256;
    uint32_t *of;

    while (room < names)
        room *= 2;
    if (room == c->names)
        return 0;
    if (!(of = reallocarray (c->of_name, room, sizeof (*of))))
        return -1;
    memset (of + c->names, 0, (room - c->names) * sizeof (*of));
    c->of_name = of;
    c->names = room;
    return 0;
}

/* Find the ordinal of event i and remember it. */
static int column_learn (struct column *c,
                         const struct column_source *s,
                         size_t i,
                         uint32_t *known)
{
    char buf[KEYTEXT_MAX];
    int64_t ordinal = column_text (c, keytext_of (c->key->what, s, i, buf), 0);

    if (ordinal < 0)
        return -1;
    *known = (uint32_t)ordinal + 1;
    return 0;
}

static int column_fill_names (struct column *c, const struct column_source *s)
{
    const struct batch *b = s->batch;

    if (column_grow_names (c, s) < 0)
        return -1;
    for (size_t i = 0; i < b->count; i++) {
        uint32_t *known = &c->of_name[b->name[i]];

        if (!*known && column_learn (c, s, i, known) < 0)
            return -1;
        c->ordinal[i] = *known - 1;
    }
    return 0;
}

/* By the region's name, or by the call. */
static int column_fill_calls (struct column *c, const struct column_source *s)
{
    const struct batch *b = s->batch;

    if (column_grow_names (c, s) < 0)
        return -1;
    for (size_t i = 0; i < b->count; i++) {
        uint32_t *known =
            s->how[i] & COLUMN_APP && b->name[i] && c->key->what != GROUP_class
                ? &c->of_name[b->name[i]]
                : &c->of_call[b->call[i]];

        if (!*known && column_learn (c, s, i, known) < 0)
            return -1;
        c->ordinal[i] = *known - 1;
    }
    return 0;
}

static int column_fill_thread (struct column *c, const struct column_source *s)
{
    const struct batch *b = s->batch;
    int64_t ordinal;
    char buf[KEYTEXT_MAX];

    if (!b->count)
        return 0;
    ordinal =
        c->key->what == GROUP_rank
            ? column_number (c, s, s->rank < 0 ? QUERY_NO_NUMBER : s->rank)
            : column_text (c, keytext_of (c->key->what, s, 0, buf), 0);
    if (ordinal < 0)
        return -1;
    for (size_t i = 0; i < b->count; i++)
        c->ordinal[i] = (uint32_t)ordinal;
    return 0;
}

/* --- by event ----------------------------------------------------------------
 */

/* The step or epoch that a region names, the last time; -1 none. */
static int64_t
column_mark_said (const struct column_source *s, size_t i, enum dict_key which)
{
    const struct batch *b = s->batch;
    int64_t number = -1;

    for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++)
        if (b->args[a].type == EVENT_ARG_INT && b->args[a].i >= 0 &&
            dict_entry (s->dict, b->args[a].key)->key == which)
            number = b->args[a].i;
    return number;
}

int64_t column_source_mark (const struct column_source *s,
                            size_t i,
                            enum mark_kind kind)
{
    int64_t number = -1;
    const struct mark *m;

    if (s->how[i] & COLUMN_APP && s->batch->arg[i] < s->batch->arg[i + 1])
        number = column_mark_said (
            s, i, kind == MARK_STEP ? DICT_KEY_STEP : DICT_KEY_EPOCH);
    if (number >= 0 || !s->member)
        return number;
    m = windows_find (&s->context->windows[s->member->rank].of[kind],
                      s->batch->start[i]);
    return m ? m->number : QUERY_NO_NUMBER;
}

/* The number of an event under a key that is one. */
static int64_t column_number_of (const struct column *c,
                                 const struct column_source *s,
                                 size_t i)
{
    switch (c->key->what) {
    case GROUP_step:
        return column_source_mark (s, i, MARK_STEP);
    case GROUP_epoch:
        return column_source_mark (s, i, MARK_EPOCH);
    case GROUP_size:
        return s->how[i] & COLUMN_MOVES ? query_size_bin (s->bytes[i])
                                        : QUERY_NO_NUMBER;
    default:
        return QUERY_NO_NUMBER;
    }
}

static int column_fill_numbers (struct column *c, const struct column_source *s)
{
    for (size_t i = 0; i < s->batch->count; i++) {
        int64_t at = column_number (c, s, column_number_of (c, s, i));

        if (at < 0)
            return -1;
        c->ordinal[i] = (uint32_t)at;
    }
    return 0;
}

/* Few texts: by what decides. */
static int column_fill_places (struct column *c, const struct column_source *s)
{
    for (size_t i = 0; i < s->batch->count; i++) {
        uint32_t *known =
            &c->of_call[s->how[i] & COLUMN_MOVES ? s->placed[i] : PLACED_COUNT];

        if (!*known && column_learn (c, s, i, known) < 0)
            return -1;
        c->ordinal[i] = *known - 1;
    }
    return 0;
}

static const char *column_argument_text (const struct column *c,
                                         const struct column_source *s,
                                         size_t i,
                                         char *buf)
{
    const struct batch *b = s->batch;

    for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++) {
        const struct batch_arg *arg = &b->args[a];

        if (arg->key != c->argument)
            continue;
        if (arg->type == EVENT_ARG_TEXT)
            return arg->text ? dict_entry (s->dict, arg->text)->text : "";
        if (arg->type == EVENT_ARG_INT)
            (void)snprintf (buf, KEYTEXT_MAX, "%" PRId64, arg->i);
        else
            (void)snprintf (buf, KEYTEXT_MAX, "%.9g", arg->d);
        return buf;
    }
    return "-";
}

static int column_fill_arguments (struct column *c,
                                  const struct column_source *s)
{
    char buf[KEYTEXT_MAX];

    for (size_t i = 0; i < s->batch->count; i++) {
        int64_t at = column_text (c, column_argument_text (c, s, i, buf), 0);

        if (at < 0)
            return -1;
        c->ordinal[i] = (uint32_t)at;
    }
    return 0;
}

int column_fill (struct column *c, const struct column_source *s)
{
    switch (c->key->what) {
    case GROUP_file:
    case GROUP_directory:
    case GROUP_pattern:
    case GROUP_kind:
    case GROUP_role:
        return column_fill_names (c, s);
    case GROUP_layer:
    case GROUP_function:
    case GROUP_class:
        return column_fill_calls (c, s);
    case GROUP_host:
    case GROUP_process:
    case GROUP_thread:
    case GROUP_rank:
    case GROUP_configuration:
        return column_fill_thread (c, s);
    case GROUP_access:
        return column_fill_places (c, s);
    case GROUP_argument:
        return column_fill_arguments (c, s);
    case GROUP_column:
        return keycolumn_fill (c, s);
    default:
        return column_fill_numbers (c, s);
    }
}

int column_init (struct column *c,
                 const struct query_key *key,
                 struct column_source *from)
{
    c->key = key;
    from->wants_places |= key->what == GROUP_access;
    if (!(c->texts = strmap_create ()))
        return -1;
    if ((key->what == GROUP_argument ||
         (key->what == GROUP_column && key->column == WHERE_argument)) &&
        from->dict)
        c->argument = dict_number (from->dict, SHARD_NAME_KEY,
                                   FILE_CLASS_UNKNOWN, query_key_argument (key),
                                   strlen (query_key_argument (key)));
    return 0;
}

void column_clear (struct column *c)
{
    strmap_destroy (c->texts);
    pairs_clear (&c->numbers);
    free (c->number);
    free (c->of_number);
    free (c->of_name);
    memset (c, 0, sizeof (*c));
}
