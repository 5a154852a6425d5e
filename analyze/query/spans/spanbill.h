/* SPDX-License-Identifier: MIT
 *
 * spanbill.h - intervals of several classes, by their start -> time of each
 *              class, so divided that it adds up
 *
 * An instant belongs to one class only: the first one, by number, that has an
 * interval around it. The result does not depend on the order of intervals
 * that begin at the same time, and that of two pieces of the time is the sum
 * of theirs.
 */
#ifndef DFT_ANALYZE_SPANBILL_H
#define DFT_ANALYZE_SPANBILL_H

#include <stdint.h>

enum {
    SPANBILL_CLASSES = 16,              /* of the ones that are billed */
    SPANBILL_HELPER = SPANBILL_CLASSES, /* + class: of who helps them */
    SPANBILL_NOBODY = 2 * SPANBILL_CLASSES
};

struct spanbill {
    uint64_t own[SPANBILL_NOBODY]; /* ns; adds up */
    uint64_t all[SPANBILL_NOBODY]; /* ns, the union of each class */
    uint64_t asks; /* bits of classes: while one of them has it, the first
                      class of helpers gets the time, if there is one */
};

#define SPANBILL_BILLED ((1u << SPANBILL_HELPER) - 1) /* bits of classes */

/* A bill on its way. */
struct spanbill_sweep {
    struct spanbill bill;
    uint64_t now;                      /* all before it is divided */
    uint64_t end[SPANBILL_NOBODY + 1]; /* of each class; the last is 0 */
    uint32_t running;                  /* bits of classes that may be */
    uint32_t first; /* has what follows now, until its end; or NOBODY */
};

static inline void spanbill_begin (struct spanbill_sweep *s, uint64_t asks)
{
    s->bill.asks = asks;
    s->first = SPANBILL_NOBODY;
}

/* What it is until `start`, up to which all intervals have been put, while
 * somebody may help. */
void spanbill_divide (struct spanbill_sweep *s, uint64_t start);

/* The same. Most often nobody asks for help: each class that runs then has the
 * time until its end, the first one first. */
static inline void spanbill_advance (struct spanbill_sweep *s, uint64_t start)
{
    uint32_t helpers = s->running & ~SPANBILL_BILLED;
    uint32_t left = s->running & SPANBILL_BILLED;
    uint64_t now = s->now;

    if (helpers && left & s->bill.asks) {
        spanbill_divide (s, start);
        return;
    }
    s->now = start;
    s->first = SPANBILL_NOBODY;
    for (; left; left &= left - 1) {
        uint32_t class = (uint32_t)__builtin_ctz (left);
        uint64_t end = s->end[class], to = end < start ? end : start;

        s->bill.own[class] += to > now ? to - now : 0;
        now = to > now ? to : now;
        if (end > start) {
            s->first = class;
            break;
        }
    }
    s->running = helpers | left;
}

/* Of the class, or SPANBILL_HELPER + class. start is not before that of any
 * interval put before. What only goes on changes nobody's part. */
static inline void spanbill_put (struct spanbill_sweep *s,
                                 uint32_t class,
                                 uint64_t start,
                                 uint64_t end)
{
    uint64_t until = s->end[class], from = start > until ? start : until;

    if (end <= until) /* its class runs beyond it: nothing changes */
        return;
    if (class < s->first || start > s->end[s->first] ||
        s->bill.asks >> s->first & 1)
        spanbill_advance (s, start);
    s->bill.all[class] += end - from;
    s->end[class] = end;
    s->running |= 1u << class;
    if (class < s->first && class < SPANBILL_HELPER)
        s->first = class;
}

/* Add what another piece of the time has. */
void spanbill_add (struct spanbill *to, const struct spanbill *more);

#endif
