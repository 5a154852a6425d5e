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
#ifndef DFT_PRELOAD_ASIDE_H
#define DFT_PRELOAD_ASIDE_H

/* Before prctl and seccomp, with their arguments: true when we have stepped
 * aside. Keeps errno. */
int aside_prctl (int option, unsigned long mode, unsigned long filter);
int aside_seccomp (unsigned operation,
                   unsigned long flags,
                   unsigned long filter);

/* After such a call, if we have: it was refused (rc < 0), so that we go on.
 * Keeps errno. */
void aside_done (long rc);

#endif
