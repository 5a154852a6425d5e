/* SPDX-License-Identifier: MIT
 *
 * place.h - where a read or write is in its file, seen from the one before
 */
#ifndef DFT_ANALYZE_PLACE_H
#define DFT_ANALYZE_PLACE_H

#include <stdint.h>

#include "lib/core/calls.h"

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
    int known;         /* there was one: 1 a read, 2 a write */
};

/* A read or write at an offset (-1: not known) that moved so many bytes. */
enum placed
place_move (struct place *at, unsigned call, int64_t offset, uint64_t bytes);

/* "none", "consecutive", "strided", "sequential", "backward". */
const char *placed_name (enum placed placed);

#endif
