/* SPDX-License-Identifier: MIT
 *
 * wall.h - lives of processes -> who has the job's wall time at each instant
 */

/* Design. Each instant of the job is shared by the main threads that have a
 * part in it, in equal parts; what a thread has of its part is in lanes.c. A
 * family is a rank of the summary: the processes of one rank of a step, or a
 * process and all that came from it. At an instant
 * - of a family in which processes train, these have a part, and what the
 *   others do is charged to them while they wait for it;
 * - else those that do something, if there is one;
 * - else those that wait for another process or thread.
 * A main thread that waits for another one while others of its process are at
 * work is at work: the instant is theirs (wall_does).
 * A process that waits while it has children that are alive is its children,
 * and one that sits in one wait for nearly all of its life idles: both have a
 * part only where nobody else has, the first ones last. Of a process without
 * wait events nobody knows when it waits: it is its children while it has
 * some, unless it is at work itself.
 * A clock that runs at 1 / n of the time while n have a part (struct
 * span_weights) makes this exact, and as cheap as the times of a rank: an
 * interval of a thread is worth what the clock says at its end less what it
 * said at its start. */

#pragma once

#include "analyze/facts/summary.h"
#include "analyze/scan/spanunion.h"

struct wall {
    struct span_weights weights; /* 1 / n; owned */
    int shared;                  /* n is more than 1 at some time */
    uint64_t covered; /* ns in which somebody has a part, or a process was there
                         that recorded nothing */
    struct spanlog
        *away; /* of each process: when others have its part; owned */
    struct spanlog *spawn; /* of each process: from the exec to its start;
                              owned */
    unsigned char *brief;  /* of each process: little but its start; owned */
};

/* Find who has a part; processes have their rank. trains: of each process,
 * whether it trains. ; wall_close in any case. */
void wall_open (struct wall *w,
                const struct summary *s,
                struct totals *t,
                const unsigned char *trains);
/* The part that a process has of the job's time, in units of the weights; ns
 * where they are not needed. 0, or -1 (the temporary file cannot be read). */
void wall_part (const struct wall *w,
                const struct totals *t,
                size_t process,
                uint64_t *part);

/* Return 1 if a log is work of another thread for which the main thread waits
 * at a lock or a pipe. gil: whether that waits for Python's lock, whose owner
 * computes. */
int wall_does (const struct spans *x, int gil);
/* Of these: it computes, or wants a CPU. */
int wall_computes (const struct spans *x);
/* Return 1 if at least half of what its main thread waits for locks is for
 * Python's. */
int wall_gil (const struct process *p);

/* Return 1 if a process never has a part. */
int wall_is_away (const struct wall *w, const struct totals *t, size_t process);

void wall_close (struct wall *w, const struct totals *t);
