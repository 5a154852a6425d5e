/* SPDX-License-Identifier: MIT
 *
 * calltreeorder.c - in which order the nodes of a call tree are shown
 *
 * In:  struct calltree
 * Out: nodes, each before those below it
 */
#include "config.h"

#include "analyze/query/calltree.h"

#include <stdlib.h>
#include <string.h>

static int calltreeorder_compare (const void *a, const void *b, void *tree)
{
    const struct calltree *t = tree;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct calltree_node *p = &t->node[x], *q = &t->node[y];

    if (p->parent != q->parent)
        return p->parent < q->parent ? -1 : 1;
    if (p->total != q->total)
        return p->total > q->total ? -1 : 1;
    return strcmp (calltree_label (t, x), calltree_label (t, y));
}

/* Whose subtree counts any event. */
static unsigned char *calltreeorder_used (const struct calltree *t)
{
    unsigned char *used = calloc (t->nodes, 1);

    for (size_t i = t->nodes; used && i-- > 0;) {
        used[i] |= t->node[i].count > 0;
        used[t->node[i].parent] |= used[i];
    }
    return used;
}

uint32_t *calltree_order (const struct calltree *t, size_t *n)
{
    uint32_t *child = calloc (t->nodes, sizeof (*child));
    uint32_t *first = calloc (t->nodes + 1, sizeof (*first));
    uint32_t *order = calloc (t->nodes, sizeof (*order));
    uint32_t *open = calloc (t->nodes, sizeof (*open));
    unsigned char *used = calltreeorder_used (t);
    size_t children = 0, depth = 0;

    *n = 0;
    if (!child || !first || !order || !open || !used)
        goto error;
    for (size_t i = 1; i < t->nodes; i++)
        if (used[i])
            child[children++] = (uint32_t)i;
    qsort_r (child, children, sizeof (*child), calltreeorder_compare,
             (void *)(uintptr_t)t);
    for (size_t i = children; i-- > 0;)
        first[t->node[child[i]].parent] = (uint32_t)i + 1;
    order[(*n)++] = CALLTREE_ROOT;
    if (first[CALLTREE_ROOT])
        open[depth++] = first[CALLTREE_ROOT] - 1;
    while (depth > 0) {
        uint32_t at = open[--depth], node = child[at];

        order[(*n)++] = node;
        if (at + 1 < children &&
            t->node[child[at + 1]].parent == t->node[node].parent)
            open[depth++] = at + 1;
        if (first[node])
            open[depth++] = first[node] - 1;
    }
    goto done;
error:
    free (order);
    order = NULL;
done:
    free (child);
    free (first);
    free (open);
    free (used);
    return order;
}
