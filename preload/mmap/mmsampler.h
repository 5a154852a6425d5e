/* SPDX-License-Identifier: MIT
 *
 * mmsampler.h - a thread that looks at the mappings now and then
 *
 * One a process, begun by the thread that maps the first file of some size.
 * It blocks all signals, is detached, holds nothing open, and ends by itself
 * when it costs more than 1 % of a core or is the last thread.
 */
#ifndef DFT_PRELOAD_MMSAMPLER_H
#define DFT_PRELOAD_MMSAMPLER_H

#include <stdint.h>

/* Remember how the process's counters stand, from which all others count.
 * perf: events are wanted. */
void mmsampler_init (int perf);

/* Begin to watch; does nothing where it has begun. Keeps the signal mask. */
void mmsampler_start (void);
int mmsampler_running (void);

/* A thread that has just appeared. The first event of all is left to the
 * sampler: it may take the kernel milliseconds (it patches its code). */
void mmsampler_watch_self (void);

/* What there is, now: mappings that overlap the range (0, UINT64_MAX: all),
 * faults, totals. last: there will be nothing after it. False: not all of these
 * mappings was seen, because that took too long or another thread was at it for
 * too long. */
int mmsampler_look (uint64_t start, uint64_t end, int last);

/* Mappings with this id have been cut or moved: what is there now is where
 * they begin. may: a look may be taken; else the next one is. False: another
 * thread was at it for too long. */
int mmsampler_rebase (uint32_t id, int may);

/* End the thread. wait: until it has ended. */
void mmsampler_stop (int wait);

/* The same, until the next mapping. What each thread has to do (set*id of libc)
 * and what a process with threads may not do (unshare, setns) must not find
 * ours: libc aborts a program of whose threads some may and some may not. */
void mmsampler_pause (void);

void mmsampler_atfork_child (void);

#endif
