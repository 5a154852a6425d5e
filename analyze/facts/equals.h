/* SPDX-License-Identifier: MIT
 *
 * equals.h - processes and ranks that should have equal work -> who has more,
 * who is late
 */
#ifndef DFT_ANALYZE_FACTS_EQUALS_H
#define DFT_ANALYZE_FACTS_EQUALS_H

#include "analyze/facts/summary.h"

/* --- equals.c: processes that should have equal work -> who has more --- */

/* One of equal processes: of one program, one parent and the same arguments but
 * for numbers, or ranks of a step, that begin together. */
struct unequal {
    const struct process *who; /* NULL: there is none */
    size_t equals;             /* with it */
    double self_s, next_s; /* what it has, and the one that has next to it */
};

/* Equal children that a process starts and waits for again and again. */
struct pools {
    const struct process *parent; /* NULL: there is none, or it is not traced */
    double sets;                  /* one after another, of two or more */
    double cost_s; /* after the first set: the parent's waits until a child
                      works, and after the last one's work until their end */
};

struct equals {
    struct unequal last; /* that ends last: times from its start until its own
                            end, until that of the one before it */
    struct unequal most; /* that has most time in which it does not wait for
                            others; of those that end together */
    double waited_s; /* that the parent of the latter waits while none of them
                        but it works; below 0: waits are not known */
    double slept_s;  /* by the latter */
    struct pools pools;
};

/* Workers of the processes that train: their children that load data. */
struct workers {
    double lanes; /* processes that train and have workers */
    double waves; /* sets of workers that they started, one after another */
    /* Where there is one set: of the processes that train, the one whose
     * slowest worker has most beyond the next one. */
    double most_s, next_s;
    const struct process *slowest;
    size_t most_of; /* workers of that process */
    /* The most that one of them waits for sets after its first one: until they
     * load, and for the ends of as many loaders; below 0: not known. */
    double restart_s;
};

/* 0, or -1 (ENOMEM). */
int equals_find (struct equals *e,
                 const struct summary *s,
                 const struct totals *t);
int workers_find (struct workers *w,
                  const struct summary *s,
                  const struct totals *t);

/* --- rankwait.c: waits of ranks for each other, and which one is late --- */

/* Ranks that train synchronize inside of their compute regions, as in the
 * backward pass of DistributedDataParallel: a main thread that is blocked
 * there, while no other thread of its process runs, waits for another rank. 0,
 * or -1 (ENOMEM, or the temporary file cannot be read). */
int rankwait_find (struct spanlog to[RANKWAIT_LOGS], const struct process *p);

/* Find the late rank that costs most, of all steps with several ranks. 0, or
 * -1 as above; then there is none. */
int rankwait_late (struct late_rank *late,
                   const struct summary *s,
                   const struct totals *t);

#endif
