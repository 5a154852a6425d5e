/* SPDX-License-Identifier: MIT
 *
 * nest.c - regions of one thread, in the order they end -> time inside
 *
 * In:  start and end of regions, from tally.c
 * Out: time of children; what is left is outermost
 */
#include "config.h"

#include "analyze/nest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int grow (struct nest *n)
{
    size_t room = n->room ? 2 * n->room : 64;
    struct nest_region *item;

    if (n->count < n->room)
        return 0;
    if (!(item = reallocarray (n->item, room, sizeof (*item))))
        return -1;
    n->item = item;
    n->room = room;
    return 0;
}

int nest_add (struct nest *n,
              uint64_t start,
              uint64_t end,
              uint64_t tag,
              uint64_t *inside)
{
    uint64_t low = end; /* all from here to end is covered or free */

    if (grow (n) < 0)
        return -1;
    *inside = 0;
    while (n->count && n->item[n->count - 1].start >= start) {
        const struct nest_region *child = &n->item[--n->count];
        uint64_t top = child->end < low ? child->end : low;

        if (top > child->start) {
            *inside += top - child->start;
            low = child->start;
        }
    }
    n->item[n->count++] = (struct nest_region){start, end, tag};
    return 0;
}

void nest_clear (struct nest *n)
{
    int saved = errno;

    free (n->item);
    memset (n, 0, sizeof (*n));
    errno = saved;
}
