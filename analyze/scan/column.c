/* SPDX-License-Identifier: MIT
 *
 * column.c - a batch -> the values of one key as ordinals
 *
 * In:  events in columns, context of the job
 * Out: an ordinal for each event, to query.c; text of an ordinal; the key of a
 *      word like "log2(size)"
 */
#include "config.h"

#include "analyze/scan/column.h"
#include "analyze/scan/evfilter.h"
#include "analyze/scan/keys.h"
#include "lib/base/array.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

#include <ctype.h>

/* --- keys that are texts ------------------------------------------------- */

/* Every run of digits becomes an N. */
static void key_pattern (char *to, const char *from)
{
    int in_number = 0;

    for (; *from; from++) {
        int digit = isdigit ((unsigned char)*from) != 0;

        if (!digit)
            *to++ = *from;
        else if (!in_number)
            *to++ = 'N';
        in_number = digit;
    }
    *to = '\0';
}

static const char *key_directory (char *to, const char *path)
{
    const char *slash = strrchr (path, '/');

    if (!slash)
        return ".";
    snprintf (to, KEYTEXT_MAX, "%.*s", (int)(slash - path) + (slash == path),
              path);
    return to;
}

static const char *
key_file_text (enum group_key key, const struct dict_entry *file, char *buf)
{
    if (!file || !file->length)
        return "-";
    switch (key) {
    case GROUP_kind:
        return file->class == FILE_CLASS_STORAGE ? kind_name (file->file_kind)
                                                 : "-";
    case GROUP_directory:
        return key_directory (buf, file->text);
    case GROUP_pattern:
        key_pattern (buf, file->text);
        return buf;
    default:
        return file->text;
    }
}

/* Category of a region, or layer of a call; with its name. */
static const char *
key_function (const struct column_source *s, size_t i, int name, char *buf)
{
    const struct call_info *info = &call_table[s->batch->call[i]];
    const struct dict_entry *region =
        info->category == CALL_CATEGORY_APP
            ? dict_entry_of (s->dict, s->batch->name[i], SHARD_NAME_EVENT)
            : NULL;
    const char *layer =
        region ? region->text : call_category_name (info->category);

    if (!name)
        return layer;
    snprintf (buf, KEYTEXT_MAX, "%s/%s", layer,
              region ? dict_region_name (region) : info->name);
    return buf;
}

/* "host", "host:pid", "host:pid:tid". */
static const char *
key_thread_text (enum group_key key, const struct batch *b, char *buf)
{
    const char *host = b->who->text[SHARD_STRING_HOST];

    if (key == GROUP_host)
        return host;
    if (key == GROUP_process)
        snprintf (buf, KEYTEXT_MAX, "%s:%u", host, b->who->p.pid);
    else
        snprintf (buf, KEYTEXT_MAX, "%s:%u:%u", host, b->who->p.pid, b->tid);
    return buf;
}

const char *keytext_of (enum group_key key,
                        const struct column_source *s,
                        size_t i,
                        char *buf)
{
    const struct batch *b = s->batch;
    const struct dict_entry *e;

    switch (key) {
    case GROUP_layer:
        return key_function (s, i, 0, buf);
    case GROUP_function:
        return key_function (s, i, 1, buf);
    case GROUP_class:
        return call_class_name (call_table[b->call[i]].class);
    case GROUP_access:
        return s->how[i] & COLUMN_MOVES ? placed_name (s->placed[i]) : "-";
    case GROUP_role:
        e = dict_entry_of (s->dict, b->name[i], SHARD_NAME_EVENT);
        return role_word (e ? e->role : ROLE_NONE);
    case GROUP_configuration:
        return s->context && s->context->label ? s->context->label : "-";
    case GROUP_host:
    case GROUP_process:
    case GROUP_thread:
        return key_thread_text (key, b, buf);
    default:
        e = dict_entry_of (s->dict, b->name[i], SHARD_NAME_FILE);
        return key_file_text (key, e, buf);
    }
}

/* --- what the columns of a batch look at ---------------------------------- */

int column_source_begin (struct column_source *s,
                         const struct trace_process *who)
{
    s->chunk++;
    s->rank = who->p.rank;
    s->member = NULL;
    if (!s->context || !s->context->members)
        return 0;
    if (!(s->member = query_context_find (s->context, who))) {
        errno = ESRCH;
        return -1;
    }
    s->rank = s->context->number[s->member->rank];
    return 0;
}

static void column_find_places (struct column_source *s)
{
    const struct batch *b = s->batch;
    struct column_place *place;

    GROW_ZEROED (s->place, s->places, dict_limit (s->dict));
    for (size_t i = 0; i < b->count; i++) {
        enum call_class class = call_table[b->call[i]].class;

        s->placed[i] = PLACED_NOT;
        if ((class != CALL_CLASS_READ && class != CALL_CLASS_WRITE) ||
            !b->name[i])
            continue;
        place = &s->place[b->name[i]];
        if (place->chunk != s->chunk)
            *place = (struct column_place){.chunk = s->chunk};
        s->placed[i] = (uint8_t)place_move (&place->at, b->call[i],
                                            b->offset[i], s->bytes[i]);
    }
}

/* Fill the columns that follow from the call. */
static void column_source_calls (struct column_source *s)
{
    for (int call = 0; call < CALL_MAX; call++) {
        const struct call_info *info = &call_table[call];
        int moves =
            (info->class == CALL_CLASS_READ ||
             info->class == CALL_CLASS_WRITE ||
             info->class == CALL_CLASS_COPY) &&
            (s->layers_apart || (!call_category_is_above (info->category) &&
                                 info->category != CALL_CATEGORY_KERNEL));

        s->how_call[call] =
            (unsigned char)((moves ? COLUMN_MOVES : 0) |
                            (info->category == CALL_CATEGORY_APP ? COLUMN_APP
                                                                 : 0) |
                            (call == CALL_metadata ? COLUMN_IGNORED : 0) |
                            (info->category == CALL_CATEGORY_WAIT ||
                                     (info->category == CALL_CATEGORY_MMAP &&
                                      call != CALL_page_fault)
                                 ? COLUMN_MEASURED
                                 : 0));
    }
    s->knows_calls = 1;
}

void column_source_batch (struct column_source *s, const struct batch *b)
{
    s->batch = b;
    s->chunk += (uint32_t)b->begins;
    if (!s->knows_calls)
        column_source_calls (s);
    for (size_t i = 0; i < b->count; i++)
        s->how[i] = s->how_call[b->call[i]];
    for (size_t i = 0; !s->times_only && i < b->count; i++) {
        unsigned how = s->how[i];
        int failed = (b->error[i] != 0) | (b->ret[i] == -1);

        s->bytes[i] = how & COLUMN_MOVES && b->ret[i] > 0 ? b->ret[i] : 0;
        s->how[i] =
            (unsigned char)(how | (failed && !(how & COLUMN_APP) ? COLUMN_FAILED
                                                                 : 0));
    }
    if (s->wants_places)
        column_find_places (s);
}

void column_source_clear (struct column_source *s)
{
    free (s->place);
    s->place = NULL;
    s->places = 0;
}

/* --- ordinals ---------------------------------------------------------------
 */

int64_t column_text (struct column *c, const char *text, int64_t number)
{
    int isnew;
    int64_t at = strmap_intern (c->texts, text, strlen (text), &isnew);

    if (!isnew)
        return at;
    GROW (c->number, c->room, (size_t)at + 1);
    c->number[at] = number;
    return at;
}

static int64_t column_new_number (struct column *c,
                                  const struct column_source *s,
                                  int64_t number)
{
    char text[32];
    uint32_t known = c->numbers.count;
    int64_t at = pairs_ordinal (&c->numbers, number), ordinal;

    if (at < known)
        return c->of_number[at];
    GROW (c->of_number, c->numbers_room, (size_t)at + 1);
    ordinal = column_text (
        c, query_number_text (c->key->what, number, s->interval, text), number);
    c->of_number[at] = (uint32_t)ordinal;
    return ordinal;
}

int64_t
column_number (struct column *c, const struct column_source *s, int64_t number)
{
    int64_t ordinal;

    if (c->last_ordinal && c->last == number)
        return c->last_ordinal - 1;
    ordinal = column_new_number (c, s, number);
    c->last = number;
    c->last_ordinal = (uint32_t)ordinal + 1;
    return ordinal;
}

/* --- events --------------------------------------------------------------- */

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

static const char *column_argument_text (const struct column *c,
                                         const struct column_source *s,
                                         size_t i,
                                         char *buf)
{
    const struct batch_arg *arg = batch_arg_of (s->batch, i, c->argument);

    if (!arg)
        return "-";
    if (arg->type == EVENT_ARG_TEXT)
        return arg->text ? dict_entry (s->dict, arg->text)->text : "";
    if (arg->type == EVENT_ARG_INT)
        snprintf (buf, KEYTEXT_MAX, "%" PRId64, arg->i);
    else
        snprintf (buf, KEYTEXT_MAX, "%.9g", arg->d);
    return buf;
}

/* The whole part of a number that is an argument. */
static unsigned char column_argument_number (const struct column *c,
                                             const struct batch *b,
                                             size_t i,
                                             int64_t *value)
{
    const struct batch_arg *arg = batch_arg_of (b, i, c->argument);

    if (!arg || arg->type == EVENT_ARG_TEXT ||
        (arg->type == EVENT_ARG_DOUBLE &&
         !(arg->d > -0x1p62 && arg->d < 0x1p62)))
        return 0;
    *value =
        arg->type == EVENT_ARG_INT ? arg->i : (int64_t)__builtin_floor (arg->d);
    return 1;
}

static int64_t column_binned (const struct query_key *key, int64_t x)
{
    int64_t width = key->width, rest;

    if (key->what == GROUP_size)
        return query_size_bin (x);
    if (key->bin == QUERY_BIN_LOG2)
        return x <= 0 ? 0 : (int64_t)1 << (63 - __builtin_clzll (x));
    if (key->bin != QUERY_BIN_WIDTH)
        return x;
    rest = x % width;
    return x - (rest < 0 ? rest + width : rest);
}

/* The column of events that a key is made of. */
static enum where_column column_of (const struct query_key *key)
{
    return key->what == GROUP_column     ? key->column
           : key->what == GROUP_argument ? WHERE_argument
           : key->what == GROUP_size     ? WHERE_bytes
                                         : (enum where_column)key->what;
}

static void column_fill_numbers (struct column *c,
                                 const struct column_source *s)
{
    const struct batch *b = s->batch;
    enum where_column column = column_of (c->key);
    int64_t none =
        c->key->what == GROUP_column ? QUERY_NO_VALUE : QUERY_NO_NUMBER;
    int64_t value[BATCH_EVENTS];
    unsigned char has[BATCH_EVENTS];

    if (column != WHERE_argument)
        evterm_numbers (column, s, s->context ? s->context->first_start : 0,
                        value, has);
    else
        for (size_t i = 0; i < b->count; i++)
            has[i] = column_argument_number (c, b, i, &value[i]);
    for (size_t i = 0; i < b->count; i++)
        c->ordinal[i] = (uint32_t)column_number (
            c, s, has[i] ? column_binned (c->key, value[i]) : none);
}

/* The ordinal of event i, plus 1. */
static uint32_t
column_learn (struct column *c, const struct column_source *s, size_t i)
{
    char buf[KEYTEXT_MAX];
    int32_t error = c->by == COLUMN_BY_ERROR ? s->batch->error[i] : 0;
    const char *text =
        c->by == COLUMN_BY_ERROR
            ? (error ? where_errno_name (error, buf) : NULL)
        : c->key->what == GROUP_argument ? column_argument_text (c, s, i, buf)
        : c->key->what == GROUP_column ? evterm_text (c->key->column, s, i, buf)
                                       : keytext_of (c->key->what, s, i, buf);

    return (uint32_t)column_text (c, text ? text : "-", error) + 1;
}

/* The part of an event or of its process that decides the value of a key. */
static enum column_by column_decides (const struct query_key *key)
{
    const struct where_column_info *info = where_column_info (column_of (key));

    if (key->what == GROUP_argument)
        return COLUMN_BY_EVENT;
    if (key->what == GROUP_access)
        return COLUMN_BY_PLACE;
    if (key->what == GROUP_column && info->type != WHERE_TEXT)
        return info->type == WHERE_ERRNO ? COLUMN_BY_ERROR : COLUMN_BY_NUMBER;
    if (key->what == GROUP_column && key->column == WHERE_file2)
        return COLUMN_BY_NAME2;
    return info->of == WHERE_OF_THREAD  ? COLUMN_BY_THREAD
           : info->of == WHERE_OF_FILE  ? COLUMN_BY_NAME
           : info->of == WHERE_OF_CALL  ? COLUMN_BY_REGION
           : info->of == WHERE_OF_CLASS ? COLUMN_BY_CALL
                                        : COLUMN_BY_NUMBER;
}

/* KNOWN: where the ordinal of event i is remembered. */
#define COLUMN_FILL(KNOWN)                   \
    for (size_t i = 0; i < b->count; i++) {  \
        uint32_t *known = (KNOWN);           \
                                             \
        if (!*known)                         \
            *known = column_learn (c, s, i); \
        c->ordinal[i] = *known - 1;          \
    }                                        \
    break

void column_fill (struct column *c, const struct column_source *s)
{
    const struct batch *b = s->batch;
    uint32_t all = 0;

    GROW_ZEROED (c->of_name, c->names, dict_limit (s->dict));
    switch (c->by) {
    case COLUMN_BY_NUMBER:
        column_fill_numbers (c, s);
        break;
    case COLUMN_BY_THREAD:
        if (c->key->what == GROUP_rank)
            all = (uint32_t)column_number (
                      c, s, s->rank < 0 ? QUERY_NO_NUMBER : s->rank) +
                  1;
        COLUMN_FILL (&all);
    case COLUMN_BY_NAME:
        COLUMN_FILL (&c->of_name[b->name[i]]);
    case COLUMN_BY_NAME2:
        COLUMN_FILL (&c->of_name[b->name2[i]]);
    case COLUMN_BY_REGION:
        COLUMN_FILL (s->how[i] & COLUMN_APP && b->name[i]
                         ? &c->of_name[b->name[i]]
                         : &c->of_call[b->call[i]]);
    case COLUMN_BY_CALL:
        COLUMN_FILL (&c->of_call[b->call[i]]);
    case COLUMN_BY_PLACE:
        COLUMN_FILL (&c->of_call[s->how[i] & COLUMN_MOVES ? s->placed[i]
                                                          : PLACED_COUNT]);
    case COLUMN_BY_ERROR:
    case COLUMN_BY_EVENT:
        for (size_t i = 0; i < b->count; i++)
            c->ordinal[i] = column_learn (c, s, i) - 1;
        break;
    }
}

void column_init (struct column *c,
                  const struct query_key *key,
                  struct column_source *from)
{
    c->key = key;
    c->by = column_decides (key);
    from->wants_places |= key->what == GROUP_access;
    c->texts = strmap_create ();
    if (column_of (key) == WHERE_argument && from->dict)
        c->argument = dict_number (from->dict, SHARD_NAME_KEY,
                                   FILE_CLASS_UNKNOWN, query_key_argument (key),
                                   strlen (query_key_argument (key)));
}

void column_clear (struct column *c)
{
    strmap_destroy (c->texts);
    pairs_clear (&c->numbers);
    free (c->number);
    free (c->of_number);
    free (c->of_name);
    ZERO (c);
}

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
        words[count++] = where_column_info (c)->word;
    words[count++] = "log2";
    words[count++] = "bin";
    words[count] = NULL;
    FORMAT (word, "%.*s", (int)n, s);
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
    return 0;
}

/* A column of eventcolumns.def, or an argument. */
static int keycolumn_column (struct query_key *key, const char *s, size_t n)
{
    int column;

    if (n == strlen ("call") && memcmp (s, "call", n) == 0) {
        *key = (struct query_key){.what = GROUP_column, .column = WHERE_name};
        FORMAT (key->argument, "call");
        return 1;
    }
    if (n > 4 && n < KEYS_WORD_MAX && memcmp (s, "arg.", 4) == 0) {
        *key = (struct query_key){.what = GROUP_argument,
                                  .column = WHERE_argument};
        memcpy (key->argument, s, n);
        return 1;
    }
    if ((column = asking_find (s, n)) < WHERE_time)
        return 0;
    *key = (struct query_key){.what = GROUP_column,
                              .column = (enum where_column)column};
    memcpy (key->argument, s, n);
    return 1;
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
    FORMAT (text, "%.*s", (int)keycolumn_word_length (a->text + at),
            a->text + at);
    if (asking_whole (a, column, text, at, &value) < 0)
        return -1;
    if (value <= 0)
        return asking_fail (a, at, "not a width: say how much, like 1s or 64K");
    *width = value;
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
    FORMAT (key->argument, "%.*s", (int)(a->at - from), a->text + from);
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
