/* SPDX-License-Identifier: MIT
 *
 * spancursor.h - one log -> its intervals inside a piece of the time, in
 *                order, many at once (private to spanunion.c)
 */
#ifndef DFT_ANALYZE_SPANCURSOR_H
#define DFT_ANALYZE_SPANCURSOR_H

#include "analyze/scan/spangroup.h"
#include "analyze/scan/spanlog.h"

/* Length of an interval of 2^32 - 1 ns or more, which is only the last one at
 * hand: span_cursor.wide has its length. */
#define SPAN_WIDE UINT32_MAX

/* Intervals at hand: [at … count - 1] of start and length. */
struct span_cursor {
    uint64_t *start;  /* room of each; the caller's */
    uint32_t *length; /* > 0 */
    size_t at, count, room;
    uint64_t wide; /* see SPAN_WIDE; 0: the last one at hand is shorter */
    int more;      /* there are others behind them */
    /* private */
    uint64_t lo, hi;                /* of the piece of the time */
    const struct span_block *block; /* after the one at hand */
    struct span_groups groups;      /* of the one at hand */
    unsigned char *buffer; /* of a block that was not in memory; owned */
    const struct intervals *list;
    size_t list_at;
};

/* The length of the one at that place. */
static inline uint64_t span_cursor_length (const struct span_cursor *c,
                                           size_t place)
{
    return c->length[place] == SPAN_WIDE ? c->wide : c->length[place];
}

/* Begin with the packed part and the list behind it, either of which may be
 * NULL; start, length and room are set. 0, or -1: see spancursor_fill. */
int spancursor_open (struct span_cursor *c,
                     const struct span_block *block,
                     const struct intervals *list,
                     uint64_t lo,
                     uint64_t hi);

/* Put others behind those that are still at hand, unless the last of these is
 * wide. 0, or -1: ENOMEM, or the temporary file cannot be read. */
int spancursor_fill (struct span_cursor *c);

void spancursor_close (struct span_cursor *c); /* zeroed is fine */

#endif
