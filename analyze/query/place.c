/* SPDX-License-Identifier: MIT
 *
 * place.c - where a read or write is in its file, seen from the one before
 *
 * In:  reads and writes of one file in one chunk of a thread, in order
 * Out: how each follows the one before, to scan.c and column.c
 */
#include "config.h"

#include "analyze/query/place.h"

enum placed
place_move (struct place *at, unsigned call, int64_t said, uint64_t bytes)
{
    uint64_t offset = (uint64_t)said;
    enum placed placed = PLACED_NOT;

    if (said < 0 || !(call_table[call].fields & F_OFFSET))
        return PLACED_NOT;
    if (at->known)
        placed = offset == at->end             ? PLACED_CONSECUTIVE
                 : offset < at->end            ? PLACED_BACKWARD
                 : offset - at->end == at->gap ? PLACED_STRIDED
                                               : PLACED_SEQUENTIAL;
    at->gap = at->known && offset > at->end ? offset - at->end : 0;
    at->end = offset + bytes;
    at->known = call_table[call].class == CALL_CLASS_WRITE ? 2 : 1;
    return placed;
}

const char *placed_name (enum placed placed)
{
    static const char *const names[PLACED_COUNT] = {
        "none", "consecutive", "strided", "sequential", "backward"};

    return names[placed];
}
