/* SPDX-License-Identifier: MIT
 *
 * runtimes.h - time in calls and regions of every run of two sweeps
 */
#ifndef DFT_REPORT_RUNTIMES_H
#define DFT_REPORT_RUNTIMES_H

#include "analyze/report/study/effects.h"

/* A call or a region, over all pairs of runs. */
struct runtime {
    char *layer, *name;  /* owned */
    double sum[2];       /* s, over the paired runs of A and of B */
    struct effect ratio; /* B / A, run by run */
    double p;            /* that it is chance, corrected for all rows (Holm);
                            NaN: fewer than two pairs */
};

struct runtimes {
    struct runtime *row; /* the largest change first */
    size_t count;
    size_t pairs; /* runs of the same point and repeat in both */
};

/* Run r of a is paired with run pair[r] of b, -1: none; runs are rows of
 * runs.csv. Reads DIR/runs/…/trace/tables/{calls,operations}.csv; a run
 * without these tables has no times. 0, or -1 (ENOMEM). */
int runtimes_load (struct runtimes *t,
                   const struct sweepdata *a,
                   const struct sweepdata *b,
                   const long *pair);
void runtimes_clear (struct runtimes *t);

#endif
