/* SPDX-License-Identifier: MIT
 *
 * nest.c - regions of one thread, in the order they end -> time inside
 *
 * In:  start and end of regions, from scan.c
 * Out: time of children; what is left is outermost
 */
#include "config.h"

#include "analyze/query/totals/nest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/spool.h"

enum { BLOCK = 1024 /* regions */ };

struct nest_block {
    struct nest_block *below;
    struct nest_region *item; /* owned; NULL: in the spool */
    uint64_t offset;
    size_t count, room;
};

/* --- blocks ------------------------------------------------------------- */

static int nest_spill (struct nest_block *b)
{
    size_t bytes = b->room * sizeof (*b->item);

    if (spool_put (b->item, b->count * sizeof (*b->item), &b->offset) < 0)
        return -1;
    free (b->item);
    b->item = NULL;
    spool_shrink (bytes);
    return 0;
}

static int fetch (struct nest_block *b)
{
    struct nest_region *item = malloc (b->room * sizeof (*item));

    if (!item || spool_get (item, b->count * sizeof (*item), b->offset) < 0) {
        free (item);
        return -1;
    }
    b->item = item;
    (void)spool_grow (b->room * sizeof (*item));
    return 0;
}

static void drop (struct nest_block *b)
{
    if (b->item)
        spool_shrink (b->room * sizeof (*b->item));
    free (b->item);
    free (b);
}

/* Of two full blocks the lower one leaves memory when that is short. */
static int nest_new_block (struct nest *n)
{
    struct nest_block *b = calloc (1, sizeof (*b)), *low = NULL;

    if (!b)
        return -1;
    b->room = n->top ? BLOCK : BLOCK / 16;
    if (!(b->item = malloc (b->room * sizeof (*b->item)))) {
        free (b);
        return -1;
    }
    b->below = n->top;
    n->top = b;
    if (b->below)
        low = b->below->below;
    return spool_grow (b->room * sizeof (*b->item)) && low && low->item
               ? nest_spill (low)
               : 0;
}

static inline int nest_push (struct nest *n, const struct nest_region *r)
{
    if ((!n->top || n->top->count == n->top->room) && nest_new_block (n) < 0)
        return -1;
    n->top->item[n->top->count++] = *r;
    n->count++;
    return 0;
}

/* peek, when the block on top is empty or in the file. */
static const struct nest_region *nest_fetch (struct nest *n)
{
    while (n->top->count == 0) {
        struct nest_block *b = n->top;

        n->top = b->below;
        drop (b);
    }
    if (!n->top->item && fetch (n->top) < 0)
        return NULL;
    return &n->top->item[n->top->count - 1];
}

/* The youngest region; there is one. NULL: the temporary file failed. */
static inline const struct nest_region *peek (struct nest *n)
{
    const struct nest_block *b = n->top;

    return b->count && b->item ? &b->item[b->count - 1] : nest_fetch (n);
}

static int nest_add_gap (struct nest *n, uint64_t start, uint64_t end)
{
    size_t room = n->gaps_room ? 2 * n->gaps_room : 16;
    struct nest_gap *gap = n->gap;

    if (start >= end)
        return 0;
    if (n->gaps == n->gaps_room) {
        if (!(gap = reallocarray (gap, room, sizeof (*gap))))
            return -1;
        n->gap = gap;
        n->gaps_room = room;
    }
    gap[n->gaps++] = (struct nest_gap){start, end};
    return 0;
}

/* Take the regions that begin at start or later off the stack, and count what
 * they have before *low, which goes down. */
static inline int
absorb (struct nest *n, uint64_t start, uint64_t *low, uint64_t *inside)
{
    while (n->count) {
        const struct nest_region *child = peek (n);
        uint64_t top;

        if (!child)
            return -1;
        if (child->start < start)
            break;
        top = child->end < *low ? child->end : *low;
        if (top > child->start) {
            if (n->keeps_gaps && nest_add_gap (n, top, *low) < 0)
                return -1;
            *inside += top - child->start;
            *low = child->start;
        }
        if (child->tag & NEST_WINS)
            n->winning += child->tag & ~NEST_WINS;
        else
            n->others += child->tag;
        n->top->count--;
        n->count--;
    }
    return 0;
}

static int
add_orphan (struct nest *n, uint64_t start, uint64_t low, void *owner)
{
    size_t room = n->room ? 2 * n->room : 16;
    struct nest_orphan *orphan = n->orphan;

    if (n->orphans == n->room) {
        if (!(orphan = reallocarray (orphan, room, sizeof (*orphan))))
            return -1;
        n->orphan = orphan;
        n->room = room;
    }
    orphan[n->orphans++] = (struct nest_orphan){start, low, owner};
    return 0;
}

/* --- the stack ---------------------------------------------------------- */

int nest_add (struct nest *n,
              uint64_t start,
              uint64_t end,
              uint64_t tag,
              void *owner,
              uint64_t *inside)
{
    struct nest_region r = {start, end, tag};
    uint64_t low = end; /* all from here to end is covered or free */

    *inside = 0;
    n->gaps = 0;
    n->winning = n->others = 0;
    if (absorb (n, start, &low, inside) < 0)
        return -1;
    if (n->winning)
        r.tag = n->winning | NEST_WINS;
    else if (!tag)
        r.tag = n->others;
    if (n->continues && !n->count) {
        if (add_orphan (n, start, low, owner) < 0)
            return -1;
    } else if (n->keeps_gaps && nest_add_gap (n, start, low) < 0)
        return -1;
    return nest_push (n, &r);
}

int nest_join (struct nest *n,
               struct nest *later,
               int (*more) (void *cookie, void *owner, uint64_t inside),
               void *cookie)
{
    for (size_t i = 0; i < later->orphans; i++) {
        struct nest_orphan *o = &later->orphan[i];
        uint64_t inside = 0;

        n->gaps = 0;
        if (absorb (n, o->start, &o->low, &inside) < 0)
            return -1;
        if ((n->keeps_gaps && nest_add_gap (n, o->start, o->low) < 0) ||
            more (cookie, o->owner, inside) != 0)
            return -1;
    }
    if (later->top) {
        struct nest_block *bottom = later->top;

        while (bottom->below)
            bottom = bottom->below;
        bottom->below = n->top;
        n->top = later->top;
        n->count += later->count;
    }
    later->top = NULL;
    nest_clear (later);
    return 0;
}

int nest_drain (struct nest *n,
                void (*each) (void *cookie, const struct nest_region *r),
                void *cookie)
{
    while (n->count) {
        const struct nest_region *r = peek (n);

        if (!r)
            return -1;
        each (cookie, r);
        n->top->count--;
        n->count--;
    }
    return 0;
}

void nest_clear (struct nest *n)
{
    int saved = errno;

    for (struct nest_block *b = n->top, *below; b; b = below) {
        below = b->below;
        drop (b);
    }
    free (n->orphan);
    free (n->gap);
    memset (n, 0, sizeof (*n));
    errno = saved;
}
