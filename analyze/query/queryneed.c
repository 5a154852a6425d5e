/* SPDX-License-Identifier: MIT
 *
 * queryneed.c - a question -> the columns of events that it looks at
 *
 * In:  keys, measures, conditions
 * Out: enum batch_need, to pass.c
 */
#include "config.h"

#include "analyze/query/query.h"

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
            need = queryneed_less (
                need, query_need_of_column ((enum where_column)n->column));
        if (n->test == WHERE_COMPARE)
            need = queryneed_less (
                need, query_need_of_column ((enum where_column)n->other));
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
