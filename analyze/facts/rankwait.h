/* SPDX-License-Identifier: MIT
 *
 * rankwait.h - waits of ranks for each other, and the one that comes late
 */
#ifndef DFT_FACTS_RANKWAIT_H
#define DFT_FACTS_RANKWAIT_H

#include "analyze/facts/summary.h"

/* Ranks that train synchronize inside of their compute regions, as in the
 * backward pass of DistributedDataParallel: a main thread that is blocked
 * there, while no other thread of its process runs, waits for another rank. 0,
 * or -1 (ENOMEM, or the temporary file cannot be read). */
int rankwait_find (struct spanlog to[RANKWAIT_LOGS], const struct process *p);

/* Find the late rank that costs most, of all steps with several ranks. 0, or
 * -1 as above; then there is none. */
int rankwait_late (struct late_rank *late,
                   const struct summary *s,
                   const struct totals *t);

#endif
