/* SPDX-License-Identifier: MIT
 *
 * times.h - sets of time of processes -> of ranks and the job, and what they
 *           have in common
 */
#ifndef DFT_ANALYZE_TIMES_H
#define DFT_ANALYZE_TIMES_H

#include "analyze/facts/summary.h"

/* Fill job_time, over, overlap and the time of each rank, whose processes are
 * known, the time of each process and call_union. 0, or -1 with errno. */
int times_make (struct summary *s, struct totals *t);

#endif
