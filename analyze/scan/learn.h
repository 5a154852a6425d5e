/* SPDX-License-Identifier: MIT
 *
 * learn.h - events of a job -> what neither names nor processes say
 *
 * Checkpoints: a file of kind data or index is a checkpoint if only checkpoint
 * regions write it (on the thread of the region), or if it is renamed to or
 * from one. Main threads: where the first thread of a process has no steps, the
 * main thread is the one that has. Where none has and the first one has less
 * than 1 % of the events, as that of a Java program, it is the one with more
 * than half of them, or else the one that began first (mainthreads.h). Both are
 * known at the end of the events only: who finds something new has to read the
 * job again.
 */
#ifndef DFT_ANALYZE_LEARN_H
#define DFT_ANALYZE_LEARN_H

#include "analyze/scan/pass.h"

struct learn;

/* For one reading of an open pass, which must outlive it. NULL: ENOMEM. */
struct learn *learn_create (const struct pass *pass);
void learn_destroy (struct learn *c); /* NULL is fine, keeps errno */

/* What pass_run wants; it must see all events. */
struct pass_user learn_user (struct learn *c);

/* After the pass, once: add paths of checkpoints to `names` as its keys. 1:
 * there are some that were not among them, 0: none, -1: ENOMEM. */
int learn_checkpoints (struct learn *c, struct strmap *names);

/* After the pass: main[process] becomes the number of its main thread. 1: one
 * of them is not the first thread, 0: none, -1: ENOMEM. */
int learn_main_threads (const struct learn *c, uint32_t *main);

#endif
