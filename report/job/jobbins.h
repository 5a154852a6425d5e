/* SPDX-License-Identifier: MIT
 *
 * jobbins.h - stretches of time -> shares of bins; pure
 */
#ifndef DFT_REPORT_JOBBINS_H
#define DFT_REPORT_JOBBINS_H

#include "report/job/jobscan.h"

enum { STRETCHES_MAX = 1024 };

/* Stretches of a lane in one chunk, outermost ones only: a thread's events
 * come in the order of their ends, so a region follows what is inside it. */
struct stretch {
    uint64_t from, to;
};
struct stretches {
    struct stretch item[STRETCHES_MAX];
    size_t n;
};

uint64_t bins_clamp (const struct jobscan *s, uint64_t t);

/* Add from…to to what is open; write what is open into the process' bins. */
void bins_lane (const struct jobscan *s,
                struct scan_process *p,
                struct stretches *l,
                size_t lane,
                uint64_t from,
                uint64_t to);
void bins_flush (const struct jobscan *s,
                 struct scan_process *p,
                 struct stretches *l,
                 size_t lane);

/* Spread bytes evenly over from…to. */
void bins_bytes (const struct jobscan *s,
                 struct scan_process *p,
                 int written,
                 uint64_t from,
                 uint64_t to,
                 uint64_t bytes);

/* Count a transfer in the bin in which it ended. */
void bins_ended (struct jobscan *s, int written, uint64_t to, uint64_t bytes);

#endif
