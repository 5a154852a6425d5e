/* SPDX-License-Identifier: MIT
 *
 * keycolumn.c - columns of events, and bins of them, as keys
 *
 * In:  words of --by; events of a batch
 * Out: struct query_key; ordinals
 */
#include "config.h"

#include "analyze/query/keycolumn.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/query/evterm.h"
#include "analyze/query/keytext.h"
#include "lib/util/optparse.h"

/* --- words ---------------------------------------------------------------- */

static size_t keycolumn_word_length (const char *s)
{
    return strcspn (s, " \t,()");
}

static int keycolumn_unknown (const struct asking *a, const char *s, size_t n)
{
    const char *words[GROUP_KEYS + WHERE_COLUMNS + 6], *near;
    char word[KEYS_WORD_MAX];
    int count = 0;

    for (int k = 0; k < GROUP_KEYS; k++)
        words[count++] = group_key_table[k].word;
    for (int c = WHERE_time; c < WHERE_COLUMNS; c++)
        words[count++] = where_column_info ((enum where_column)c)->word;
    words[count++] = "log2";
    words[count++] = "bin";
    words[count] = NULL;
    (void)snprintf (word, sizeof (word), "%.*s", (int)n, s);
    near = n ? nearest_word (word, words) : NULL;
    return near ? asking_fail (a, a->at,
                               "no such key: did you mean %s? See dftrace help "
                               "views",
                               near)
                : asking_fail (a, a->at, "no such key: see dftrace help views");
}

static int keycolumn_group (struct query_key *key, const char *s, size_t n)
{
    for (int k = 0; k < GROUP_KEYS; k++)
        if (strlen (group_key_table[k].word) == n &&
            memcmp (group_key_table[k].word, s, n) == 0) {
            *key = (struct query_key){.what = (enum group_key)k};
            return 1;
        }
    if (n == strlen ("place") && memcmp (s, "place", n) == 0) {
        *key = (struct query_key){.what = GROUP_access}; /* until 0.1 */
        return 1;
    }
    return 0;
}

/* A column of eventcolumns.def, or an argument. */
static int keycolumn_column (struct query_key *key, const char *s, size_t n)
{
    if (n == strlen ("call") && memcmp (s, "call", n) == 0) {
        *key = (struct query_key){.what = GROUP_column, .column = WHERE_name};
        (void)snprintf (key->argument, sizeof (key->argument), "call");
        return 1;
    }
    if (n > 4 && n < KEYS_WORD_MAX && memcmp (s, "arg.", 4) == 0) {
        *key = (struct query_key){.what = GROUP_argument,
                                  .column = WHERE_argument};
        memcpy (key->argument, s, n);
        return 1;
    }
    for (int c = WHERE_time; c < WHERE_COLUMNS; c++) {
        const char *word = where_column_info ((enum where_column)c)->word;

        if (strlen (word) == n && memcmp (word, s, n) == 0) {
            *key = (struct query_key){.what = GROUP_column,
                                      .column = (enum where_column)c};
            memcpy (key->argument, s, n);
            return 1;
        }
    }
    return 0;
}

/* The length at a->at: "1s", "64K". 0, or -1 with err. */
static int
keycolumn_width (struct asking *a, enum where_column column, uint64_t *width)
{
    size_t at;
    char text[32];
    int64_t value;

    asking_space (a);
    at = a->at;
    (void)snprintf (text, sizeof (text), "%.*s",
                    (int)keycolumn_word_length (a->text + at), a->text + at);
    if (asking_whole (a, column, text, at, &value) < 0)
        return -1;
    if (value <= 0)
        return asking_fail (a, at, "not a width: say how much, like 1s or 64K");
    *width = (uint64_t)value;
    a->at += strlen (text);
    return 0;
}

static int keycolumn_close (struct asking *a)
{
    return asking_take (a, ")")
               ? 0
               : asking_fail (a, a->at, "\")\" should be here");
}

/* Behind "log2 (" or "bin (", which began at `from`. */
static int keycolumn_bin (struct asking *a,
                          struct query_key *key,
                          enum query_bin bin,
                          size_t from)
{
    size_t at, n;
    enum where_type type;

    asking_space (a);
    at = a->at;
    n = keycolumn_word_length (a->text + at);
    if (!keycolumn_column (key, a->text + at, n))
        return keycolumn_group (key, a->text + at, n)
                   ? asking_fail (a, at,
                                  "bins are of numbers of events, "
                                  "like size, bytes, dur, arg.NAME")
                   : keycolumn_unknown (a, a->text + at, n);
    type = where_column_info (key->column)->type;
    if (type == WHERE_TEXT || type == WHERE_ERRNO)
        return asking_fail (a, at, "not a number: bins are of numbers");
    if (key->column == WHERE_argument)
        memmove (key->name, key->argument + 4, strlen (key->argument + 4) + 1);
    key->what = GROUP_column;
    key->bin = bin;
    a->at += n;
    if (bin == QUERY_BIN_WIDTH &&
        (!asking_take (a, ",") ||
         keycolumn_width (a, key->column, &key->width) < 0))
        return a->text[a->at] == ',' || a->err->text[0]
                   ? -1
                   : asking_fail (a, a->at,
                                  "a width should be here: bin(%.*s, 1ms)",
                                  (int)n, a->text + at);
    if (keycolumn_close (a) < 0)
        return -1;
    (void)snprintf (key->argument, sizeof (key->argument), "%.*s",
                    (int)(a->at - from), a->text + from);
    return 0;
}

int keycolumn_parse (struct asking *a,
                     struct query_key *key,
                     uint64_t *interval)
{
    size_t from, n;

    asking_space (a);
    from = a->at;
    if (asking_take (a, "interval") && asking_take (a, "(")) {
        *key = (struct query_key){.what = GROUP_interval};
        return keycolumn_width (a, WHERE_dur, interval) < 0
                   ? -1
                   : keycolumn_close (a);
    }
    a->at = from;
    if (asking_take (a, "log2") && asking_take (a, "("))
        return keycolumn_bin (a, key, QUERY_BIN_LOG2, from);
    a->at = from;
    if (asking_take (a, "bin") && asking_take (a, "("))
        return keycolumn_bin (a, key, QUERY_BIN_WIDTH, from);
    a->at = from;
    n = keycolumn_word_length (a->text + from);
    if (!n || (!keycolumn_group (key, a->text + from, n) &&
               !keycolumn_column (key, a->text + from, n)))
        return keycolumn_unknown (a, a->text + from, n);
    a->at += n;
    return 0;
}

/* --- events --------------------------------------------------------------- */

static int64_t keycolumn_binned (const struct query_key *key, int64_t x)
{
    int64_t width = (int64_t)key->width, rest;

    if (key->bin == QUERY_BIN_LOG2)
        return x <= 0 ? 0 : (int64_t)1 << (63 - __builtin_clzll ((uint64_t)x));
    if (key->bin != QUERY_BIN_WIDTH)
        return x;
    rest = x % width;
    return x - (rest < 0 ? rest + width : rest);
}

static int keycolumn_fill_texts (struct column *c,
                                 const struct column_source *s)
{
    char buf[KEYTEXT_MAX];

    if (column_grow_names (c, s) < 0)
        return -1;
    for (size_t i = 0; i < s->batch->count; i++) {
        const struct batch *b = s->batch;
        uint32_t *known =
            c->key->column == WHERE_file2          ? &c->of_name[b->name2[i]]
            : s->how[i] & COLUMN_APP && b->name[i] ? &c->of_name[b->name[i]]
                                                   : &c->of_call[b->call[i]];
        int64_t at = *known;

        if (!*known) {
            const char *text = evterm_text (c->key->column, s, i, buf);

            if ((at = column_text (c, text ? text : "-", 0) + 1) < 1)
                return -1;
            *known = (uint32_t)at;
        }
        c->ordinal[i] = *known - 1;
    }
    return 0;
}

static int keycolumn_fill_errors (struct column *c,
                                  const struct column_source *s)
{
    char buf[32];

    for (size_t i = 0; i < s->batch->count; i++) {
        int32_t error = s->batch->error[i];
        int64_t at =
            column_text (c, error ? where_errno_name (error, buf) : "-", error);

        if (at < 0)
            return -1;
        c->ordinal[i] = (uint32_t)at;
    }
    return 0;
}

/* The whole part of a number that is an argument. */
static void keycolumn_arguments (const struct column *c,
                                 const struct batch *b,
                                 int64_t *value,
                                 unsigned char *has)
{
    memset (has, 0, b->count);
    for (size_t i = 0; i < b->count; i++)
        for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++)
            if (b->args[a].key == c->argument) {
                const struct batch_arg *arg = &b->args[a];

                has[i] = arg->type == EVENT_ARG_INT ||
                         (arg->type == EVENT_ARG_DOUBLE && arg->d > -0x1p62 &&
                          arg->d < 0x1p62);
                if (has[i])
                    value[i] = arg->type == EVENT_ARG_INT
                                   ? arg->i
                                   : (int64_t)__builtin_floor (arg->d);
                break;
            }
}

int keycolumn_fill (struct column *c, const struct column_source *s)
{
    enum where_type type = where_column_info (c->key->column)->type;
    uint64_t start = s->context ? s->context->first_start : 0;
    int64_t value[BATCH_EVENTS];
    unsigned char has[BATCH_EVENTS];

    if (type == WHERE_TEXT)
        return keycolumn_fill_texts (c, s);
    if (type == WHERE_ERRNO)
        return keycolumn_fill_errors (c, s);
    if (c->key->column == WHERE_argument)
        keycolumn_arguments (c, s->batch, value, has);
    else
        evterm_numbers (c->key->column, s, start, value, has);
    for (size_t i = 0; i < s->batch->count; i++) {
        int64_t at = column_number (c, s,
                                    has[i] ? keycolumn_binned (c->key, value[i])
                                           : QUERY_NO_VALUE);

        if (at < 0)
            return -1;
        c->ordinal[i] = (uint32_t)at;
    }
    return 0;
}
