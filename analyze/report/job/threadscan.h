/* SPDX-License-Identifier: MIT
 *
 * threadscan.h - the events of one thread -> when it was at what (private to
 *                jobscan.c)
 */
#ifndef DFT_REPORT_THREADSCAN_H
#define DFT_REPORT_THREADSCAN_H

#include "analyze/report/job/jobscan.h"
#include "analyze/trace/batch.h"

/* One worker's. */
struct threadscan {
    const struct bins *bins;
    const struct dict *dict;
    struct scan_sums *sums;
    struct place_seen *place; /* by number of the dictionary; owned */
    size_t places;
    uint64_t chunk; /* how many have begun */
    /* of the thread at hand */
    struct lanetime lane[LANE_FAULT];
    uint64_t bytes[2][BINS];
    uint64_t class_ns[SCAN_CLASSES];
    int moved;           /* something is in bytes */
    size_t steps, first; /* kept steps of the thread, in sums from first on */
    size_t every, skip;  /* every so many are kept; to be left out */
};

/* 0, or -1 (ENOMEM). */
int threadscan_batch (struct threadscan *t, const struct batch *b);
/* Add what the thread did to its process, and begin anew. */
void threadscan_end (struct threadscan *t, struct scan_process *p);
void threadscan_begin (struct threadscan *t);
void threadscan_clear (struct threadscan *t);

#endif
