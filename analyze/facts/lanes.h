/* SPDX-License-Identifier: MIT
 *
 * lanes.h - main threads of the ranks and what their time went into
 */
#pragma once

#include "analyze/facts/summary.h"
#include "analyze/facts/wall.h"
#include "analyze/scan/spanunion.h"

/* Classes of the bills. */
enum {
    LANES_AWAY,   /* of parts: when others have it */
    LANES_STARTS, /* exact waits for short children: before any estimate */
    LANES_RANKS,  /* waits for other ranks where it seems to compute */
    LANES_ROWS,   /* and more: rows in the order of bill_order */
    LANES_SAMPLED = LANES_ROWS + BILL_COUNT - 2, /* the rest, while sampled */
    LANES_CLASSES
};

/* Estimates of the sampler for a main thread, or for those of a lane, and the
 * kernel's counts. */
struct lanes_sampled {
    struct spanlog log;       /* from its first window to its last one */
    uint64_t row[BILL_COUNT]; /* ns */
    uint64_t told_cpu, told_wait, told_pipe; /* ns, known from events */
    uint64_t sums_wait; /* ns of these that are a sum, behind all calls */
    int windows;        /* its estimates are of windows, else sums */
    int alone;          /* no other thread of the process is known */
    uint64_t cpu, delay, pipe; /* ns, not known from events */
    uint64_t left;             /* ns in which these must have been */
    uint64_t ran, wanted;      /* ns of its other threads: a CPU */
    int gpu;                   /* what is on a CPU may spin for a GPU */
    int gil; /* the main thread waited for Python's: whoever computes has it */
};

/* Times of a process, ns: covered by the events of its main thread, and by
 * those of them that are no sums. */
struct lanes_covered {
    uint64_t all, placed;
};

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

/* A log's charges on the way. */
struct lanes_charged {
    struct span_charge *charge;
    uint32_t n;
};

/* Find the lanes of s, whose ranks are known. ; clear in any case. */
void lanes_open (struct lanes *l, struct summary *s, struct totals *t);
void lanes_clear (struct lanes *l);
uint32_t lanes_class (enum bill row);
void lanes_charge (struct lanes_charged *to, uint32_t bill, uint32_t class);
/* Bill of the part of the process that trains in a lane; 0: nobody does. */
uint32_t lanes_part_of (const struct lanes *l, uint32_t lane);
/* Find the classes to which the times of process i are charged. Return their
 * number. */
uint32_t lanes_charges (const struct lanes *l,
                        size_t i,
                        const struct spans *x,
                        struct span_charge charge[SPAN_CHARGES]);
/* The bills are made: what they say is s's. */
void lanes_put (struct lanes *l);
/* Take in what the kernel counted beside the events of a process. */
void lanes_count (struct lanes_sampled *to,
                  const struct process *p,
                  uint64_t cpus,
                  const struct lanes_covered *covered);
/* Faults that were seen one by one become times of their process. */
void lanes_add_faults (struct process *p, const struct mm_log *log);
