/* SPDX-License-Identifier: MIT
 *
 * spanlog.c - the times of one thread, packed
 *
 * In:  start and end of events, from scan.c
 * Out: blocks of packed intervals, to spanunion.c
 *
 * Blocks grow from small to SPANLOG_BLOCK_MAX; full ones of that size leave
 * memory when all of them together have more than the limit.
 */
#include "config.h"

#include "analyze/scan/spanlog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/spangroup.h"
#include "lib/util/spool.h"

enum { TAIL_PACK = SPANLOG_TAIL / 2, BLOCK_MIN = 1024 };

/* Move a full block out of memory. */
static int spanlog_spill (struct span_block *b)
{
    if (spool_put (b->data, b->used, &b->offset) < 0)
        return -1;
    free (b->data);
    b->data = NULL;
    spool_shrink (b->room);
    return 0;
}

static int spanlog_new_block (struct spanlog *log)
{
    struct span_block *b = calloc (1, sizeof (*b)), *last = log->last;

    if (!b)
        return -1;
    b->room = !last                            ? BLOCK_MIN
              : last->room < SPANLOG_BLOCK_MAX ? 2 * last->room
                                               : SPANLOG_BLOCK_MAX;
    if (!(b->data = malloc (b->room + SPANGROUP_SLACK))) {
        free (b);
        return -1;
    }
    b->from = log->packed_end;
    if (last)
        last->next = b;
    else
        log->first = b;
    log->last = b;
    if (spool_grow (b->room) && last && last->room == SPANLOG_BLOCK_MAX)
        return spanlog_spill (last);
    return 0;
}

/* The n oldest of the tail. */
static int spanlog_pack_tail (struct spanlog *log, size_t n)
{
    struct span_block *b = log->last;
    const struct interval *v = log->tail.item;

    for (size_t i = 0, some; i < n; i += some) {
        uint32_t used;

        some = n - i < SPANGROUP_COUNT ? n - i : SPANGROUP_COUNT;
        if (!b || b->used + SPANGROUP_MAX > b->room) {
            if (spanlog_new_block (log) < 0)
                return -1;
            b = log->last;
        }
        used = (uint32_t)(spangroup_put (b->data + b->used, v + i, some,
                                         log->packed_end) -
                          b->data);
        log->bytes += used - b->used;
        b->used = used;
        log->packed_end = v[i + some - 1].end;
        for (size_t k = i; k < i + some; k++)
            log->packed_length += v[k].end - v[k].start;
    }
    log->tail.count -= n;
    if (log->tail.count)
        memmove (log->tail.item, log->tail.item + n,
                 log->tail.count * sizeof (*log->tail.item));
    return 0;
}

/* Whether [start, end) is around the youngest interval and no other, as regions
 * are. */
static int
spanlog_is_around (const struct spanlog *log, uint64_t start, uint64_t end)
{
    const struct interval *v = log->tail.item;
    size_t n = log->tail.count;

    return n > 1 && start <= v[n - 1].start && end >= v[n - 1].end &&
           start > v[n - 2].end;
}

int spanlog_insert (struct spanlog *log, uint64_t start, uint64_t end)
{
    if (end <= start)
        return 0;
    if (spanlog_is_around (log, start, end)) {
        log->tail.item[log->tail.count - 1] = (struct interval){start, end};
        return 0;
    }
    if (log->tail.count == SPANLOG_TAIL &&
        spanlog_pack_tail (log, TAIL_PACK) < 0)
        return -1;
    if (log->first && start < log->packed_end) {
        if (intervals_add (&log->late, start, end) < 0)
            return -1;
        start = log->packed_end;
    }
    return intervals_add (&log->tail, start, end);
}

/* --- joining ------------------------------------------------------------ */

static uint64_t end_of (const struct spanlog *log)
{
    return log->tail.count ? log->tail.item[log->tail.count - 1].end
                           : log->packed_end;
}

/* Take the first block off the log. */
static void drop_first (struct spanlog *log, uint64_t length)
{
    struct span_block *b = log->first;

    log->packed_length -= length;
    log->bytes -= b->used;
    log->first = b->next;
    if (!log->first)
        log->last = NULL;
    if (b->data)
        spool_shrink (b->room);
    free (b->data);
    free (b);
}

static int
unpack (struct spanlog *log, const struct span_block *b, uint64_t *length)
{
    struct span_groups g = {
        .p = b->data, .limit = b->data + b->used, .end = b->from};

    *length = 0;
    while (g.p < g.limit) {
        struct interval v;

        if (!g.left && spangroup_open (&g) < 0) {
            errno = EIO;
            return -1;
        }
        v = spangroup_next (&g);
        *length += v.end - v.start;
        if (spanlog_add (log, v.start, v.end) < 0)
            return -1;
    }
    return 0;
}

/* Add the spans of the first block one by one. */
static int add_first (struct spanlog *log, struct spanlog *later)
{
    struct span_block *b = later->first;
    uint64_t length;

    if (!b->data) {
        if (!(b->data = malloc (b->room + SPANGROUP_SLACK)))
            return -1;
        (void)spool_grow (b->room);
        if (spool_get (b->data, b->used, b->offset) < 0)
            return -1;
    }
    if (unpack (log, b, &length) < 0)
        return -1;
    drop_first (later, length);
    return 0;
}

static int add_list (struct spanlog *log, const struct intervals *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (spanlog_add (log, list->item[i].start, list->item[i].end) < 0)
            return -1;
    return 0;
}

/* The blocks that begin behind all of log, and the tail behind them. */
static int take_blocks (struct spanlog *log, struct spanlog *later)
{
    if (spanlog_pack_tail (log, log->tail.count) < 0)
        return -1;
    if (log->last)
        log->last->next = later->first;
    else
        log->first = later->first;
    log->last = later->last;
    log->packed_end = later->packed_end;
    log->packed_length += later->packed_length;
    log->bytes += later->bytes;
    intervals_clear (&log->tail);
    log->tail = later->tail;
    memset (&later->tail, 0, sizeof (later->tail));
    later->first = later->last = NULL;
    return 0;
}

int spanlog_join (struct spanlog *log, struct spanlog *later)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < later->late.count; i++)
        rc = intervals_add (&log->late, later->late.item[i].start,
                            later->late.item[i].end);
    /* the first block counts from 0: whether it begins behind log is not
       known */
    while (rc == 0 && later->first &&
           (!later->first->from || later->first->from < end_of (log)))
        rc = add_first (log, later);
    if (rc == 0)
        rc = later->first ? take_blocks (log, later)
                          : add_list (log, &later->tail);
    spanlog_clear (later);
    return rc;
}

int spanlog_empty (const struct spanlog *log)
{
    return !log->first && !log->tail.count && !log->late.count;
}

void spanlog_clear (struct spanlog *log)
{
    int saved = errno;

    intervals_clear (&log->tail);
    intervals_clear (&log->late);
    for (struct span_block *b = log->first, *next; b; b = next) {
        next = b->next;
        if (b->data)
            spool_shrink (b->room);
        free (b->data);
        free (b);
    }
    memset (log, 0, sizeof (*log));
    errno = saved;
}
