/* SPDX-License-Identifier: MIT
 *
 * waitsample.h - samples of the threads of this process -> events of category
 *                WAIT
 *
 * In:  CPU clocks of threads; schedstat and syscall of /proc/self/task/TID
 * Out: wait_run, wait_runq, wait_lock, … of other threads, flag estimate
 *
 * The time of a thread is divided window by window: what its CPU clock says, it
 * ran; by what its run delay grew, it wanted a processor; the rest it was
 * blocked, and only that is divided by samples. One caller at a time.
 */
#pragma once

#include <stdint.h>

enum { WAITSAMPLE_MS = 20 };

/* Begin to watch: windows start now. 0, or -1: no memory. */
int waitsample_begin (void);

/* Before it begins for the first time: from `since` on nothing was told of the
 * process's threads but of the main one: of this for the last ns `told`, and
 * its calls that waited for ns `waited`. */
void waitsample_earlier (uint64_t since, uint64_t told, uint64_t waited);

/* The main thread, which asks, was in one wait from `start` (CLOCK_MONOTONIC)
 * until after the sampler began. 1 where that has been told as what it was
 * blocked at before; else 0, and it is not told again. */
int waitsample_tells (uint64_t start);

/* Take a sample; except: our own thread. */
void waitsample_tick (uint32_t except);

/* Write what is left; nothing more is sampled before waitsample_begin. */
void waitsample_end (int last);

/* The run delay and CPU time of a thread when they were last read, and when
 * that was (ns). 0: not known. From any thread. */
int waitsample_delay (uint32_t tid,
                      uint64_t *delay,
                      uint64_t *cpu,
                      uint64_t *at);

/* In a child of fork. */
void waitsample_forked (void);

/* ---- what a blocked thread is at ---- */

/* Look at the mappings of the process anew, if the last look is old. */
void waitmaps_look (uint64_t now);
int waitmaps_is_gil (uint64_t address);
/* The first word of the stack that lies in a library other than libc. */
uint32_t waitmaps_under (uint64_t stack);
/* "held by thread TID"; 0: there are too many texts. */
uint32_t waitmaps_held (uint32_t tid);
