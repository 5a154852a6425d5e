/* SPDX-License-Identifier: MIT
 *
 * merge.h - traces of a job -> one trace
 */
#pragma once

#include "analyze/trace/parts.h"
#include "lib/format/dense.h"
#include "lib/format/event.h"

enum merge_pack {
    MERGE_DENSE = 0, /* in columns of few bits (lib/format/dense.h) */
    MERGE_PLAIN      /* as in the shards: larger, written faster */
};

/* One worker's; used for one chunk after the other. */
struct merge_piece {
    struct shard_block b; /* of what is to be written */
    const unsigned char *bytes;
    size_t used;
    uint64_t events; /* 0: nothing is to be written */
    /* private */
    unsigned char *payload, *check;
    size_t payload_room, check_room; /* for the largest chunk so far */
    struct decoder decoder;
    struct dense_writer *dense;
};

void merge_piece_open (struct merge_piece *p);
void merge_piece_close (struct merge_piece *p);

/* Read c of part and make what is to be written of it: all events of a whole
 * chunk, those that can be decoded of another. */
void merge_piece_make (struct merge_piece *p,
                       const struct part *part,
                       const struct trace_chunk *c,
                       uint32_t proc,
                       enum merge_pack pack);

struct merge_report {
    uint64_t processes, chunks, events, bytes;
    uint64_t lost; /* events not copied, and those missing before */
    uint64_t chunks_bad;
};

/* Write all parts as one trace: the process blocks, then the chunks of all
 * threads in the order of time, without unused space. Chunks are copied whole,
 * or up to the last whole event; what is left behind is added to lost_space of
 * its process. The same parts give the same bytes. The file appears
 * atomically, mode 0600; when strict, only if nothing is missing. 0, or -1
 * with err. */
int merge_write (const struct parts *parts,
                 const char *path,
                 int strict,
                 enum merge_pack pack,
                 struct merge_report *report,
                 struct errtext *err);
