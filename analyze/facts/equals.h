/* SPDX-License-Identifier: MIT
 *
 * equals.h - processes and ranks that should have equal work -> who has more,
 * who is late
 */
#pragma once

#include "analyze/facts/summary.h"

/* --- equals.c: processes that should have equal work -> who has more --- */

void equals_find (struct equals *e,
                  const struct summary *s,
                  const struct totals *t);
void workers_find (struct workers *w,
                   const struct summary *s,
                   const struct totals *t);

/* --- rankwait.c: waits of ranks for each other, and which one is late --- */

/* Ranks that train synchronize inside of their compute regions, as in the
 * backward pass of DistributedDataParallel: a main thread that is blocked
 * there, while no other thread of its process runs, waits for another rank. */
void rankwait_find (struct spanlog to[RANKWAIT_LOGS], const struct process *p);

/* Find the late rank that costs most, of all steps with several ranks. ; then
 * there is none. */
void rankwait_late (struct late_rank *late,
                    const struct summary *s,
                    const struct totals *t);
