/* SPDX-License-Identifier: MIT
 *
 * mmperf.h - major faults of each thread, as the kernel reports them
 *
 * One perf event and one ring a thread. The event lives as long as its ring
 * is mapped, so no descriptor is held; rings are not inherited by children.
 */
#ifndef DFT_PRELOAD_MMPERF_H
#define DFT_PRELOAD_MMPERF_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/core/record/usage.h"

/* A major fault. */
struct mm_fault {
    uint64_t start, end; /* ns of CLOCK_MONOTONIC; start: asleep for it */
    uint64_t addr;
    uint32_t tid;
};

/* Watch a thread of this process. 0, also when it is watched already; -1 when
 * it cannot be. Any thread, any time. */
int mmperf_watch (pid_t tid);

/* Watch all threads but one. May take milliseconds. One caller at a time. */
void mmperf_watch_all (pid_t except);

/* Forget threads that have ended. One caller at a time, as for the next. */
void mmperf_forget (void);

/* Take faults out of the rings: at most room, those of one thread in their
 * order; returns how many. *fullest: the fullest ring before, in percent.
 * elapsed: ns since the call before; threads that switch too often for their
 * events to be cheap are dropped. */
unsigned mmperf_drain (struct mm_fault *faults,
                       unsigned room,
                       uint64_t elapsed,
                       unsigned *fullest);

/* Bits of enum mm_source; why there are none (errno, or 0); records lost. */
unsigned mmperf_sources (void);
int mmperf_errno (void);
uint64_t mmperf_lost (void);

void mmperf_atfork_child (void);

#endif
