/* SPDX-License-Identifier: MIT
 *
 * nest.c - regions of one thread, in the order they end -> time inside
 *
 * In:  start and end of regions, from scan.c
 * Out: time of children; what is left is outermost
 */
#include "config.h"

#include "analyze/scan/nest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/varint.h"
#include "lib/util/spool.h"

enum {
    BLOCK = 1024,                    /* regions */
    NEST_PACKED_MAX = 3 * VARINT_MAX /* bytes of one */
};

struct nest_block {
    struct nest_block *below;
    struct nest_region *item; /* owned; NULL: packed */
    unsigned char *data;      /* packed; owned; NULL: not, or in the spool */
    uint64_t offset;
    size_t bytes;       /* packed */
    size_t count, room; /* count: of the one on top struct nest knows it */
};

/* --- blocks ------------------------------------------------------------- */

/* A tag, which may have its highest bit set, as a small number. */
static uint64_t nest_fold (uint64_t tag)
{
    return tag << 1 | tag >> 63;
}

static uint64_t nest_unfold (uint64_t v)
{
    return v >> 1 | v << 63;
}

/* Regions of a block that is not on top any more: few bytes each. */
static int nest_pack (struct nest_block *b)
{
    unsigned char *p = malloc (b->count * NEST_PACKED_MAX + 1), *data = p;
    uint64_t end = 0;

    if (!p)
        return -1;
    for (size_t i = 0; i < b->count; i++) {
        const struct nest_region *r = &b->item[i];

        p = put_varint (p, zigzag ((int64_t)(r->start - end)));
        p = put_varint (p, r->end - r->start);
        p = put_varint (p, nest_fold (r->tag));
        end = r->end;
    }
    b->bytes = (size_t)(p - data);
    p = realloc (data, b->bytes + 1);
    b->data = p ? p : data;
    free (b->item);
    b->item = NULL;
    spool_shrink (b->room * sizeof (*b->item));
    (void)spool_grow (b->bytes);
    return 0;
}

static int nest_unpack (struct nest_block *b, struct nest_region *item)
{
    const unsigned char *p = b->data, *limit = p + b->bytes;
    uint64_t end = 0, gap, length, tag;

    for (size_t i = 0; i < b->count; i++) {
        if (!(p = get_varint (p, limit, &gap)) ||
            !(p = get_varint (p, limit, &length)) ||
            !(p = get_varint (p, limit, &tag))) {
            errno = EIO; /* the temporary file is not what it was */
            return -1;
        }
        item[i].start = end + (uint64_t)unzigzag (gap);
        end = item[i].end = item[i].start + length;
        item[i].tag = nest_unfold (tag);
    }
    return 0;
}

static void nest_drop_data (struct nest_block *b)
{
    if (b->data)
        spool_shrink (b->bytes);
    free (b->data);
    b->data = NULL;
}

static int nest_spill (struct nest_block *b)
{
    if (spool_put (b->data, b->bytes, &b->offset) < 0)
        return -1;
    nest_drop_data (b);
    return 0;
}

static int nest_unspill (struct nest_block *b)
{
    if (!(b->data = malloc (b->bytes + 1)))
        return -1;
    (void)spool_grow (b->bytes);
    return spool_get (b->data, b->bytes, b->offset);
}

/* Have the regions of a packed block. */
static int fetch (struct nest_block *b)
{
    struct nest_region *item;

    if (!b->data && nest_unspill (b) < 0)
        return -1;
    if (!(item = malloc (b->room * sizeof (*item))) ||
        nest_unpack (b, item) < 0) {
        free (item);
        return -1;
    }
    nest_drop_data (b);
    b->item = item;
    (void)spool_grow (b->room * sizeof (*item));
    return 0;
}

static void drop (struct nest_block *b)
{
    nest_drop_data (b);
    if (b->item)
        spool_shrink (b->room * sizeof (*b->item));
    free (b->item);
    free (b);
}

/* Another block goes on the one on top. */
static void nest_cover (const struct nest *n)
{
    if (n->top)
        n->top->count = (size_t)(n->next - n->floor);
}

static void nest_uncover (struct nest *n)
{
    n->floor = n->top->item;
    n->next = n->floor + n->top->count;
    n->limit = n->floor + n->top->room;
}

/* The lower one of two full blocks is packed, and leaves memory when memory is
 * short. */
static int nest_new_block (struct nest *n)
{
    struct nest_block *b = calloc (1, sizeof (*b)), *low = NULL;
    int isshort;

    if (!b)
        return -1;
    b->room = n->top ? BLOCK : BLOCK / 16;
    if (!(b->item = malloc (b->room * sizeof (*b->item)))) {
        free (b);
        return -1;
    }
    nest_cover (n);
    b->below = n->top;
    n->top = b;
    nest_uncover (n);
    isshort = spool_grow (b->room * sizeof (*b->item));
    if (b->below)
        low = b->below->below;
    if (low && low->item && nest_pack (low) < 0)
        return -1;
    return isshort && low && low->data ? nest_spill (low) : 0;
}

static inline int nest_push (struct nest *n, const struct nest_region *r)
{
    if (n->next == n->limit && nest_new_block (n) < 0)
        return -1;
    *n->next++ = *r;
    n->count++;
    return 0;
}

/* peek, when nothing is left of the block on top. */
static const struct nest_region *nest_fetch (struct nest *n)
{
    do {
        struct nest_block *b = n->top;

        n->top = b->below;
        drop (b);
    } while (n->top->count == 0);
    n->floor = n->next = n->limit = NULL;
    if (!n->top->item && fetch (n->top) < 0)
        return NULL;
    nest_uncover (n);
    return n->next - 1;
}

/* The youngest region; there is one. NULL: the temporary file failed. */
static inline const struct nest_region *peek (struct nest *n)
{
    return n->next != n->floor ? n->next - 1 : nest_fetch (n);
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

/* Regions that a region found on the stack. */
struct nest_found {
    uint64_t low;             /* all from here to its end is covered or free */
    uint64_t inside;          /* covered */
    uint64_t winning, others; /* tags */
};

/* Take the regions that begin at start or later off the stack, and count what
 * they have before low, which goes down. */
static inline __attribute__ ((always_inline)) int
absorb (struct nest *n, uint64_t start, struct nest_found *f)
{
    while (n->count) {
        const struct nest_region *child = peek (n);
        uint64_t top;

        if (!child)
            return -1;
        if (child->start < start)
            break;
        top = child->end < f->low ? child->end : f->low;
        if (top > child->start) {
            if (n->keeps_gaps && nest_add_gap (n, top, f->low) < 0)
                return -1;
            f->inside += top - child->start;
            f->low = child->start;
        }
        if (child->tag & NEST_WINS)
            f->winning += child->tag & ~NEST_WINS;
        else
            f->others += child->tag;
        n->next--;
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
    struct nest_found f = {.low = end};

    n->gaps = 0;
    if (absorb (n, start, &f) < 0)
        return -1;
    *inside = f.inside;
    if (f.winning)
        r.tag = f.winning | NEST_WINS;
    else if (!tag)
        r.tag = f.others;
    if (n->continues && !n->count) {
        if (add_orphan (n, start, f.low, owner) < 0)
            return -1;
    } else if (n->keeps_gaps && nest_add_gap (n, start, f.low) < 0)
        return -1;
    return nest_push (n, &r);
}

int nest_join (struct nest *n,
               struct nest *later,
               int (*more) (void *cookie, void *owner, uint64_t inside),
               void *cookie)
{
    for (size_t i = 0; i < later->orphans; i++) {
        const struct nest_orphan *o = &later->orphan[i];
        struct nest_found f = {.low = o->low};

        n->gaps = 0;
        if (absorb (n, o->start, &f) < 0)
            return -1;
        if ((n->keeps_gaps && nest_add_gap (n, o->start, f.low) < 0) ||
            more (cookie, o->owner, f.inside) != 0)
            return -1;
    }
    if (later->top) {
        struct nest_block *bottom = later->top;

        while (bottom->below)
            bottom = bottom->below;
        nest_cover (n);
        bottom->below = n->top;
        n->top = later->top;
        n->floor = later->floor;
        n->next = later->next;
        n->limit = later->limit;
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
        n->next--;
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
