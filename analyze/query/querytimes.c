/* SPDX-License-Identifier: MIT
 *
 * querytimes.c - batches of events -> groups, where a question asks for counts,
 *                times and values alone
 *
 * In:  cells of the events of a batch, from query.c
 * Out: sums, minima, maxima and values of groups
 *
 * One loop for each thing: none waits for the memory of another one.
 */
#include "config.h"

#include "analyze/query/querystate.h"

#include <stdlib.h>
#include <string.h>

int query_times_may (const struct query *q)
{
    for (int v = 0; v < q->values; v++)
        if (q->value[v].column == WHERE_argument)
            return 0;
    return q->times_only && !q->measures && !query_has_key (q, GROUP_interval);
}

/* Room for the cells of all values of the only key that were met. */
static int query_times_grow (struct query_state *s)
{
    size_t values = strmap_count (s->column[0].texts), room = s->of_ordinals;
    uint32_t *of;

    for (room = room ? room : 64; room < values;)
        room *= 2;
    if (room == s->of_ordinals)
        return 0;
    if (!(of = reallocarray (s->of_ordinal, room, sizeof (*of))))
        return -1;
    memset (of + s->of_ordinals, 0, (room - s->of_ordinals) * sizeof (*of));
    s->of_ordinal = of;
    s->of_ordinals = room;
    return 0;
}

/* With one key its value says the cell. */
static int query_times_cells (struct query_state *s, size_t n)
{
    const uint32_t *ordinal = s->column[0].ordinal;
    int one = s->query->keys == 1;

    if (one && query_times_grow (s) < 0)
        return -1;
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

static int query_times_value (struct query_state *s, int v, size_t n)
{
    const struct query_value *value = &s->query->value[v];
    const struct query_batch_numbers *from = &s->numbers[v];

    for (size_t k = 0; k < n; k++) {
        struct query_group *g = &s->group[s->cell[s->pick[k]]];

        if (!from->has[s->pick[k]])
            continue;
        if (!g->numbers && query_group_numbers (g, s->query->values) < 0)
            return -1;
        numbers_add_whole (&g->numbers[v], from->value[s->pick[k]]);
    }
    for (size_t k = 0; value->quantiles && k < n; k++) {
        struct query_numbers *to = s->group[s->cell[s->pick[k]]].numbers;

        if (from->has[s->pick[k]] &&
            valuecount_meet (&to[v].values, from->value[s->pick[k]]) < 0)
            return -1;
    }
    return 0;
}

int query_times_add (struct query_state *s)
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
        if (s->query->value[v].wanted && query_times_value (s, v, n) < 0)
            return -1;
    return 0;
}
