/* SPDX-License-Identifier: MIT
 *
 * summary.h - totals of a job -> ranks and the facts that metrics are made of
 */
#ifndef DFT_ANALYZE_SUMMARY_H
#define DFT_ANALYZE_SUMMARY_H

#include "analyze/load.h"

/* A rank with everything it started: processes of the same step and rank, or,
 * without ranks, a process and its descendants. Times are ns. */
struct rank {
    const struct process *first; /* that started */
    size_t processes;
    uint64_t time[SET_COUNT]; /* length of the union over the processes */
};

/* Over the ranks that have anything of a set. */
struct over_ranks {
    size_t ranks;
    uint64_t max, sum; /* ns */
};

/* What runs beside compute, in ns: intersections of intervals. */
struct overlap {
    unsigned what;            /* bits of enum set */
    uint64_t job, job_common; /* unions over all processes */
    size_t ranks;             /* that have any of it */
    uint64_t sum, common;     /* unions of each rank, added up */
    uint64_t alone_max;       /* without compute, largest of all ranks */
    uint64_t compute_alone_max;
};

enum { OVERLAP_IO, OVERLAP_LOADER, OVERLAP_COUNT };

struct summary {
    struct rank *rank;
    size_t ranks;
    size_t numbered; /* of these: that have a number */
    struct counts n;
    size_t processes, hosts, unfinished;
    unsigned layers;              /* traced in some process */
    uint64_t start, end;          /* ns of CLOCK_REALTIME */
    uint64_t job_time[SET_COUNT]; /* ns, union over all processes */
    struct over_ranks over[SET_COUNT];
    struct overlap overlap[OVERLAP_COUNT];
    /* health */
    size_t files, unreadable, damaged; /* damaged: any loss, unreadable too */
    uint64_t lost;                     /* events, all reasons, at least */
    uint64_t lost_names; /* names of files that could not be kept */
    uint64_t untraced;   /* processes that could not be followed */
    uint64_t rings;      /* io_urings, whose transfers are not recorded */
};

/* 0, or -1 with err (out of memory). t's processes get their rank. */
int summary_make (struct summary *s,
                  struct totals *t,
                  const struct job *job,
                  struct errtext *err);
void summary_clear (struct summary *s);

/* Is anything wrong with this source? */
int source_damaged (const struct source *src, const struct health *h);

#endif
