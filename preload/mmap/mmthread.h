/* SPDX-License-Identifier: MIT
 *
 * mmthread.h - a thread of our own in the program
 *
 * At most one at a time. It blocks all signals and is detached.
 */
#ifndef DFT_PRELOAD_MMTHREAD_H
#define DFT_PRELOAD_MMTHREAD_H

#include <stdint.h>

/* Begin one that calls run and ends. 0 or -1. Keeps the signal mask. */
int mmthread_start (void (*run) (void));

/* Wait until the kernel has no such thread any more, 2 s at most: then libc
 * does not count it either. */
void mmthread_wait (void);

/* In the thread: sleep as long as *word has this value, ms at most. */
void mmthread_sleep (const uint32_t *word, uint32_t value, uint64_t ms);
void mmthread_wake (uint32_t *word);

/* True where the main thread has ended, and there is none beside the caller. */
int mmthread_is_alone (void);

void mmthread_atfork_child (void);

#endif
