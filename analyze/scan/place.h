/* SPDX-License-Identifier: MIT
 *
 * place.h - where a read or write is in its file, seen from the one before
 */
#ifndef DFT_ANALYZE_PLACE_H
#define DFT_ANALYZE_PLACE_H

#include <stdint.h>

#include "lib/format/calls.h"

enum placed {
    PLACED_NOT = 0,     /* the first one seen, or its offset is not known */
    PLACED_CONSECUTIVE, /* where the one before ended */
    PLACED_STRIDED,     /* as far behind it as the one before */
    PLACED_SEQUENTIAL,  /* elsewhere behind it */
    PLACED_BACKWARD,    /* before it */
    PLACED_COUNT
};

/* Where a thread is in a file. All zero: nowhere yet. */
struct place {
    uint64_t end, gap; /* of the call before */
    int known;         /* there was one: PLACE_READ, PLACE_WRITE */
};

enum { PLACE_READ = 1, PLACE_WRITE };

/* A read or write at a known offset that moved so many bytes. */
static inline enum placed
place_follow (struct place *at, int writes, uint64_t offset, uint64_t bytes)
{
    enum placed placed = PLACED_NOT;

    if (at->known)
        placed = offset == at->end             ? PLACED_CONSECUTIVE
                 : offset < at->end            ? PLACED_BACKWARD
                 : offset - at->end == at->gap ? PLACED_STRIDED
                                               : PLACED_SEQUENTIAL;
    at->gap = at->known && offset > at->end ? offset - at->end : 0;
    at->end = offset + bytes;
    at->known = writes ? PLACE_WRITE : PLACE_READ;
    return placed;
}

/* The same, whatever the call is; -1: the offset is not known. */
enum placed
place_move (struct place *at, unsigned call, int64_t offset, uint64_t bytes);

/* "none", "consecutive", "strided", "sequential", "backward". */
const char *placed_name (enum placed placed);

#endif
