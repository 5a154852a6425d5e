/* SPDX-License-Identifier: MIT
 *
 * valuecount.h - different values -> how often each of them was met
 *
 * Most values are small: durations of some microseconds, sizes. So where
 * enough of them are there, those from VALUECOUNT_LEAST on are counters side
 * by side; all others are in a table of slots.
 */
#ifndef DFT_ANALYZE_VALUECOUNT_H
#define DFT_ANALYZE_VALUECOUNT_H

#include <stddef.h>
#include <stdint.h>

#define VALUECOUNT_LEAST ((uint64_t)1 << 63) /* 0 as numbers.c writes it */

struct valuecount_slot {
    uint64_t value, times; /* times 0: empty */
};

/* All zero is empty. What does not fit a counter is in a slot, so a value may
 * be in both. */
struct valuecount {
    struct valuecount_slot *slot; /* owned; a power of two of them */
    size_t slots, count;          /* count: of those that are used */
    uint16_t *low;                /* times of VALUECOUNT_LEAST + i; owned */
    size_t lows;
    uint64_t *waiting; /* met, but not in a slot yet; owned */
    unsigned waitings;
};

/* Met so many times more, which is > 0. 0, or -1 (ENOMEM). */
int valuecount_add (struct valuecount *c, uint64_t value, uint64_t times);

/* valuecount_meet for a value without a counter, or with a full one. */
int valuecount_meet_far (struct valuecount *c, uint64_t value);

/* Met once more; in its slot only after valuecount_settle, which whoever reads
 * has to call before. A table that is larger than the caches is filled some
 * values at a time, so that memory is not waited for. 0, or -1. */
static inline int valuecount_meet (struct valuecount *c, uint64_t value)
{
    uint64_t at = value - VALUECOUNT_LEAST;

    if (at >= c->lows || c->low[at] == UINT16_MAX)
        return valuecount_meet_far (c, value);
    c->low[at]++;
    return 0;
}
int valuecount_settle (struct valuecount *c);

/* Add all of another one, which is settled. 0, or -1 (ENOMEM). */
int valuecount_merge (struct valuecount *to, const struct valuecount *from);

/* Value and times of each, by value, of a settled one; *n of these pairs.
 * malloc'd; NULL: ENOMEM. */
uint64_t *valuecount_sorted (const struct valuecount *c, size_t *n);

void valuecount_clear (struct valuecount *c); /* keeps errno */

#endif
