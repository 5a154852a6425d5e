/* SPDX-License-Identifier: MIT
 *
 * lanes.h - main threads of the ranks and what their time went into
 *
 * A lane is the main thread of a process that trains, from the start to the
 * end of its rank (of the process, where the rank has several of them). A job
 * in which nothing trains has a lane for each rank: the main threads of all
 * its processes, an instant belonging to the row of bill.def that comes first.
 * The calls on storage of all other threads and processes of its rank are its
 * row `threads`, which comes last.
 * The batch step is left out where there are other steps.
 */
#ifndef DFT_ANALYZE_LANES_H
#define DFT_ANALYZE_LANES_H

#include "analyze/facts/summary.h"
#include "analyze/scan/spanunion.h"

/* Who has a lane, while the times are swept. Bill 0 is what I/O costs the job,
 * bill 1 + i that of lane i. */
struct lanes {
    struct summary *s;
    const struct totals *t;
    uint32_t *of;          /* lane + 1 of each process as one who is billed; 0:
                              none; owned */
    uint32_t *helped;      /* the same of each process as one who helps */
    struct spanlog *start; /* of each lane, until its first step; owned */
    struct spanlog *end;   /* of each lane, after its last one; owned */
    struct spanbill *bill; /* owned */
};

/* Find the lanes of s, whose ranks are known. 0, or -1 (ENOMEM); clear in any
 * case. */
int lanes_open (struct lanes *l, struct summary *s, const struct totals *t);
void lanes_clear (struct lanes *l);

/* What the times of process number i are charged to; how many there are. */
uint32_t lanes_charges (const struct lanes *l,
                        size_t i,
                        const struct spans *x,
                        struct span_charge charge[SPAN_CHARGES]);

/* The class of the start of a lane, for lanes.start; of its end. */
struct span_charge lanes_start (size_t lane);
struct span_charge lanes_end (size_t lane);

/* The bills are made: what they say is s's. 0, or -1 (ENOMEM). */
int lanes_put (struct lanes *l);

/* Faults that were seen one by one become times of their process. 0, or -1
 * (ENOMEM). */
int lanes_add_faults (struct process *p, const struct mm_log *log);

#endif
