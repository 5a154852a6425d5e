/* SPDX-License-Identifier: MIT
 *
 * recbuffer.h - a thread's two buffers, one of events and one of counters
 *
 * Private to the recorder. The one in hand is recorder_self.tbuf; where the
 * process changes from events to counters or back (detailnow.h), the thread
 * takes the other one at the end of its next call.
 */
#pragma once

#include "preload/record/tbuf.h"

/* --- by recorder.c -------------------------------------------------------- */

/* Is this a child of fork that has to begin? */
void recorder_check_fork (void);

/* There is a file: 0, or -1. */
int recorder_have_file (void);

/* How often it was forked: another number is another process. */
unsigned recorder_forks (void);

const struct settings *recorder_settings (void);

/* --- by recbuffer.c ------------------------------------------------------- */

/* The thread ends; last: so does the process. Recorder entered. */
void recbuffer_end (int last);

/* In the child of a fork: nothing is left, but perhaps a page that the kernel
 * has wiped. busy: in a handler of code that goes on. */
void recbuffer_forked (int busy);

/* Around a fork by such a handler. */
void recbuffer_before_fork (void);
void recbuffer_after_fork (void);

/* Nothing is in hand, or what is there is this process's. */
int recbuffer_valid (void);
