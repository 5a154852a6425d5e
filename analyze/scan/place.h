/* SPDX-License-Identifier: MIT
 *
 * place.h - position of a read or write relative to the one before it
 */
#pragma once

#include "lib/format/calls.h"

#include <stddef.h>
#include <stdint.h>

enum placed {
    PLACED_NOT = 0,     /* the first one seen, or its offset is not known */
    PLACED_CONSECUTIVE, /* where the one before ended */
    PLACED_STRIDED,     /* as far behind it as the one before */
    PLACED_SEQUENTIAL,  /* elsewhere behind it */
    PLACED_BACKWARD,    /* before it */
    PLACED_COUNT
};

/* Position of a thread in a file. All zero: no access yet. */
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

/* Relation of any call to the one before it; -1: the offset is not known. */
enum placed
place_move (struct place *at, unsigned call, int64_t offset, uint64_t bytes);

/* "none", "consecutive", "strided", "sequential", "backward". */
const char *placed_name (enum placed placed);

/* Last accesses of a thread, or of a split of it, to a file; [0] of reads, [1]
 * of writes. */
struct strides_file {
    uint32_t name;     /* number of the file */
    uint64_t first[2]; /* where the first one began, plus 1; 0: none, or the
                          split is the first one of its thread */
    uint64_t end[2];   /* where the last one ended, plus 1; 0: none */
};

/* All zero is empty. */
struct strides {
    struct strides_file *item; /* owned */
    size_t count, room;
    int continues; /* the thread has an earlier split */
};

/* Add a new file and return its index. */
int64_t strides_add (struct strides *s, uint32_t name);

/* Bytes skipped after an access that ended at `end` - 1; end 0: there was none.
 */
static inline uint64_t strides_of (uint64_t end, uint64_t offset)
{
    return end && offset >= end ? offset - (end - 1) : 0;
}

/* The later split of the thread goes on with to. take gets each access whose
 * stride could not be known; 0, or -1, which ends it. */
void strides_join (
    struct strides *to,
    struct strides *later,
    void (*take) (void *cookie, uint32_t name, int is_write, uint64_t stride),
    void *cookie);

void strides_clear (struct strides *s);
