/* SPDX-License-Identifier: MIT
 *
 * threadbuf.h - buffers of threads that come and go
 *
 * Private to the recorder. A buffer of events ends with its thread. One that
 * makes a profile waits for the next thread: else a process that goes through
 * threads would take space for each of them.
 */
#ifndef DFT_CORE_THREADBUF_H
#define DFT_CORE_THREADBUF_H

#include "preload/record/tbuf.h"

/* As tbuf_create; profile: of counters, else of events. Thread safe. */
struct tbuf *
threadbuf_take (const struct settings *s, int profile, struct tbuf *wiped);

/* As tbuf_end; last: and of those that wait. NULL is fine. Thread safe. */
void threadbuf_end (struct tbuf *t, int last);

/* In a child of fork: nothing waits. */
void threadbuf_forked (void);

#endif
