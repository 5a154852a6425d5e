/* SPDX-License-Identifier: MIT
 *
 * calltree.h - nested regions of all threads and the calls in them -> one tree
 *
 * A frame is a region, or a call of stdio; calls of POSIX are leaves. A path
 * of names is one node, whichever thread ran it.
 */
#pragma once

#include "analyze/scan/keys.h"
#include "analyze/scan/marks.h"
#include "analyze/scan/where.h"
#include "analyze/trace/find.h"

enum { CALLTREE_ROOT = 0, CALLTREE_DEPTH_MAX = 512 };

struct calltree_node {
    uint32_t parent, label; /* index; of labels */
    uint32_t depth;         /* the root has 0 */
    uint64_t count, bytes;  /* events; bytes that calls moved */
    uint64_t total;         /* ns of these events */
    int64_t self;           /* the same without what is in frames and calls
                               below; less than 0 where these overlap */
};

struct calltree {
    struct strmap *labels;      /* owned; "compute/forward", "POSIX/read" */
    struct calltree_node *node; /* by path, owned; the first is the root: the
                                   sum of what is right below it */
    size_t nodes, room;
    struct pairs children; /* parent, label -> node - 1 */
};

struct calltree_asked {
    const struct where *where; /* NULL: all; else only such events count, and
                                  the frames around them have no numbers */
    enum group_key by;         /* host, process, thread, rank: what the first
                                  level is; GROUP_KEYS: nothing */
    const struct kind_rules *rules; /* NULL: as by default */
    int threads;                    /* 0: one for each core */
};

/* The tree of an open job, read twice. Frames that are deeper than
 * CALLTREE_DEPTH_MAX count in the last one. 0, or -1 with err. */
int calltree_make (struct calltree *t,
                   const struct job *job,
                   const struct calltree_asked *asked,
                   struct errtext *err);
void calltree_clear (struct calltree *t); /* zeroed is fine */

const char *calltree_label (const struct calltree *t, size_t node);

/* The nodes that count anything, or are above such, each before those below
 * it, the one with the longest time first; malloc'd, *n of them. */
uint32_t *calltree_order (const struct calltree *t, size_t *n);
