/* SPDX-License-Identifier: MIT
 *
 * query.c - batches of events -> groups with sums, numbers, sets of time
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

    if (!q->times_only)
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

/* --- groups --------------------------------------------------------------- */

void query_group_numbers (struct query_group *g, int values)
{
    if (!g->cell.numbers && values)
        NEW (g->cell.numbers, values);
}

void query_group_add (struct query_group *to,
                      const struct query_group *from,
                      int values)
{
    struct query_cell *a = &to->cell;
    const struct query_cell *b = &from->cell;

    if (b->count && (!a->count || b->min < a->min))
        a->min = b->min;
    if (b->max > a->max)
        a->max = b->max;
    a->count += b->count;
    a->errors += b->errors;
    a->bytes += b->bytes;
    a->ns += b->ns;
    if (from->cell.numbers)
        query_group_numbers (to, values);
    for (int v = 0; from->cell.numbers && v < values; v++)
        numbers_merge (&to->cell.numbers[v], &from->cell.numbers[v]);
}

void query_state_settle (struct query_state *s)
{
    for (size_t i = 0; i < s->groups; i++)
        for (int v = 0; s->group[i].cell.numbers && v < s->query->values; v++)
            valuecount_settle (&s->group[i].cell.numbers[v].values);
}

struct query_times *query_group_times (struct query_group *g)
{
    struct query_times *t = ZEROED (t, 1);

    t->next = g->running;
    g->running = t;
    return t;
}

int64_t query_state_group (struct query_state *s, const uint32_t *ordinal)
{
    size_t keys = s->query->keys;
    int64_t cell = 0;

    for (size_t k = 0; k < keys; k++)
        cell = pairs_ordinal (&s->pairs[k], (uint64_t)cell << 32 | ordinal[k]);
    if ((size_t)cell < s->groups)
        return cell;
    if (s->groups >= QUERY_GROUPS_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    GROW (s->ordinal, s->ordinals, (s->groups + 1) * (keys + 1));
    for (size_t k = 0; k < keys; k++)
        s->ordinal[s->groups * keys + k] = ordinal[k];
    APPEND (s->group, s->groups, s->room);
    return cell;
}

/* --- the state ------------------------------------------------------------ */

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
    if (q->values)
        NEW (s->numbers, q->values);
    for (int k = 0; k < q->keys; k++) {
        if (q->key[k].what == GROUP_interval)
            s->interval = k;
        column_init (&s->column[k], &q->key[k], &s->source);
    }
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
        for (int v = 0; g->cell.numbers && v < s->query->values; v++)
            numbers_clear (&g->cell.numbers[v]);
        free (g->cell.numbers);
    }
    free (s->numbers);
    for (int k = 0; k < QUERY_KEYS_MAX; k++) {
        column_clear (&s->column[k]);
        pairs_clear (&s->pairs[k]);
    }
    column_source_clear (&s->source);
    evfilter_clear (&s->filter);
    free (s->group);
    free (s->ordinal);
    free (s->of_ordinal);
    free (s->value);
    free (s);
    errno = saved;
}

/* --- events --------------------------------------------------------------- */

/* Add time [start, end) of an event. */
static inline void query_add_time (const struct query_state *s,
                                   struct query_group *g,
                                   uint64_t start,
                                   uint64_t end)
{
    g->cell.ns += end - start;
    if (!s->query->running)
        return;
    if (g->split != s->split)
        query_group_times (g);
    g->split = s->split;
    spanlog_add (&g->running->log, start, end);
}

/* Add the time of event i to all intervals that it passes; ordinal: of its
 * other keys. s->cell[i] is the group of the first of them. 0, or -1 with
 * errno. */
static int
query_add_intervals (struct query_state *s, size_t i, uint32_t *ordinal)
{
    const struct batch *b = s->source.batch;
    uint64_t begin = s->source.context ? s->source.context->start : 0;
    uint64_t at = b->start[i];
    uint64_t bin = (MAX (at, begin) - begin) / s->source.interval;

    for (int first = 1;; bin++, first = 0) {
        uint64_t end = MIN (b->end[i], begin + (bin + 1) * s->source.interval);
        int64_t cell;

        ordinal[s->interval] =
            (uint32_t)column_number (&s->column[s->interval], &s->source, bin);
        if ((cell = query_state_group (s, ordinal)) < 0)
            return -1;
        if (first)
            s->cell[i] = (uint32_t)cell;
        query_add_time (s, &s->group[cell], at, end);
        at = end;
        if (at >= b->end[i])
            return 0;
    }
}

/* Find s->cell of n picked events. With one key its value says the cell. 0, or
 * -1 with errno. */
static int query_find_cells (struct query_state *s, size_t n)
{
    uint32_t *of = NULL, *known = NULL;

    if (s->query->keys == 1 && s->interval < 0) {
        GROW_ZEROED (s->of_ordinal, s->of_ordinals,
                     strmap_count (s->column[0].texts));
        of = s->of_ordinal;
    }
    for (size_t k = 0; k < n; k++) {
        size_t i = s->pick[k];
        uint32_t ordinal[QUERY_KEYS_MAX];
        int64_t cell;

        if (of && *(known = &of[s->column[0].ordinal[i]])) {
            s->cell[i] = *known - 1;
            continue;
        }
        for (int key = 0; key < s->query->keys; key++)
            ordinal[key] = s->column[key].ordinal[i];
        if (s->interval >= 0) {
            if (query_add_intervals (s, i, ordinal) < 0)
                return -1;
            continue;
        }
        if ((cell = query_state_group (s, ordinal)) < 0)
            return -1;
        s->cell[i] = (uint32_t)cell;
        if (known)
            *known = s->cell[i] + 1;
    }
    return 0;
}

/* Add each picked event to the sums of its cell. */
static void query_add_sums (struct query_state *s, size_t n)
{
    const struct batch *b = s->source.batch;
    int times_only = s->query->times_only;

    for (size_t k = 0; k < n; k++) {
        size_t i = s->pick[k];
        struct query_group *g = &s->group[s->cell[i]];
        struct query_cell *c = &g->cell;
        uint64_t ns = b->end[i] - b->start[i];

        if (s->interval < 0)
            query_add_time (s, g, b->start[i], b->end[i]);
        if (!c->count || ns < c->min)
            c->min = ns;
        if (ns > c->max)
            c->max = ns;
        c->count++;
        if (times_only)
            continue;
        c->bytes += s->source.bytes[i];
        c->errors += (s->source.how[i] & COLUMN_FAILED) != 0;
    }
}

/* Add value v of each picked event to its cell. */
static void query_add_value (struct query_state *s, int v, size_t n)
{
    const struct query_value *value = &s->query->value[v];
    const struct query_batch_numbers *from = &s->numbers[v];

    for (size_t k = 0; k < n; k++) {
        size_t i = s->pick[k];
        struct query_group *g = &s->group[s->cell[i]];

        if (!from->has[i])
            continue;
        query_group_numbers (g, s->query->values);
        numbers_add (&g->cell.numbers[v], value, from->value[i]);
    }
    for (size_t k = 0; value->quantiles && k < n; k++) {
        size_t i = s->pick[k];

        if (from->has[i])
            valuecount_meet (&s->group[s->cell[i]].cell.numbers[v].values,
                             from->value[i]);
    }
}

void query_state_begin (struct query_state *s)
{
    s->split++;
}

int query_state_add (struct query_state *s, const struct batch *b)
{
    const struct query *q = s->query;
    size_t n = 0;

    if (b->begins && column_source_begin (&s->source, b->who) < 0)
        return -1;
    column_source_batch (&s->source, b);
    evfilter_batch (&s->filter, b, s->wanted);
    for (int k = 0; k < q->keys; k++)
        if (k != s->interval)
            column_fill (&s->column[k], &s->source);
    for (int v = 0; v < q->values; v++)
        if (q->value[v].wanted)
            numbers_batch (&s->numbers[v], &q->value[v], &s->source,
                           s->filter.start);
    for (size_t i = 0; i < b->count; i++) {
        s->pick[n] = (uint16_t)i;
        n += s->wanted[i] && !(s->source.how[i] & s->leaves_out);
    }
    if (query_find_cells (s, n) < 0)
        return -1;
    query_add_sums (s, n);
    for (int v = 0; v < q->values; v++)
        if (q->value[v].wanted)
            query_add_value (s, v, n);
    return 0;
}

/* --- words ---------------------------------------------------------------- */

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
