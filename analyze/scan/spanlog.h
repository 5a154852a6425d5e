/* SPDX-License-Identifier: MIT
 *
 * spanlog.h - times of one thread, packed: a few bytes for each
 *
 * Exact for any order of adding; small and fast in the order in which a
 * thread's events end. What no longer fits into memory goes to a temporary
 * file (spool.h).
 */
#ifndef DFT_ANALYZE_SPANLOG_H
#define DFT_ANALYZE_SPANLOG_H

#include "analyze/scan/interval.h"

enum {
    SPANLOG_TAIL = 256,         /* intervals that a parent may still swallow */
    SPANLOG_BLOCK_MAX = 1 << 15 /* bytes of a block */
};

/* Packed intervals (spangroup.h). */
struct span_block {
    struct span_block *next;
    uint64_t from;   /* the end of the one before the first */
    uint64_t offset; /* in the spool, when data is NULL */
    uint32_t used, room;
    unsigned char *data; /* owned */
};

/* All zero is empty. */
struct spanlog {
    struct intervals tail;           /* the youngest, not packed yet */
    struct intervals late;           /* begin before what is packed ends */
    struct span_block *first, *last; /* owned */
    uint64_t packed_end;             /* of the youngest packed one */
    uint64_t packed_length;          /* of all packed ones */
    uint64_t bytes;                  /* packed */
};

/* spanlog_add for any order. */
int spanlog_insert (struct spanlog *log, uint64_t start, uint64_t end);

/* Add [start, end). An empty one adds nothing. 0, or -1 (ENOMEM, or the
 * temporary file cannot be written). */
static inline int
spanlog_add (struct spanlog *log, uint64_t start, uint64_t end)
{
    struct intervals *t = &log->tail;

    if (t->count == 0 || t->count == SPANLOG_TAIL || t->count == t->room ||
        start <= t->item[t->count - 1].end || end <= start)
        return spanlog_insert (log, start, end);
    t->item[t->count++] = (struct interval){start, end};
    return 0;
}

/* Add all of later, whose spans were added after those of log in the order in
 * which events of one thread end; later is then empty. 0, or -1 as above. */
int spanlog_join (struct spanlog *log, struct spanlog *later);

int spanlog_empty (const struct spanlog *log);
void spanlog_clear (struct spanlog *log); /* keeps errno */

#endif
