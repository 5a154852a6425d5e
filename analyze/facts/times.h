/* SPDX-License-Identifier: MIT
 *
 * times.h - sets of time of processes -> of ranks and the job, and what they
 *           have in common
 */
#pragma once

#include "analyze/facts/summary.h"
#include "analyze/facts/wall.h"
#include "analyze/scan/spanunion.h"

/* -- sets of time of processes -> of ranks and the job, and what they have in
 * common -- */

/* Fill job_time, over, overlap and the time of each rank, whose processes are
 * known, the time of each process and call_union. 0, or -1 with errno. */
int times_make (struct summary *s, struct totals *t);

/* -- main threads of the ranks and what their time went into -- */

/* The lanes while the times are swept. Bill 0 is the cost of I/O of the job,
 * bill 1 + i that of lane i; those of processes that have a part of the job's
 * wall time follow, weighted. */
struct lanes {
    struct summary *s;
    const struct totals *t;
    uint32_t *of;          /* lane + 1 of each process as one who is billed; 0:
                              none; owned */
    uint32_t *helped;      /* the same of each process as one who helps */
    struct spanlog *start; /* of each lane, until its first step; owned */
    struct spanlog *end;   /* of each lane, after its last one; owned */
    struct spanlog *out;   /* of each lane, when the process that trains is not
                              there; owned */
    unsigned char *trains; /* of each process; owned */
    struct lanes_sampled *sampled; /* of each process; owned */
    struct wall wall;
    uint32_t *part; /* bill of the part of each process; 0: none; owned */
    struct spanbill *bill; /* owned */
    size_t bills;
};

/* Faults that were seen one by one become times of their process. 0, or -1
 * (ENOMEM). */
int lanes_add_faults (struct process *p, const struct mm_log *log);

/* Fill the ranks' startup and the summary's start, train and cold; times are
 * known. 0, or -1 with errno. */
int phases_make (struct summary *s, const struct totals *t);
