/* SPDX-License-Identifier: MIT
 *
 * spancursor.c - one log -> its intervals inside a piece of the time
 *
 * In:  blocks of packed intervals, from spanlog.c
 * Out: starts and lengths, to spanunion.c
 */
#include "config.h"

#include "analyze/scan/spancursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/spool.h"

/* So many bytes say the length of a short one. */
enum { SHORT_BYTES = 3 };

static int spancursor_next_block (struct span_cursor *c)
{
    const struct span_block *b = c->block;
    const unsigned char *data = b->data;

    c->block = b->next;
    if (!data) {
        if (!c->buffer &&
            !(c->buffer = malloc (SPANLOG_BLOCK_MAX + SPANGROUP_SLACK)))
            return -1;
        if (spool_get (c->buffer, b->used, b->offset) < 0)
            return -1;
        data = c->buffer;
    }
    c->groups = (struct span_groups){
        .p = data, .limit = data + b->used, .end = b->from};
    return 0;
}

/* The piece of [start, end) that counts. False: it and all others begin
 * behind the piece of the time. */
static inline int
spancursor_put (struct span_cursor *c, uint64_t start, uint64_t end)
{
    uint64_t length;

    if (start >= c->hi)
        return 0;
    if (end > c->hi)
        end = c->hi;
    if (start < c->lo)
        start = c->lo;
    if (end <= start)
        return 1;
    length = end - start;
    if (length >= SPAN_WIDE) {
        c->wide = length;
        length = SPAN_WIDE;
    }
    c->start[c->count] = start;
    c->length[c->count++] = (uint32_t)length;
    return 1;
}

/* n of the group at hand, if all of them count and are short. */
static int take_all (struct span_cursor *c, size_t n)
{
    const struct span_groups begin = c->groups;
    uint64_t *start = c->start + c->count;

    if (begin.length > SHORT_BYTES || begin.gap + begin.length > 8)
        return 0;
    spangroup_take (&c->groups, n, start, c->length + c->count);
    if (start[0] < c->lo || c->groups.end > c->hi) {
        c->groups = begin;
        return 0;
    }
    c->count += n;
    return 1;
}

/* Packed ones of the block at hand, as many as there is room for. */
static int take_packed (struct span_cursor *c)
{
    struct span_groups *g = &c->groups;

    while (c->more && c->count < c->room && !c->wide) {
        size_t n = c->room - c->count;

        if (!g->left && g->p == g->limit)
            break;
        if (!g->left && spangroup_open (g) < 0) {
            errno = EIO; /* the temporary file is not what it was */
            return -1;
        }
        n = g->left < n ? g->left : n;
        if (take_all (c, n))
            continue;
        for (; n > 0 && c->more && !c->wide; n--) {
            struct interval v = spangroup_next (g);

            c->more = spancursor_put (c, v.start, v.end);
        }
    }
    return 0;
}

static void take_list (struct span_cursor *c)
{
    while (c->more && c->count < c->room && !c->wide) {
        const struct interval *v = c->list->item; /* NULL: none */

        if (c->list_at == c->list->count ||
            !spancursor_put (c, v[c->list_at].start, v[c->list_at].end))
            c->more = 0;
        c->list_at++;
    }
}

int spancursor_fill (struct span_cursor *c)
{
    size_t left = c->count - c->at;

    if (left && c->wide)
        return 0;
    if (left && c->at) {
        memmove (c->start, c->start + c->at, left * sizeof (*c->start));
        memmove (c->length, c->length + c->at, left * sizeof (*c->length));
    }
    c->at = 0;
    c->count = left;
    c->wide = 0;
    while (c->more && c->count < c->room && !c->wide) {
        if (c->groups.left || c->groups.p < c->groups.limit) {
            if (take_packed (c) < 0)
                return -1;
        } else if (c->block) {
            if (spancursor_next_block (c) < 0)
                return -1;
        } else
            take_list (c);
    }
    return 0;
}

int spancursor_open (struct span_cursor *c,
                     const struct span_block *block,
                     const struct intervals *list,
                     uint64_t lo,
                     uint64_t hi)
{
    static const struct intervals none;

    while (block && block->next && block->next->from <= lo)
        block = block->next;
    c->block = block;
    c->list = list ? list : &none;
    c->lo = lo;
    c->hi = hi;
    c->more = 1;
    return spancursor_fill (c);
}

void spancursor_close (struct span_cursor *c)
{
    free (c->buffer);
}
