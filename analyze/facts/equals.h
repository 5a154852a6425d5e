/* SPDX-License-Identifier: MIT
 *
 * equals.h - processes and ranks that should have equal work -> who has more,
 * who is late
 */
#pragma once

#include "analyze/facts/summary.h"

/* --- rankwait.c: times of a process, or logs of times --- */

typedef int spans_are_fn (const struct spans *x);

/* The times of a process that are such ones, sorted and disjoint; to be
 * cleared. */
void spans_gather (struct intervals *to,
                   const struct process *p,
                   spans_are_fn *are);

/* Logs of times; all zero is empty. */
struct span_logs {
    const struct spanlog **log; /* to be freed; the logs are others' */
    size_t n, room;
};

/* Add the logs of a process that are such ones; NULL: all. */
void spanlogs_add (struct span_logs *to,
                   const struct process *p,
                   spans_are_fn *are);

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
