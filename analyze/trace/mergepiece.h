/* SPDX-License-Identifier: MIT
 *
 * mergepiece.h - a chunk of a trace -> a block of a merged trace
 */
#ifndef DFT_ANALYZE_MERGEPIECE_H
#define DFT_ANALYZE_MERGEPIECE_H

#include "analyze/trace/merge.h"
#include "lib/format/dense.h"
#include "lib/format/event.h"

/* One worker's; used for one chunk after the other. */
struct merge_piece {
    struct shard_block b; /* of what is to be written */
    const unsigned char *bytes;
    size_t used;
    uint64_t events; /* 0: nothing is to be written */
    /* private */
    unsigned char *payload, *check; /* SHARD_CHUNK_MAX, DENSE_BYTES_MAX */
    struct decoder decoder;
    struct dense_writer *dense;
};

int merge_piece_open (struct merge_piece *p); /* 0, or -1 (ENOMEM) */
void merge_piece_close (struct merge_piece *p);

/* Read c of part and make what is to be written of it: all events of a whole
 * chunk, those that can be decoded of another. 0, or -1 (ENOMEM). */
int merge_piece_make (struct merge_piece *p,
                      const struct part *part,
                      const struct trace_chunk *c,
                      uint32_t proc,
                      enum merge_pack pack);

/* n bytes and what aligns the next block. */
static inline uint32_t merge_aligned (size_t n)
{
    return (uint32_t)((n + SHARD_MERGED_ALIGN - 1) / SHARD_MERGED_ALIGN *
                      SHARD_MERGED_ALIGN);
}

#endif
