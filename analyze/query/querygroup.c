/* SPDX-License-Identifier: MIT
 *
 * querygroup.c - what the events of one cell add up to
 *
 * In:  the same of other workers, of partial results
 * Out: sums, histograms, numbers, to query.c, queryanswer.c and querypack.c
 */
#include "config.h"

#include "analyze/query/querystate.h"

#include <stdlib.h>

int query_group_numbers (struct query_group *g, int values)
{
    if (!g->numbers && values)
        g->numbers = calloc ((size_t)values, sizeof (*g->numbers));
    return g->numbers || !values ? 0 : -1;
}

int query_group_add (struct query_group *to,
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
    if ((from->times && !to->times &&
         !(to->times = calloc (1, sizeof (*to->times)))) ||
        (from->sizes && !to->sizes &&
         !(to->sizes = calloc (1, sizeof (*to->sizes)))))
        return -1;
    if (from->times)
        hist_merge (to->times, from->times);
    if (from->sizes)
        hist_merge (to->sizes, from->sizes);
    if (from->numbers && query_group_numbers (to, values) < 0)
        return -1;
    for (int v = 0; from->numbers && v < values; v++)
        if (numbers_merge (&to->numbers[v], &from->numbers[v]) < 0)
            return -1;
    return 0;
}

int query_state_settle (struct query_state *s)
{
    for (size_t i = 0; i < s->groups; i++)
        for (int v = 0; s->group[i].numbers && v < s->query->values; v++)
            if (valuecount_settle (&s->group[i].numbers[v].values) < 0)
                return -1;
    return s->with ? query_state_settle (s->with) : 0;
}

struct query_times *query_group_times (struct query_group *g)
{
    struct query_times *t = calloc (1, sizeof (*t));

    if (t) {
        t->next = g->running;
        g->running = t;
    }
    return t;
}
