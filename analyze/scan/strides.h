/* SPDX-License-Identifier: MIT
 *
 * strides.h - where a thread's reads and writes of each file ended
 *
 * A stride is how many bytes a read skipped since the end of the read before it
 * of the same thread and file, and a write since the write before it. It is 0
 * where that skipped none: behind the other, before its end, and of the first
 * one; as Darshan has it, whose place is the process's.
 */
#ifndef DFT_ANALYZE_STRIDES_H
#define DFT_ANALYZE_STRIDES_H

#include <stddef.h>
#include <stdint.h>

/* Of a thread, or a piece of it, in a file; [0] of reads, [1] of writes. */
struct strides_file {
    uint32_t name;     /* number of the file */
    uint64_t first[2]; /* where the first one began, plus 1; 0: none, or the
                          piece is the first one of its thread */
    uint64_t end[2];   /* where the last one ended, plus 1; 0: none */
};

/* All zero is empty. */
struct strides {
    struct strides_file *item; /* owned */
    size_t count, room;
    int continues; /* the thread has an earlier piece */
};

/* A new file; its index, or -1 (ENOMEM). */
int64_t strides_add (struct strides *s, uint32_t name);

/* Of an access that ended at `end` - 1, 0: none. */
static inline uint64_t strides_of (uint64_t end, uint64_t offset)
{
    return end && offset >= end ? offset - (end - 1) : 0;
}

/* The later piece of the thread goes on with to. take gets each access whose
 * stride could not be known; 0, or -1, which ends it. 0, or -1 (ENOMEM). */
int strides_join (
    struct strides *to,
    struct strides *later,
    int (*take) (void *cookie, uint32_t name, int is_write, uint64_t stride),
    void *cookie);

void strides_clear (struct strides *s); /* keeps errno */

#endif
