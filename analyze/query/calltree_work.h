/* SPDX-License-Identifier: MIT
 *
 * calltree_work.h - a call tree that is being made (for calltree*.c)
 */
#ifndef DFT_ANALYZE_CALLTREE_WORK_H
#define DFT_ANALYZE_CALLTREE_WORK_H

#include "analyze/query/calltree.h"
#include "analyze/scan/evfilter.h"
#include "analyze/scan/pass.h"

/* A region, or a call of stdio. */
struct calltree_frame {
    uint64_t start, end;
    uint32_t name; /* dictionary; 0: the call itself */
    uint16_t call;
    uint8_t wanted;
    uint32_t node;
    uint32_t parent; /* index + 1 in the same thread; 0: none */
};

struct calltree_piece {
    struct calltree_frame *frame; /* owned; of the first piece of a thread: all
                                     of the thread, by their starts */
    size_t count, room;
    uint32_t root; /* node */
};

/* What a worker counted of one call below one node. */
struct calltree_leaf {
    uint64_t count, total, bytes, inside;
};

struct calltree_worker {
    struct evfilter filter;
    size_t piece, at;           /* at: the frame looked at last */
    struct pairs leaves;        /* node, call -> leaf */
    struct calltree_leaf *leaf; /* owned */
    size_t room;
};

struct calltree_work {
    struct calltree *tree;
    const struct calltree_asked *asked;
    struct pass pass;
    struct calltree_piece *piece;   /* owned */
    struct calltree_worker *worker; /* owned */
};

/* The node below parent. Its index, or -1 (ENOMEM). */
int64_t calltree_child (struct calltree *t, uint32_t parent, const char *label);
/* "compute/forward", "POSIX/read". Returns buf. */
const char *calltree_text (
    const struct dict *d, uint16_t call, uint32_t name, char *buf, size_t room);

/* A user of a pass, which keeps the frames of each piece. */
int calltree_begin (void *cookie, size_t piece, int worker);
int calltree_take_frames (void *cookie, int worker, const struct batch *b);

/* After that: the frames of each thread inside each other, in the tree. 0, or
 * -1 (ENOMEM). */
int calltree_join (struct calltree_work *w);

#endif
