/* SPDX-License-Identifier: MIT
 *
 * query.c - batches of events -> groups with sums, histograms, sets of time
 *
 * In:  events in columns, from pass.c
 * Out: struct query_state, to queryanswer.c and querypartial.c
 * Caveat: a hot loop; it allocates only where something is new.
 */
#include "config.h"

#include "analyze/query/query.h"
#include "analyze/query/querystate.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

static int query_state_cell (struct query_state *s, size_t i);

static enum batch_need queryneed_less (enum batch_need a, enum batch_need b)
{
    return a < b ? a : b;
}

enum batch_need query_need_of_column (enum where_column column)
{
    if (column == WHERE_time || column == WHERE_dur ||
        column == WHERE_BY_interval)
        return BATCH_REGIONS;
    switch (where_column_info (column)->of) {
    case WHERE_OF_THREAD:
    case WHERE_OF_CALL:
    case WHERE_OF_CLASS:
        return BATCH_REGIONS;
    case WHERE_OF_FILE:
        return BATCH_FILES;
    default:
        return BATCH_ALL;
    }
}

enum batch_need query_need_of_where (const struct where *w)
{
    enum batch_need need = BATCH_REGIONS;

    for (int i = 0; w && i < w->nodes; i++) {
        const struct where_node *n = &w->node[i];

        if (n->test >= WHERE_HAS)
            need = queryneed_less (need, query_need_of_column (n->column));
        if (n->test == WHERE_COMPARE)
            need = queryneed_less (need, query_need_of_column (n->other));
    }
    return need;
}

enum batch_need query_need (const struct query *q)
{
    enum batch_need need = BATCH_REGIONS;

    if (!q->times_only || q->measures & (QUERY_SIZES | QUERY_OVERLAP))
        return BATCH_ALL;
    for (int k = 0; k < q->keys; k++)
        need = queryneed_less (
            need,
            q->key[k].what == GROUP_argument ? BATCH_ALL
            : q->key[k].what == GROUP_column
                ? query_need_of_column (q->key[k].column)
                : query_need_of_column ((enum where_column)q->key[k].what));
    for (int v = 0; v < q->values; v++)
        need = queryneed_less (need, query_need_of_column (q->value[v].column));
    return queryneed_less (need, query_need_of_where (q->where));
}

void query_group_numbers (struct query_group *g, int values)
{
    if (!g->numbers && values)
        NEW (g->numbers, values);
}

/* Add a histogram to one that is made when it is needed. NULL: none. */
static void query_merge_hist (struct hist **to, const struct hist *from)
{
    if (!from)
        return;
    if (!*to)
        NEW (*to, 1);
    hist_merge (*to, from);
}

void query_group_add (struct query_group *to,
                      const struct query_group *from,
                      int values)
{
    struct query_sums *a = &to->sums;
    const struct query_sums *b = &from->sums;

    if (b->count && (!a->count || b->min < a->min))
        a->min = b->min;
    if (b->max > a->max)
        a->max = b->max;
    a->count += b->count;
    a->errors += b->errors;
    a->bytes += b->bytes;
    a->bytes_read += b->bytes_read;
    a->bytes_written += b->bytes_written;
    a->spread_read += b->spread_read;
    a->spread_written += b->spread_written;
    a->ns += b->ns;
    query_merge_hist (&to->times, from->times);
    query_merge_hist (&to->sizes, from->sizes);
    if (from->numbers)
        query_group_numbers (to, values);
    for (int v = 0; from->numbers && v < values; v++)
        numbers_merge (&to->numbers[v], &from->numbers[v]);
}

void query_state_settle (struct query_state *s)
{
    for (size_t i = 0; i < s->groups; i++)
        for (int v = 0; s->group[i].numbers && v < s->query->values; v++)
            valuecount_settle (&s->group[i].numbers[v].values);
    if (s->with)
        query_state_settle (s->with);
}

struct query_times *query_group_times (struct query_group *g)
{
    struct query_times *t = ZEROED (t, 1);

    t->next = g->running;
    g->running = t;
    return t;
}

/* Return 1 if query_times_add can count for such a query. */
static int query_times_may (const struct query *q)
{
    for (int v = 0; v < q->values; v++)
        if (q->value[v].column == WHERE_argument)
            return 0;
    return q->times_only && !q->measures && !query_has_key (q, GROUP_interval);
}

/* With one key its value says the cell. */
static int query_times_cells (struct query_state *s, size_t n)
{
    const uint32_t *ordinal = s->column[0].ordinal;
    int one = s->query->keys == 1;

    if (one)
        GROW_ZEROED (s->of_ordinal, s->of_ordinals,
                     strmap_count (s->column[0].texts));
    for (size_t k = 0; k < n; k++) {
        size_t i = s->pick[k];

        if (one && s->of_ordinal[ordinal[i]]) {
            s->cell[i] = s->of_ordinal[ordinal[i]] - 1;
            continue;
        }
        if (query_state_cell (s, i) < 0)
            return -1;
        if (one)
            s->of_ordinal[ordinal[i]] = s->cell[i] + 1;
    }
    return 0;
}

/* Durations. */
static void query_times_sums (struct query_state *s, size_t n)
{
    const struct batch *b = s->source.batch;

    for (size_t k = 0; k < n; k++) {
        size_t i = s->pick[k];
        struct query_sums *sums = &s->group[s->cell[i]].sums;
        uint64_t ns = b->end[i] - b->start[i];

        if (!sums->count || ns < sums->min)
            sums->min = ns;
        if (ns > sums->max)
            sums->max = ns;
        sums->count++;
        sums->ns += ns;
    }
}

static void query_times_value (struct query_state *s, int v, size_t n)
{
    const struct query_value *value = &s->query->value[v];
    const struct query_batch_numbers *from = &s->numbers[v];

    for (size_t k = 0; k < n; k++) {
        struct query_group *g = &s->group[s->cell[s->pick[k]]];

        if (!from->has[s->pick[k]])
            continue;
        query_group_numbers (g, s->query->values);
        numbers_add_whole (&g->numbers[v], from->value[s->pick[k]]);
    }
    for (size_t k = 0; value->quantiles && k < n; k++) {
        struct query_numbers *to = s->group[s->cell[s->pick[k]]].numbers;

        if (from->has[s->pick[k]])
            valuecount_meet (&to[v].values, from->value[s->pick[k]]);
    }
}

/* Add the batch, of which keys and numbers are there: 0, or -1 with errno. */
static int query_times_add (struct query_state *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->source.batch->count; i++) {
        s->pick[n] = (uint16_t)i;
        n += s->wanted[i] && !(s->source.how[i] & s->leaves_out);
    }
    if (query_times_cells (s, n) < 0)
        return -1;
    query_times_sums (s, n);
    for (int v = 0; v < s->query->values; v++)
        if (s->query->value[v].wanted)
            query_times_value (s, v, n);
    return 0;
}

/* A query of its own: when events of `with` were running. */
static void query_make_with (struct query_state *s,
                             const struct query_context *context,
                             struct dict *dict)
{
    const struct query *q = s->query;

    if (!(q->measures & QUERY_OVERLAP))
        return;
    s->with_query = *q;
    s->with_query.keys = q->with_keys;
    s->with_query.measures = QUERY_UNION;
    s->with_query.where = q->with;
    s->with = query_state_create (&s->with_query, context, dict);
}

static int query_where_layers (const struct where *w)
{
    return where_has (w, WHERE_BY_layer) || where_has (w, WHERE_BY_function) ||
           where_has (w, WHERE_name);
}

/* Bytes that MPI-IO moved were moved by POSIX calls inside it, too: both are in
 * one cell only if the question tells the layers apart. */
static int query_tells_layers (const struct query *q, const struct where *where)
{
    for (int k = 0; k < q->keys; k++)
        if (q->key[k].what == GROUP_layer || q->key[k].what == GROUP_function ||
            (q->key[k].what == GROUP_column && q->key[k].column == WHERE_name))
            return 1;
    return where && query_where_layers (where);
}

/* Events in which layer mmap reports what it measured are in no group, unless
 * the condition names the layer. */
static unsigned char query_leaves_out (const struct where *w)
{
    int asked = w && (query_where_layers (w) || where_has (w, WHERE_cat));

    return asked ? COLUMN_IGNORED : COLUMN_IGNORED | COLUMN_MEASURED;
}

struct query_state *query_state_create (const struct query *q,
                                        const struct query_context *context,
                                        struct dict *dict)
{
    struct query_state *s = ZEROED (s, 1);

    s->query = q;
    s->interval = -1;
    s->source.dict = dict;
    s->source.context = context;
    s->source.interval = q->interval ? q->interval
                         : context   ? context->interval
                                     : 1000000000;
    s->filter.where = q->where && q->where->terms ? q->where : NULL;
    s->filter.start = context ? context->first_start : 0;
    s->filter.dict = dict;
    s->filter.source = &s->source;
    s->source.wants_places |=
        s->filter.where && where_has (s->filter.where, WHERE_BY_access);
    s->source.layers_apart = query_tells_layers (q, s->filter.where);
    s->leaves_out = query_leaves_out (s->filter.where);
    s->source.times_only = query_need (q) != BATCH_ALL;
    s->times_only = query_times_may (q);
    if (q->values)
        NEW (s->numbers, q->values);
    for (int k = 0; k < q->keys; k++) {
        if (q->key[k].what == GROUP_interval)
            s->interval = k;
        column_init (&s->column[k], &q->key[k], &s->source);
    }
    query_make_with (s, context, dict);
    return s;
}

void query_state_destroy (struct query_state *s)
{
    int saved = errno;

    if (!s)
        return;
    for (size_t i = 0; i < s->groups; i++) {
        struct query_group *g = &s->group[i];

        for (struct query_times *t = g->running, *next; t; t = next) {
            next = t->next;
            spanlog_clear (&t->log);
            free (t);
        }
        for (int v = 0; g->numbers && v < s->query->values; v++)
            numbers_clear (&g->numbers[v]);
        free (g->numbers);
        free (g->times);
        free (g->sizes);
    }
    free (s->numbers);
    for (int k = 0; k < QUERY_KEYS_MAX; k++) {
        column_clear (&s->column[k]);
        pairs_clear (&s->pairs[k]);
    }
    query_state_destroy (s->with);
    column_source_clear (&s->source);
    evfilter_clear (&s->filter);
    free (s->group);
    free (s->ordinal);
    free (s->of_ordinal);
    free (s->value);
    free (s->number);
    free (s);
    errno = saved;
}

/* --- groups --------------------------------------------------------------- */

/* Make room for a cell number that may be new. 0, or -1 (EOVERFLOW). */
static int query_new_group (struct query_state *s, const uint32_t *ordinal)
{
    size_t keys = s->query->keys;

    if (s->groups >= QUERY_GROUPS_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    GROW (s->ordinal, s->ordinals, (s->groups + 1) * (keys + 1));
    for (size_t k = 0; k < keys; k++)
        s->ordinal[s->groups * keys + k] = ordinal[k];
    APPEND (s->group, s->groups, s->room);
    return 0;
}

/* The interval is the last one to decide, so that all others do it once. */
static int query_key_at (const struct query_state *s, int place)
{
    int last = s->query->keys - 1;

    if (s->interval < 0 || place < s->interval)
        return place;
    return place == last ? s->interval : place + 1;
}

struct query_group *query_state_group (struct query_state *s,
                                       const uint32_t *ordinal)
{
    int keys = s->query->keys;
    int64_t cell = 0;

    for (int place = 0; place < keys; place++)
        cell = pairs_ordinal (&s->pairs[place],
                              (uint64_t)cell << 32 |
                                  ordinal[query_key_at (s, place)]);
    if ((size_t)cell >= s->groups && query_new_group (s, ordinal) < 0)
        return NULL;
    return &s->group[cell];
}

/* --- events --------------------------------------------------------------- */

static void query_add_hist (struct hist **h, uint64_t value)
{
    if (!*h)
        NEW (*h, 1);
    hist_add (*h, value);
}

/* Values of event i. */
static void
query_add_numbers (struct query_state *s, struct query_group *g, size_t i)
{
    const struct query *q = s->query;

    for (int v = 0; v < q->values; v++) {
        const struct query_batch_numbers *n = &s->numbers[v];

        if (!q->value[v].wanted || !n->has[i])
            continue;
        query_group_numbers (g, q->values);
        numbers_add (&g->numbers[v], &q->value[v], n->value[i]);
    }
}

/* Event i belongs to the group, with its time [start, end): it counts where
 * it begins. */
static int query_count (struct query_state *s,
                        struct query_group *g,
                        size_t i,
                        uint64_t start,
                        uint64_t end)
{
    const struct batch *b = s->source.batch;
    struct query_sums *n = &g->sums;
    uint64_t ns = b->end[i] - b->start[i];
    unsigned measures = s->query->measures;

    n->ns += end - start;
    if (measures & (QUERY_UNION | QUERY_OVERLAP)) {
        if (g->split != s->split)
            query_group_times (g);
        g->split = s->split;
        spanlog_add (&g->running->log, start, end);
    }
    if (start != b->start[i])
        return 0;
    if (!n->count || ns < n->min)
        n->min = ns;
    if (ns > n->max)
        n->max = ns;
    n->count++;
    if (!s->query->times_only) {
        n->bytes += s->source.bytes[i];
        n->bytes_read += b->bytes_read[i];
        n->bytes_written += b->bytes_written[i];
        n->errors += (s->source.how[i] & COLUMN_FAILED) != 0;
    }
    if (s->numbers)
        query_add_numbers (s, g, i);
    if (measures & QUERY_TIMES)
        query_add_hist (&g->times, ns);
    if (measures & QUERY_SIZES && s->source.how[i] & COLUMN_MOVES &&
        !(s->source.how[i] & COLUMN_FAILED))
        query_add_hist (&g->sizes, s->source.bytes[i]);
    return 0;
}

__extension__ typedef unsigned __int128 query_wide;

/* Bytes moved in `time` of a call that takes `of` and moves at an even rate. */
static uint64_t query_part (uint64_t bytes, uint64_t time, uint64_t of)
{
    return time == of ? bytes : (uint64_t)((query_wide)bytes * time / of);
}

/* The group of event i in an interval. */
static struct query_group *
query_interval_group (struct query_state *s, size_t i, uint64_t interval)
{
    uint32_t ordinal[QUERY_KEYS_MAX];
    int64_t at = column_number (&s->column[s->interval], &s->source, interval);
    int64_t cell = pairs_ordinal (&s->pairs[s->query->keys - 1],
                                  (uint64_t)s->cell[i] << 32 | (uint32_t)at);

    if ((size_t)cell < s->groups)
        return &s->group[cell];
    for (int k = 0; k < s->query->keys; k++)
        ordinal[k] = k == s->interval ? (uint32_t)at : s->column[k].ordinal[i];
    return query_new_group (s, ordinal) < 0 ? NULL : &s->group[cell];
}

/* Over all intervals that the event passes. */
static int query_count_intervals (struct query_state *s, size_t i)
{
    const struct batch *b = s->source.batch;
    uint64_t begin = s->source.context ? s->source.context->start : 0;
    uint64_t at = b->start[i], from = MAX (at, begin), all;
    uint64_t bin = (from - begin) / s->source.interval, read = 0, written = 0;

    all = b->end[i] - b->start[i];
    for (;; bin++) {
        uint64_t limit = begin + (bin + 1) * s->source.interval;
        uint64_t end = MIN (b->end[i], limit), done;
        struct query_group *g = query_interval_group (s, i, bin);

        if (!g || query_count (s, g, i, at, end) < 0)
            return -1;
        done = end - b->start[i];
        at = end;
        if (s->query->times_only && at < b->end[i])
            continue;
        if (s->query->times_only)
            return 0;
        g->sums.spread_read += query_part (b->bytes_read[i], done, all) - read;
        g->sums.spread_written +=
            query_part (b->bytes_written[i], done, all) - written;
        read = query_part (b->bytes_read[i], done, all);
        written = query_part (b->bytes_written[i], done, all);
        if (at >= b->end[i])
            return 0;
    }
}

/* s->cell[i], by all keys but the interval; its group is there unless there is
 * that key. 0, or -1 with errno. */
static int query_state_cell (struct query_state *s, size_t i)
{
    int keys = s->query->keys - (s->interval >= 0);
    uint32_t ordinal[QUERY_KEYS_MAX];
    int64_t cell = 0;

    for (int place = 0; place < keys; place++) {
        const struct column *c = &s->column[query_key_at (s, place)];

        cell = pairs_ordinal (&s->pairs[place],
                              (uint64_t)cell << 32 | c->ordinal[i]);
    }
    s->cell[i] = (uint32_t)cell;
    if (s->interval >= 0 || (size_t)cell < s->groups)
        return 0;
    for (int k = 0; k < s->query->keys; k++)
        ordinal[k] = s->column[k].ordinal[i];
    return query_new_group (s, ordinal);
}

static int query_add_event (struct query_state *s, size_t i)
{
    const struct batch *b = s->source.batch;
    struct query_group *g;

    if (query_state_cell (s, i) < 0)
        return -1;
    if (s->interval >= 0)
        return query_count_intervals (s, i);
    g = &s->group[s->cell[i]];
    return query_count (s, g, i, b->start[i], b->end[i]);
}

void query_state_begin (struct query_state *s)
{
    s->split++;
    if (s->with)
        query_state_begin (s->with);
}

int query_state_add (struct query_state *s, const struct batch *b)
{
    if (b->begins && column_source_begin (&s->source, b->who) < 0)
        return -1;
    column_source_batch (&s->source, b);
    evfilter_batch (&s->filter, b, s->wanted);
    for (int k = 0; k < s->query->keys; k++)
        if (k != s->interval)
            column_fill (&s->column[k], &s->source);
    for (int v = 0; v < s->query->values; v++)
        if (s->query->value[v].wanted)
            numbers_batch (&s->numbers[v], &s->query->value[v], &s->source,
                           s->filter.start);
    if (s->times_only)
        return query_times_add (s);
    for (size_t i = 0; i < b->count; i++)
        if (s->wanted[i] && !(s->source.how[i] & s->leaves_out) &&
            query_add_event (s, i) < 0)
            return -1;
    return s->with ? query_state_add (s->with, b) : 0;
}

int query_has_key (const struct query *q, enum group_key key)
{
    for (int k = 0; k < q->keys; k++)
        if (q->key[k].what == key)
            return 1;
    return 0;
}

static int key_same (const struct query_key *a, const struct query_key *b)
{
    return a->what == b->what && strcmp (a->argument, b->argument) == 0;
}

int query_parse_keys (struct query *q, const char *words, struct errtext *err)
{
    struct asking a = {.text = words, .err = err};

    q->keys = 0;
    err->text[0] = '\0';
    do {
        struct query_key key;
        size_t from;

        asking_space (&a);
        from = a.at;
        if (keycolumn_parse (&a, &key, &q->interval) < 0)
            return -1;
        if (q->keys == QUERY_KEYS_MAX)
            return asking_fail (&a, from, "more than %d keys", QUERY_KEYS_MAX);
        for (int k = 0; k < q->keys; k++)
            if (key_same (&q->key[k], &key))
                return asking_fail (&a, from, "the same key twice");
        q->key[q->keys++] = key;
    } while (asking_take (&a, ","));
    asking_space (&a);
    return words[a.at] ? asking_fail (&a, a.at, "\",\" should be here") : 0;
}
