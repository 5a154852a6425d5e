/* SPDX-License-Identifier: MIT
 *
 * evfill.c - batches of a trace -> columns of Arrow, for one worker
 *
 * In:  events in columns
 * Out: arrays; each has a dictionary of the texts that occur in it
 */
#include "config.h"

#include "analyze/python/evstream.h"
#include "analyze/query/query.h"
#include "analyze/scan/evfilter.h"
#include "analyze/scan/where.h"
#include "analyze/trace/batch.h"
#include "lib/base/array.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

/* --- the columns of events that are asked for -------------------------------
 */

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
enum { EVCOLUMNS_OWN = ITEMS (evcolumns_own) };

static int evcolumns_unknown (const char *word, struct errtext *err)
{
    const char *words[WHERE_COLUMNS + EVCOLUMNS_OWN + 2], *near;
    int n = 0;

    for (int i = 0; i < WHERE_COLUMNS; i++)
        if (where_column_taken (i))
            words[n++] = where_column_info (i)->word;
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
    c->column = column;
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
    ZERO (one);
    FORMAT (one->word, "%s", word);
    if (evcolumns_find (one, word, err) < 0)
        return -1;
    c->count++;
    return 0;
}

static int evcolumns_has (const struct evcolumns *c, enum where_column column)
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
        need = MIN (one, need);
    }
    return need;
}

void evcolumns_fields (const struct evcolumns *c, struct arrowcol_field *field)
{
    for (size_t i = 0; i < c->count; i++)
        field[i] = (struct arrowcol_field){c->item[i].word, c->item[i].unit,
                                           c->item[i].type};
}

/* --- all of it --------------------------------------------------------------
 */

/* --- begin, end ----------------------------------------------------------- */

static void evfill_outs (struct evfill *f)
{
    for (size_t i = 0; i < f->columns->count; i++)
        arrowcol_init (&f->out[i], f->columns->item[i].type, f->rows);
    f->batch++;
}

static void evfill_words_init (struct evfill *f, size_t i)
{
    const struct evcolumn *c = &f->columns->item[i];
    struct evfill_words *w = &f->words[i];

    if (c->from == EVCOLUMN_ARGUMENT)
        f->argument[i] =
            dict_number (f->source.dict, SHARD_NAME_KEY, FILE_CLASS_UNKNOWN,
                         c->word + 4, strlen (c->word + 4));
    else if (c->from == EVCOLUMN_TEXT)
        column_init (NEW (w->column, 1), &c->key, &f->source);
}

void evfill_init (struct evfill *f,
                  const struct where *where,
                  struct dict *dict,
                  const struct query_context *context,
                  uint64_t start)
{
    f->source.dict = dict;
    f->source.context = context;
    f->source.rank = -1;
    f->source.times_only = evcolumns_need (f->columns, where) != BATCH_ALL;
    f->filter = (struct evfilter){.where = where && where->terms ? where : NULL,
                                  .dict = dict,
                                  .start = start,
                                  .source = &f->source};
    f->source.wants_places =
        f->filter.where && where_has (where, WHERE_BY_access);
    for (size_t i = 0; i < f->columns->count; i++)
        evfill_words_init (f, i);
    evfill_outs (f);
}

void evfill_clear (struct evfill *f)
{
    for (size_t i = 0; i < EVCOLUMNS_MAX; i++) {
        if (f->words[i].column)
            column_clear (f->words[i].column);
        free (f->words[i].column);
        free (f->words[i].index);
        free (f->words[i].batch);
        arrowcol_clear (&f->out[i]);
    }
    column_source_clear (&f->source);
    evfilter_clear (&f->filter);
}

/* --- texts ---------------------------------------------------------------- */

static void evfill_room (struct evfill_words *w, size_t ordinal)
{
    size_t room = w->room;

    GROW (w->index, room, ordinal + 1);
    GROW_ZEROED (w->batch, w->room, ordinal + 1);
}

/* An ordinal that the array has not had yet; text NULL: nothing. */
static int evfill_learn (
    struct evfill *f, size_t i, size_t ordinal, const char *text, size_t length)
{
    struct evfill_words *w = &f->words[i];
    int64_t index = text ? arrowcol_word (&f->out[i], text, length) : -1;

    if (text && index < 0)
        return -1;
    w->index[ordinal] = (uint32_t)(index + 1);
    w->batch[ordinal] = f->batch;
    return 0;
}

static void evfill_word (struct evfill *f, size_t i, size_t ordinal)
{
    uint32_t index = f->words[i].index[ordinal];

    if (index)
        arrowcol_int (&f->out[i], index - 1);
    else
        arrowcol_null (&f->out[i]);
}

/* The index of an ordinal that the array has not had yet. */
static int evfill_new_text (struct evfill *f, size_t i, uint32_t ordinal)
{
    struct evfill_words *w = &f->words[i];
    const char *text;
    size_t length;

    evfill_room (w, ordinal);
    text = strmap_key (w->column->texts, ordinal, &length);
    if (!length || (length == 1 && *text == '-'))
        text = NULL;
    return evfill_learn (f, i, ordinal, text, length);
}

static int evfill_texts (struct evfill *f, size_t i)
{
    struct evfill_words *w = &f->words[i];
    struct column *c = w->column;
    uint32_t index[BATCH_EVENTS];

    column_fill (c, &f->source);
    for (size_t k = 0; k < f->picked; k++) {
        uint32_t ordinal = c->ordinal[f->pick[k]];

        if ((ordinal >= w->room || w->batch[ordinal] != f->batch) &&
            evfill_new_text (f, i, ordinal) < 0)
            return -1;
        index[k] = w->index[ordinal];
    }
    arrowcol_indices (&f->out[i], index, f->picked);
    return 0;
}

/* --- numbers -------------------------------------------------------------- */

static void evfill_numbers (struct evfill *f, size_t i)
{
    struct arrowcol *to = &f->out[i];

    evterm_numbers (f->columns->item[i].column, &f->source, f->filter.start,
                    f->value, f->has);
    if (!memchr (f->has, 0, f->source.batch->count)) {
        arrowcol_ints (to, f->value, f->pick, f->picked);
        return;
    }
    for (size_t k = 0; k < f->picked; k++)
        if (f->has[f->pick[k]])
            arrowcol_int (to, f->value[f->pick[k]]);
        else
            arrowcol_null (to);
}

static void evfill_real_times (struct evfill *f, size_t i)
{
    arrowcol_ints (&f->out[i], (const int64_t *)f->source.batch->start, f->pick,
                   f->picked);
}

/* --- arguments ------------------------------------------------------------ */

static void evfill_args_json (struct evfill *f, size_t i)
{
    const struct batch *b = f->source.batch;

    for (size_t k = 0; k < f->picked; k++) {
        size_t e = f->pick[k], length;
        char *text = NULL;
        struct json j;
        FILE *out;

        if (b->arg[e] == b->arg[e + 1]) {
            arrowcol_null (&f->out[i]);
            continue;
        }
        out = xmemstream (&text, &length);
        json_init (&j, out, 1);
        json_open (&j, NULL, '{');
        for (uint32_t a = b->arg[e]; a < b->arg[e + 1]; a++)
            evarg_json (&j, f->source.dict, &b->args[a]);
        json_close (&j, '}');
        xmemstream_end (out);
        /* without its line feed */
        arrowcol_text (&f->out[i], text, length - 1);
        free (text);
    }
}

static const struct batch_arg *
evfill_find_arg (const struct batch *b, size_t e, uint32_t key)
{
    for (uint32_t a = b->arg[e]; a < b->arg[e + 1]; a++)
        if (b->args[a].key == key)
            return &b->args[a];
    return NULL;
}

/* A text, by its number. */
static int evfill_arg_word (struct evfill *f, size_t i, uint32_t number)
{
    struct evfill_words *w = &f->words[i];
    const struct dict_entry *e;

    evfill_room (w, number);
    if (w->batch[number] != f->batch) {
        e = dict_entry (f->source.dict, number);
        if (evfill_learn (f, i, number, e ? e->text : "", e ? e->length : 0) <
            0)
            return -1;
    }
    evfill_word (f, i, number);
    return 0;
}

/* Put a value whose type varies as text. */
static void
evfill_arg_text (struct evfill *f, size_t i, const struct batch_arg *a)
{
    const struct dict_entry *e;
    char buf[32];

    if (a->type == EVENT_ARG_TEXT) {
        e = dict_entry (f->source.dict, a->text);
        arrowcol_text (&f->out[i], e ? e->text : "", e ? e->length : 0);
        return;
    }
    if (a->type == EVENT_ARG_INT)
        FORMAT (buf, "%lld", (long long)a->i);
    else
        json_number (buf, sizeof (buf), a->d);
    arrowcol_text (&f->out[i], buf, strlen (buf));
}

static int evfill_arg (struct evfill *f, size_t i, const struct batch_arg *a)
{
    struct arrowcol *to = &f->out[i];

    if (!a)
        arrowcol_null (to);
    else if (to->type == ARROWCOL_TEXT)
        evfill_arg_text (f, i, a);
    else if (to->type == ARROWCOL_WORDS)
        return evfill_arg_word (f, i, a->text);
    else if (to->type == ARROWCOL_INT64)
        arrowcol_int (to, a->i);
    else
        arrowcol_double (to, a->type == EVENT_ARG_INT ? a->i : a->d);
    return 0;
}

static int evfill_arguments (struct evfill *f, size_t i)
{
    const struct batch *b = f->source.batch;
    int rc = 0;

    for (size_t k = 0; rc == 0 && k < f->picked; k++)
        rc = evfill_arg (f, i, evfill_find_arg (b, f->pick[k], f->argument[i]));
    return rc;
}

/* --- batches -------------------------------------------------------------- */

static int evfill_column (struct evfill *f, size_t i)
{
    switch (f->columns->item[i].from) {
    case EVCOLUMN_NUMBER:
        evfill_numbers (f, i);
        return 0;
    case EVCOLUMN_REAL_TIME:
        evfill_real_times (f, i);
        return 0;
    case EVCOLUMN_TEXT:
        return evfill_texts (f, i);
    case EVCOLUMN_ARGS:
        evfill_args_json (f, i);
        return 0;
    default:
        return evfill_arguments (f, i);
    }
}

int evfill_take (struct evfill *f, const struct batch *b)
{
    if (b->begins && column_source_begin (&f->source, b->who) < 0)
        return -1;
    column_source_batch (&f->source, b);
    evfilter_batch (&f->filter, b, f->wanted);
    f->picked = 0;
    for (size_t i = 0; i < b->count; i++) {
        f->pick[f->picked] = (uint16_t)i;
        f->picked += f->wanted[i] != 0;
    }
    for (size_t i = 0; f->picked && i < f->columns->count; i++)
        if (evfill_column (f, i) < 0)
            return -1;
    return 0;
}

size_t evfill_count (const struct evfill *f)
{
    return f->out[0].count;
}

int evfill_full (const struct evfill *f)
{
    return evfill_count (f) + BATCH_EVENTS > f->rows;
}

void evfill_array (struct evfill *f, struct ArrowArray *out)
{
    arrowcol_array (out, f->out, f->columns->count);
    evfill_outs (f);
}
