/* SPDX-License-Identifier: MIT
 *
 * counted.h - what the kernel has counted of a process, beside what was left
 *             out of its trace
 *
 * In:  /proc/self/io at the start of a program, at its end and before an exec;
 *      sums.h
 * Out: a line `traced` of JOBDIR/shards/processes.HOST (doc/trace-format.md)
 *
 * The line of a process that recorded nothing says so, as evidence that it was
 * traced. A process that is killed leaves no line; where the kernel refuses the
 * file, there is no count in it.
 */
#ifndef DFT_PRELOAD_COUNTED_H
#define DFT_PRELOAD_COUNTED_H

#include <stdint.h>

#include "lib/settings/settings.h"

/* A program begins, in the constructor. s must stay. */
void counted_start (const struct settings *s);

/* In a child of fork, when it begins. */
void counted_forked (void);

/* A child is about to be waited for, in a process that has begun: from then on
 * the kernel's count has its bytes, too, and threads that end are counted one
 * by one. Keeps errno. */
void counted_waits (void);

/* This thread ends; once more, where it was active after that. */
void counted_thread_ended (void);

/* At the orderly end of a process that has begun, before the recorder's: it has
 * recorded nothing, and lost nothing. */
int counted_quiet (void);

/* Its end, once nothing is recorded any more; late: bytes that libc will write
 * after that. Before an exec: the same line comes once more where that fails.
 * Keep errno. */
void counted_exit (uint64_t late, int quiet);
void counted_exec (void);

#endif
