/* SPDX-License-Identifier: MIT
 *
 * spanbill.h - times of several classes -> time of each class, so divided that
 *              it adds up
 *
 * An instant belongs to one class only: the first one, by number, that has an
 * interval around it. So a class has what the union of all up to it has more
 * than that of those before it: a bill is a chain of unions, each of which
 * holds the one before.
 */

/* Design. The time of the ranks is divided in the same sweep (spanbill.h).
 * The pass keeps, with the packed times of a call, its row of bill.def and
 * whether its file is on storage; of compute regions it keeps their own
 * time, without the other regions inside them, which a stack of ended
 * regions gives when they end (nest.h; splits of a thread leave the oldest
 * gap to their joining). facts/lanes.c says who is billed (the main thread
 * of a process that trains, else those of a rank) and who helps. The first
 * class in the order of bill_order (lib/model/metric.c) has an instant, so
 * that a class has what the union of all up to it has more than the union of
 * those before it: a bill is a chain of unions, each of which holds the one
 * before. While a class waits for a batch, the first class of the helpers
 * has the instant; that is the difference of four unions (spanbill.c). An
 * instant has one owner, so parts add up. Bill 0 does the same for the job's
 * I/O (costs.def). */

#pragma once

#include <stdint.h>

enum {
    SPANBILL_CLASSES = 32,              /* of the ones that are billed */
    SPANBILL_HELPER = SPANBILL_CLASSES, /* + class: of who helps them */
    SPANBILL_NOBODY = 2 * SPANBILL_CLASSES
};

struct spanbill {
    uint64_t own[SPANBILL_NOBODY];  /* ns, or units of weights; adds up */
    uint64_t all[SPANBILL_CLASSES]; /* ns, the union of each, with unions */
    uint64_t asks; /* bits of classes: while one of them has it, the first
                      class of helpers gets the time, if there is one */
    int unions;    /* all is wanted */
    int weighted;  /* own is weighted (struct span_weights) */
};

/* Which unions a bill is made of. */
struct spanbill_plan {
    uint64_t present; /* bits of classes that have times */
    uint32_t asks;    /* of these, and only where somebody helps */
    uint32_t first;   /* number of its first union */
    int unions;
};

/* For each class that has times, before the rest. */
static inline void spanbill_has (struct spanbill_plan *p, uint32_t class)
{
    p->present |= (uint64_t)1 << class;
}

/* Number the unions from `first` on; how many there are. */
uint32_t spanbill_number (struct spanbill_plan *p,
                          const struct spanbill *bill,
                          uint32_t first);

/* The unions that times of a class belong to: calls add (cookie, union). */
void spanbill_sums (const struct spanbill_plan *p,
                    uint32_t class,
                    void (*add) (void *cookie, uint32_t sum),
                    void *cookie);

/* Add to the bill what the lengths of the unions say. */
void spanbill_put (const struct spanbill_plan *p,
                   const uint64_t *length,
                   struct spanbill *bill);
