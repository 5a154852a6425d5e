/* SPDX-License-Identifier: MIT
 *
 * evfilter.c - evaluate a condition (--where) on a batch of events
 *
 * In:  struct where; events in columns
 * Out: yes or no for each event, to scan.c, query.c and eventprint.c
 */
#include "config.h"

#include "analyze/scan/evfilter.h"
#include "analyze/scan/keys.h"
#include "lib/base/array.h"
#include "lib/model/kind.h"
#include "lib/util/xalloc.h"

/* --- texts ---------------------------------------------------------------- */

static const char *evterm_name (const struct column_source *s, size_t i)
{
    const struct call_info *info = &call_table[s->batch->call[i]];
    const struct dict_entry *region =
        info->category == CALL_CATEGORY_APP
            ? dict_entry_of (s->dict, s->batch->name[i], SHARD_NAME_EVENT)
            : NULL;

    return region ? dict_region_name (region) : info->name;
}

const char *evterm_text (enum where_column column,
                         const struct column_source *s,
                         size_t i,
                         char *buf)
{
    const struct dict_entry *e;
    const char *text;

    if (column == WHERE_name)
        text = evterm_name (s, i);
    else if (column == WHERE_file2) {
        e = dict_entry (s->dict, s->batch->name2[i]);
        text = e ? e->text : "";
    } else
        text = keytext_of (column == WHERE_cat ? GROUP_layer
                                               : (enum group_key)column,
                           s, i, buf);
    return !*text || strcmp (text, "-") == 0 ? NULL : text;
}

static int evterm_ordered (enum where_operator how, int order)
{
    switch (how) {
    case WHERE_LESS:
        return order < 0;
    case WHERE_LESS_EQUAL:
        return order <= 0;
    case WHERE_MORE:
        return order > 0;
    case WHERE_MORE_EQUAL:
        return order >= 0;
    default:
        return order == 0;
    }
}

static int evterm_is_path (uint16_t column)
{
    return column == WHERE_BY_file || column == WHERE_file2 ||
           column == WHERE_BY_directory || column == WHERE_BY_pattern;
}

static int evterm_test (const struct where_node *n, const char *text)
{
    if (!text)
        return 0;
    switch (n->test) {
    case WHERE_SAME:
        return strcmp (text, n->text) == 0;
    case WHERE_GLOB:
        return evterm_is_path (n->column) ? pattern_match_path (n->text, text)
                                          : pattern_match (n->text, text);
    case WHERE_REGEX:
        return regexec (n->regex, text, 0, NULL, 0) == 0;
    case WHERE_ORDER:
        return evterm_ordered (n->how, strcmp (text, n->text));
    default:
        return 1;
    }
}

/* --- entries -------------------------------------------------------------- */

static int64_t evterm_thread (uint16_t column, const struct column_source *s)
{
    return column == WHERE_pid   ? s->batch->who->p.pid
           : column == WHERE_tid ? s->batch->tid
                                 : s->rank;
}

int evterm_entry (const struct where_node *n,
                  const struct column_source *s,
                  size_t i)
{
    char buf[KEYTEXT_MAX];
    int64_t number;

    if (where_column_info (n->column)->type == WHERE_TEXT)
        return evterm_test (n, evterm_text (n->column, s, i, buf));
    number = evterm_thread (n->column, s);
    if (n->column == WHERE_BY_rank && number < 0)
        return 0;
    return n->test == WHERE_HAS || (number >= n->low && number <= n->high);
}

/* --- numbers -------------------------------------------------------------- */

static int64_t evterm_clamp (uint64_t x)
{
    return x > INT64_MAX ? INT64_MAX : x;
}

static void evterm_fields (const struct batch *b,
                           const uint64_t *from,
                           unsigned field,
                           int64_t *value,
                           unsigned char *has)
{
    for (size_t i = 0; i < b->count; i++) {
        value[i] = evterm_clamp (from[i]);
        has[i] = (call_table[b->call[i]].fields & field) != 0;
    }
}

static void evterm_times (enum where_column column,
                          const struct batch *b,
                          uint64_t start,
                          int64_t *value,
                          unsigned char *has)
{
    memset (has, 1, b->count);
    if (column == WHERE_dur)
        for (size_t i = 0; i < b->count; i++)
            value[i] = b->end[i] - b->start[i];
    else
        for (size_t i = 0; i < b->count; i++)
            value[i] = b->start[i] - start;
}

/* Rarely used columns, event by event. */
static int evterm_number (enum where_column column,
                          const struct column_source *s,
                          size_t i,
                          int64_t *value)
{
    const struct batch *b = s->batch;
    const struct call_info *info = &call_table[b->call[i]];

    switch (column) {
    case WHERE_bytes:
        *value = s->bytes[i];
        return (s->how[i] & COLUMN_MOVES) != 0;
    case WHERE_offset:
        *value = b->offset[i];
        return info->fields & F_OFFSET && b->offset[i] >= 0;
    case WHERE_ret:
        *value = b->ret[i];
        return info->category != CALL_CATEGORY_APP;
    case WHERE_errno:
        *value = b->error[i];
        return b->error[i] != 0;
    case WHERE_fd:
        *value = b->fd[i];
        return (info->fields & F_FD) != 0;
    case WHERE_BY_step:
    case WHERE_BY_epoch:
        *value = column_source_mark (
            s, i, column == WHERE_BY_step ? MARK_STEP : MARK_EPOCH);
        return *value >= 0;
    default: /* of the thread */
        *value = evterm_thread ((uint16_t)column, s);
        return column != WHERE_BY_rank || *value >= 0;
    }
}

void evterm_numbers (enum where_column column,
                     const struct column_source *s,
                     uint64_t start,
                     int64_t *value,
                     unsigned char *has)
{
    const struct batch *b = s->batch;

    if (column == WHERE_dur || column == WHERE_time)
        evterm_times (column, b, start, value, has);
    else if (column == WHERE_size)
        evterm_fields (b, b->size, F_SIZE, value, has);
    else if (column == WHERE_flags)
        evterm_fields (b, b->flags, F_FLAGS, value, has);
    else
        for (size_t i = 0; i < b->count; i++)
            has[i] = (unsigned char)evterm_number (column, s, i, &value[i]);
}

static void evterm_compare (const struct where_node *n,
                            const struct column_source *s,
                            uint64_t start,
                            int64_t *value,
                            unsigned char *wanted)
{
    int64_t other[BATCH_EVENTS];
    unsigned char has[BATCH_EVENTS];

    evterm_numbers (n->other, s, start, other, has);
    for (size_t i = 0; i < s->batch->count; i++)
        wanted[i] = wanted[i] && has[i] &&
                    evterm_ordered (n->how, ORDER (value[i], other[i]));
}

/* A term of what each event says, for all of them; start is that of the job. */
static void evterm_batch (const struct where_node *n,
                          const struct column_source *s,
                          uint64_t start,
                          unsigned char *wanted)
{
    enum where_column column = n->column;
    int64_t value[BATCH_EVENTS];
    char buf[KEYTEXT_MAX];

    if (where_column_info (column)->type == WHERE_TEXT) {
        for (size_t i = 0; i < s->batch->count; i++)
            wanted[i] =
                (unsigned char)evterm_test (n, evterm_text (column, s, i, buf));
        return;
    }
    evterm_numbers (column, s, start, value, wanted);
    if (n->test == WHERE_COMPARE)
        evterm_compare (n, s, start, value, wanted);
    else if (n->test == WHERE_RANGE)
        for (size_t i = 0; i < s->batch->count; i++)
            wanted[i] &=
                (unsigned char)((value[i] >= n->low) & (value[i] <= n->high));
}

/* --- arguments ------------------------------------------------------------ */

static int evterm_test_argument (const struct where_node *n,
                                 const struct column_source *s,
                                 const struct batch_arg *a)
{
    const struct dict_entry *e;
    char buf[32];

    if (n->test == WHERE_HAS)
        return 1;
    if (n->test == WHERE_RANGE)
        return a->type == EVENT_ARG_INT
                   ? a->i >= n->low && a->i <= n->high
                   : a->type == EVENT_ARG_DOUBLE && a->d >= n->least &&
                         a->d <= n->most;
    if (a->type == EVENT_ARG_TEXT) {
        e = dict_entry (s->dict, a->text);
        return evterm_test (n, e ? e->text : "");
    }
    if (a->type == EVENT_ARG_INT)
        FORMAT (buf, "%" PRId64, a->i);
    else
        FORMAT (buf, "%.9g", a->d);
    return evterm_test (n, buf);
}

/* Test the arguments with this key. */
static void evterm_argument (const struct where_node *n,
                             const struct column_source *s,
                             uint32_t key,
                             unsigned char *wanted)
{
    for (size_t i = 0; i < s->batch->count; i++) {
        const struct batch_arg *a = batch_arg_of (s->batch, i, key);

        wanted[i] = a && evterm_test_argument (n, s, a);
    }
}

enum { EVFILTER_UNKNOWN = 0, EVFILTER_NO = 1, EVFILTER_YES = 2 };

/* Results of a node that are known already. */
struct evfilter_memo {
    unsigned char *name; /* by name; owned */
    size_t names;
    unsigned char call[CALL_MAX];
    unsigned char thread;
    uint32_t argument; /* dictionary: key of an argument; 0: not yet */
};

/* --- what is decided by an entry of the dictionary -------------------------
 */

/* The condition of a node, which has one answer for all like event i. */
static int
evfilter_ask (const struct evfilter *f, const struct where_node *n, size_t i)
{
    const struct where_node *node = f->where->node;

    switch (n->test) {
    case WHERE_AND:
        return evfilter_ask (f, &node[n->left], i) &&
               evfilter_ask (f, &node[n->right], i);
    case WHERE_OR:
        return evfilter_ask (f, &node[n->left], i) ||
               evfilter_ask (f, &node[n->right], i);
    case WHERE_NOT:
        return !evfilter_ask (f, &node[n->left], i);
    default:
        return evterm_entry (n, f->source, i);
    }
}

/* Room for what is known of all names. */
static void evfilter_grow (struct evfilter_memo *m, const struct dict *dict)
{
    size_t room = m->names ? m->names : 256, names = dict_limit (dict);

    while (room < names)
        room *= 2;
    if (room == m->names)
        return;
    m->name = xreallocarray (m->name, room, 1);
    memset (m->name + m->names, EVFILTER_UNKNOWN, room - m->names);
    m->names = room;
}

/* Address of the stored result for event i. */
static unsigned char *evfilter_place (struct evfilter_memo *m,
                                      const struct batch *b,
                                      enum where_of of,
                                      size_t i)
{
    if (of == WHERE_OF_FILE)
        return &m->name[b->name[i]];
    if (of == WHERE_OF_CALL && b->name[i] &&
        call_table[b->call[i]].category == CALL_CATEGORY_APP)
        return &m->name[b->name[i]];
    return &m->call[b->call[i]];
}

static void evfilter_entries (struct evfilter *f,
                              const struct where_node *n,
                              unsigned char *wanted)
{
    struct evfilter_memo *m = &f->memo[n - f->where->node];
    const struct batch *b = f->source->batch;

    if (n->of == WHERE_OF_THREAD) {
        if (!m->thread)
            m->thread = evfilter_ask (f, n, 0) ? EVFILTER_YES : EVFILTER_NO;
        memset (wanted, m->thread == EVFILTER_YES, b->count);
        return;
    }
    evfilter_grow (m, f->dict);
    for (size_t i = 0; i < b->count; i++) {
        unsigned char *known = evfilter_place (m, b, n->of, i);

        if (!*known)
            *known = evfilter_ask (f, n, i) ? EVFILTER_YES : EVFILTER_NO;
        wanted[i] = *known == EVFILTER_YES;
    }
}

/* --- nodes ---------------------------------------------------------------- */

static void evfilter_node (struct evfilter *f,
                           const struct where_node *n,
                           unsigned char *wanted);

/* Are all the same? */
static int evfilter_all (const unsigned char *wanted, size_t n, int value)
{
    return n == 0 ||
           (wanted[0] == value && memcmp (wanted, wanted + 1, n - 1) == 0);
}

static void evfilter_both (struct evfilter *f,
                           const struct where_node *n,
                           unsigned char *wanted)
{
    unsigned char right[BATCH_EVENTS];
    const struct where_node *node = f->where->node;
    size_t count = f->source->batch->count;
    int and = n->test == WHERE_AND;

    evfilter_node (f, &node[n->left], wanted);
    if (evfilter_all (wanted, count, !and)) /* the other one changes nothing */
        return;
    evfilter_node (f, &node[n->right], right);
    for (size_t i = 0; i < count; i++)
        wanted[i] = and? wanted[i] & right[i] : wanted[i] | right[i];
}

static void evfilter_argument (struct evfilter *f,
                               const struct where_node *n,
                               unsigned char *wanted)
{
    struct evfilter_memo *m = &f->memo[n - f->where->node];

    if (!m->argument)
        m->argument = dict_number (f->dict, SHARD_NAME_KEY, FILE_CLASS_UNKNOWN,
                                   n->argument, strlen (n->argument));
    evterm_argument (n, f->source, m->argument, wanted);
}

static void evfilter_node (struct evfilter *f,
                           const struct where_node *n,
                           unsigned char *wanted)
{
    if (n->of != WHERE_OF_EVENT) {
        evfilter_entries (f, n, wanted);
    } else if (n->test == WHERE_AND || n->test == WHERE_OR) {
        evfilter_both (f, n, wanted);
    } else if (n->test == WHERE_NOT) {
        evfilter_node (f, &f->where->node[n->left], wanted);
        for (size_t i = 0; i < f->source->batch->count; i++)
            wanted[i] = !wanted[i];
    } else if (n->column == WHERE_argument) {
        evfilter_argument (f, n, wanted);
    } else {
        evterm_batch (n, f->source, f->start, wanted);
    }
}

/* --- batches -------------------------------------------------------------- */

/* The first batch. */
static void evfilter_begin (struct evfilter *f)
{
    NEW (f->memo, f->where->nodes);
    if (f->source)
        return;
    NEW (f->own, 1);
    f->own->dict = f->dict;
    f->own->wants_places = where_has (f->where, WHERE_BY_access);
    f->own->layers_apart = 1; /* each event by itself */
    f->source = f->own;
}

void evfilter_batch (struct evfilter *f,
                     const struct batch *b,
                     unsigned char *wanted)
{
    if (!f->where) {
        memset (wanted, 1, b->count);
        return;
    }
    if (!f->memo)
        evfilter_begin (f);
    if (f->own) {
        f->own->rank = b->who->p.rank;
        column_source_batch (f->own, b);
    }
    if (b->begins || f->who != b->who || f->tid != b->tid) {
        for (int i = 0; i < f->where->nodes; i++)
            f->memo[i].thread = EVFILTER_UNKNOWN;
        f->who = b->who;
        f->tid = b->tid;
    }
    if (b->count)
        evfilter_node (f, &f->where->node[f->where->root], wanted);
}

void evfilter_clear (struct evfilter *f)
{
    for (int i = 0; f->memo && i < f->where->nodes; i++)
        free (f->memo[i].name);
    free (f->memo);
    f->memo = NULL;
    if (f->own)
        column_source_clear (f->own);
    free (f->own);
    f->own = NULL;
}
