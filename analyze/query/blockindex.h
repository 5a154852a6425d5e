/* SPDX-License-Identifier: MIT
 *
 * blockindex.h - what is in each block of a .pfw.gz <-> a file among the kept
 *                answers
 *
 * A question with a condition leaves it behind: all that a reader knows of the
 * files of the job besides their events, and the index of their chunks
 * (chunkindex.h). The next one inflates only members in which a block can
 * match. It is believed by the rules of keptanswer.h, and only of files whose
 * gzip has members, that are not damaged, and of which nothing is summed up or
 * written twice.
 */
#ifndef DFT_ANALYZE_BLOCKINDEX_H
#define DFT_ANALYZE_BLOCKINDEX_H

#include "analyze/query/keptanswer.h"
#include "analyze/trace/find.h"

/* All zero: none is wanted. */
struct blockindex {
    struct keptanswer kept;
    char *bytes; /* owned; of a new one; NULL: none */
    size_t n;
    int write; /* a new one is wanted */
};

/* Before the job is opened: its sources will be as the index says, where there
 * is one. write: else one is wanted. */
void blockindex_find (struct blockindex *x, struct job *job, int write);

/* A question about the open job has been answered: what a new index holds. */
void blockindex_pack (struct blockindex *x, struct job *job);

/* The job is closed: write it; errors only mean that there is none. */
void blockindex_put (const struct blockindex *x, struct job *job);

/* The job is closed; all zero is fine. */
void blockindex_clear (struct blockindex *x, struct job *job);

/* Have all sources of the open job been what the index says? Else the job is
 * closed, and will be read as a whole. */
int blockindex_held (struct blockindex *x, struct job *job);

/* For blockindex.c: all of a file, behind what it is about, into job->kept.
 * 0, or -1. */
int blockindex_read (struct job *job, FILE *in);

enum {
    BLOCKINDEX_SOURCE = 32, /* sections: of each source */
    BLOCKINDEX_FACTS,       /* and the index of its chunks */
    BLOCKINDEX_END
};

#endif
