/* SPDX-License-Identifier: MIT
 *
 * spancursor.c - one log -> its intervals inside a piece of the time
 *
 * In:  blocks of packed intervals, from spanlog.c
 * Out: starts and lengths, to spanunion.c
 */
#include "config.h"

#include "analyze/query/spans/spancursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/spool.h"
#include "lib/core/varint.h"

static int next_block (struct span_cursor *c)
{
    const struct span_block *b = c->block;

    c->block = b->next;
    c->p = b->data;
    if (!b->data) {
        if (!c->buffer && !(c->buffer = malloc (SPANLOG_BLOCK_MAX)))
            return -1;
        if (spool_get (c->buffer, b->used, b->offset) < 0)
            return -1;
        c->p = c->buffer;
    }
    c->limit = c->p + b->used;
    c->end = b->from;
    return 0;
}

/* The piece of [start, end) that counts. False: it and all others begin
 * behind the piece of the time. */
static inline int put (struct span_cursor *c, uint64_t start, uint64_t end)
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
    if (length > SPAN_PIECE_MAX) {
        c->rest = (struct interval){start + SPAN_PIECE_MAX, end};
        length = SPAN_PIECE_MAX;
    }
    c->start[c->count] = start;
    c->length[c->count++] = (uint32_t)length;
    return 1;
}

/* Packed ones of the block at hand, as many as there is room for. */
static int take_packed (struct span_cursor *c)
{
    const unsigned char *p = c->p, *limit = c->limit;
    uint64_t gap = 0, length = 0, end = c->end;
    int inside = 1;

    while (inside && p < limit && c->count < c->room && !c->rest.end) {
        if (!(p = get_varint (p, limit, &gap)) ||
            !(p = get_varint (p, limit, &length))) {
            errno = EIO; /* the temporary file is not what it was */
            return -1;
        }
        end += gap + length;
        inside = put (c, end - length, end);
    }
    c->p = p;
    c->end = end;
    c->more &= inside;
    return 0;
}

static void take_list (struct span_cursor *c)
{
    while (c->more && c->count < c->room && !c->rest.end) {
        const struct interval *v = c->list->item; /* NULL: none */

        if (c->list_at == c->list->count ||
            !put (c, v[c->list_at].start, v[c->list_at].end))
            c->more = 0;
        c->list_at++;
    }
}

int spancursor_fill (struct span_cursor *c)
{
    size_t left = c->count - c->at;

    if (left && c->at) {
        memmove (c->start, c->start + c->at, left * sizeof (*c->start));
        memmove (c->length, c->length + c->at, left * sizeof (*c->length));
    }
    c->at = 0;
    c->count = left;
    while (c->more && c->count < c->room) {
        struct interval rest = c->rest;

        if (rest.end) {
            c->rest.end = 0;
            (void)put (c, rest.start, rest.end);
        } else if (c->p < c->limit) {
            if (take_packed (c) < 0)
                return -1;
        } else if (c->block) {
            if (next_block (c) < 0)
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
