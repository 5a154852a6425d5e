/* SPDX-License-Identifier: MIT
 *
 * place.c - where a read or write is in its file, seen from the one before
 *
 * In:  reads and writes of one file in one chunk of a thread, in order
 * Out: how each follows the one before, to scan.c and column.c
 */
#include "config.h"

#include "analyze/scan/place.h"

enum placed
place_move (struct place *at, unsigned call, int64_t said, uint64_t bytes)
{
    const struct call_info *info = &call_table[call];

    return said < 0 || !(info->fields & F_OFFSET)
               ? PLACED_NOT
               : place_follow (at, info->class == CALL_CLASS_WRITE,
                               (uint64_t)said, bytes);
}

const char *placed_name (enum placed placed)
{
    static const char *const names[PLACED_COUNT] = {
        "none", "consecutive", "strided", "sequential", "backward"};

    return names[placed];
}
