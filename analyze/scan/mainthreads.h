/* SPDX-License-Identifier: MIT
 *
 * mainthreads.h - what threads do -> which one is the main thread (for learn.c)
 */
#ifndef DFT_ANALYZE_MAINTHREADS_H
#define DFT_ANALYZE_MAINTHREADS_H

#include "analyze/scan/pass.h"
#include "lib/util/pool.h"

/* What a piece of a pass has of its thread. */
struct mainthread_piece {
    uint64_t steps;  /* regions that compute, or are the body of a loop */
    uint64_t stalls; /* regions that wait for a batch */
    uint64_t events;
    uint64_t start;         /* of the first of these, ns of CLOCK_REALTIME */
    char apart[POOL_APART]; /* from the next one */
};

/* main[process] becomes the number of its main thread: of the first one, if it
 * has steps or waits for batches; else of the one with the most steps. Where
 * there are none, of the first one as well, unless it has less than 1 % of the
 * events: then of the one that has more than half of them, or else of the one
 * that began first, since those of a pool are alike. 1: one of them is not the
 * first thread, 0: none, -1: ENOMEM. */
int mainthreads_find (const struct pass *p,
                      const struct mainthread_piece *piece,
                      uint32_t *main);

#endif
