/* SPDX-License-Identifier: MIT
 *
 * mmsampler.h - a thread that looks at the mappings now and then
 *
 * One a process, begun by the thread that maps the first file of some size.
 * It blocks all signals, is detached, holds nothing open, and ends by itself
 * when it costs more than 1 % of a core or is the last thread.
 */
#pragma once

#include <stdint.h>

/* -- a thread that looks at the mappings now and then -- */

/* Remember how the process's counters stand, from which all others count.
 * perf: events are wanted. */
void mmsampler_init (int perf);

/* Begin to watch; does nothing where it has begun. Keeps the signal mask. */
void mmsampler_start (void);
int mmsampler_running (void);

/* A thread that has just appeared. The first event of all is left to the
 * sampler: it may take the kernel milliseconds (it patches its code). */
void mmsampler_watch_self (void);

/* Record mappings that overlap the range (0, UINT64_MAX for all), faults and
 * totals as they are now. With last, nothing follows. Return 0 if not all
 * mappings were seen, since that took too long or another thread was busy with
 * it. */
int mmsampler_look (uint64_t start, uint64_t end, int last);

/* Mappings with this id have been cut or moved: what is there now is where
 * they begin. may: a look may be taken; else the next one is. False: another
 * thread was at it for too long. */
int mmsampler_rebase (uint32_t id, int may);

/* End the thread. wait: until it has ended. */
void mmsampler_stop (int wait);

/* End the thread until the next mapping. Calls that each thread has to make
 * (set*id of libc) or that a process with threads may not make (unshare, setns)
 * must not find ours: libc aborts a program if only some of its threads may
 * make them. */
void mmsampler_pause (void);

/* Around a fork. The thread is between two ticks, with nothing open; where the
 * program would notice it (Python 3.12) it goes away, and comes back half a
 * second after the fork. */
void mmsampler_before_fork (void);
void mmsampler_after_fork (void);

/* Of layer mmap; _forked in each child, whatever its layers. */
void mmsampler_atfork_child (void);
void mmsampler_forked (void);

/* Sample the threads, too (waitsample.h). True if they are from now on; false
 * where there may be no thread of ours now. */
int mmsampler_start_waits (void);

/* Write what was sampled until now; last: and sample no more. */
void mmsampler_end_waits (int last);
