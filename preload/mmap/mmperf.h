/* SPDX-License-Identifier: MIT
 *
 * mmperf.h - the faults of each thread that slept, as the kernel reports them
 *
 * A thread is watched wholly while all its faults are reported when they begin
 * and when they end; with major faults only where that would cost too much;
 * not at all where even its context switches are too many. What is given up is
 * tried again after a second, then two, and so on.
 */
#ifndef DFT_PRELOAD_MMPERF_H
#define DFT_PRELOAD_MMPERF_H

#include <stdint.h>
#include <sys/types.h>

#include "preload/record/usage.h"
#include "preload/mmap/mmtrack.h"

/* A thread was watched wholly, and nothing was lost; ns of CLOCK_MONOTONIC. */
struct mm_watched {
    uint64_t start, end;
    uint32_t tid;
};

/* Watch a thread of this process. 0, also when it is watched already; -1 when
 * it cannot be. Any thread, any time. */
int mmperf_watch (pid_t tid);

/* Watch all threads but one. May take milliseconds. One caller at a time. */
void mmperf_watch_all (pid_t except);

/* Take faults out of the rings: at most room, those of one thread in their
 * order; returns how many. Call again while it is room. One caller at a time,
 * as for the next two. last: nothing comes after it. */
unsigned mmperf_drain (struct mm_fault *faults, unsigned room, int last);

/* After the last of these: what the time since the call before showed, of
 * elapsed ns. Threads that have ended are forgotten. may_open: rings may be
 * opened, too. Returns how full the fullest ring was, in percent; 100 after
 * one was opened. */
unsigned mmperf_judge (uint64_t elapsed, int may_open, int last);

/* What mmperf_judge found of the i-th thread: 1, or 0: nothing; -1: that was
 * all. */
int mmperf_watched (unsigned i, struct mm_watched *w);

/* Bits of enum mm_source; why there are none (errno, or 0); records lost. */
unsigned mmperf_sources (void);
int mmperf_errno (void);
uint64_t mmperf_lost (void);

void mmperf_atfork_child (void);

#endif
