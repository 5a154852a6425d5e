/* SPDX-License-Identifier: MIT
 *
 * aside.h - calls after which a system call of ours could end the program
 *
 * seccomp (strict, or a filter that kills), and a time stamp counter that must
 * not be read. The process is traced up to there; from then on nothing of ours
 * makes a system call or looks at the clock, in it and in the children that it
 * forks, and programs that it starts are started without us. That is counted
 * and said: an event trace_stopped, a line of shards/processes.HOST.
 */
#pragma once

#include <linux/filter.h>

/* -- calls after which a system call of ours could end the program -- */

/* Before prctl and seccomp, with their arguments: true when we have stepped
 * aside. Keeps errno. */
int aside_prctl (int option, unsigned long mode, unsigned long filter);
int aside_seccomp (unsigned operation,
                   unsigned long flags,
                   unsigned long filter);

/* After such a call, if we have: it was refused (rc < 0), so that we go on.
 * Keeps errno. */
void aside_done (long rc);

/* -- a seccomp filter -> does it let our system calls be? -- */

/* Whether a filter answers system call `number` of this machine with nothing
 * but allow, log, trace or an errno, whatever its arguments are. 0 also where
 * that cannot be found out. The filter must be readable. Async-signal-safe;
 * up to 6 KiB of stack. */
int bpf_spares (const struct sock_fprog *filter, unsigned number);

/* -- wait until the other threads have left our code -- */

/* Until each of them sleeps, or has run for a while; at most 200 ms. May change
 * errno. */
void others_wait (void);
