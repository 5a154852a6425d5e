/* SPDX-License-Identifier: MIT
 *
 * ownthread.h - a thread of our own in the program
 *
 * One a process, of which all signals are blocked, on a stack of ours. Libc
 * makes calls on users and groups in each thread, and aborts the program if
 * only some of its threads may make them; a process that has threads may not
 * change some namespaces. So no launcher and no program with rights of its own
 * has one, and it ends before such a call.
 */
#pragma once

#include <stdint.h>

/* May there be one now? Not in launchers, nor where the process has other
 * rights than its user, nor within 0.5 s after a pause, nor after eight.
 * Keeps errno. */
int ownthread_may (void);

/* It was paused, by a call that must not find it. often: such a call may come
 * again and again, and is not counted. */
void ownthread_rest (int often);

/* The program is a Python that warns at a fork where there are threads: 3.12
 * and later, or of no known version. */
int ownthread_is_noticed (void);

/* Begin one that calls run and ends. 0 or -1. Keeps the signal mask. */
int ownthread_start (void (*run) (void));

/* Wait until the kernel has no such thread any more, 2 s at most: then libc
 * does not count it either. */
void ownthread_wait (void);

/* In the thread: sleep as long as *word has this value, ms at most. */
void ownthread_sleep (const uint32_t *word, uint32_t value, uint64_t ms);
void ownthread_wake (uint32_t *word);

/* True where the main thread has ended, and there is none beside the caller. */
int ownthread_is_alone (void);

void ownthread_atfork_child (void);
