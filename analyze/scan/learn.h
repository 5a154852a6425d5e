/* SPDX-License-Identifier: MIT
 *
 * learn.h - events of a job -> checkpoint files and main threads
 *
 * A file of kind data or index is a checkpoint if only checkpoint regions write
 * it (on the thread of the region), or if it is renamed to or from one. If the
 * first thread of a process has no steps, the thread that has steps is the main
 * thread. If no thread has steps and the first one has less than 1 % of the
 * events, as in a Java program, it is the thread with more than half of the
 * events, or else the one that began first. Both are known only at the end of
 * the events, so a caller that learns something new reads the job again.
 */

/* Design. What only the events say (analyze/scan/learn.h): a file is a
 * checkpoint if only checkpoint regions write it, and the main thread of a
 * process is the one that runs the steps. Both are known when all events
 * have been read. So the first reading finds them, and where there is
 * something to know, the job is read once more with that known
 * (totals_load); the paths stay with the job for all later readings. */

#pragma once

#include "analyze/scan/pass.h"
#include "lib/util/pool.h"

/* Facts about a thread from one split of a pass. */
struct mainthread_split {
    uint64_t steps;     /* regions that compute, or are the body of a loop */
    uint64_t stalls;    /* regions that wait for a batch */
    uint64_t events;    /* calls and regions, no waits */
    uint64_t start;     /* of the first of these, ns of CLOCK_REALTIME */
    uint64_t ran, told; /* ns of waits of the process's first thread: on a CPU
                           or in want of one, all of them */
    char apart[POOL_APART]; /* from the next one */
};

enum ckptwrite_mark {
    CKPTWRITE_INSIDE = 1, /* a checkpoint region writes the file */
    CKPTWRITE_OUTSIDE = 2 /* something else does */
};

/* Writes of a file that no checkpoint region was around yet: ns. */
struct ckptwrite {
    uint32_t number; /* dictionary; 0: taken off */
    uint64_t first, last;
};

struct ckptwrites {
    struct ckptwrite *item; /* owned; by last */
    size_t count, room;
};

struct learn;

/* For one reading of an open pass, which must outlive it. */
struct learn *learn_create (const struct pass *pass);
void learn_destroy (struct learn *c); /* NULL is fine */

/* User for pass_run; it must see all events. */
struct pass_user learn_user (struct learn *c);

/* After the pass, once: add paths of checkpoints to `names` as its keys. 1:
 * there are some that were not among them, 0: none. */
int learn_checkpoints (struct learn *c, struct strmap *names);

/* After the pass: main[process] becomes the number of its main thread. 1: one
 * of them is not the first thread, 0: none. */
int learn_main_threads (const struct learn *c, uint32_t *main);
