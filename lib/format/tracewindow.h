/* SPDX-License-Identifier: MIT
 *
 * tracewindow.h - a part of a trace -> the headers of blocks
 *
 * Private to the reader.
 */
#ifndef DFT_CORE_TRACEWINDOW_H
#define DFT_CORE_TRACEWINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "lib/format/shard.h"

enum { TRACEWINDOW_BYTES = 1 << 16 };

/* Bytes of the file, from `at` on; all zero at first. */
struct tracewindow {
    uint64_t at;
    size_t bytes;
    unsigned char data[TRACEWINDOW_BYTES];
};

/* Read the bytes at offset as a header. Return 1, 0 if the file ends before its
 * end, or -1 with errno. tracewindow_head reads the header only, for a walk
 * from block to block; tracewindow_look reads a window, for a search. */
int tracewindow_head (const struct tracewindow *w,
                      int fd,
                      uint64_t offset,
                      struct shard_block *b);
int tracewindow_look (struct tracewindow *w,
                      int fd,
                      uint64_t offset,
                      struct shard_block *b);

/* How many of the bytes from offset on, which look has read, are zeros: in
 * whole steps of SHARD_MERGED_ALIGN, at least one, at most `most` (a multiple
 * of it). */
uint64_t
tracewindow_zeros (const struct tracewindow *w, uint64_t offset, uint64_t most);

#endif
