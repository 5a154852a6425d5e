/* SPDX-License-Identifier: MIT
 *
 * valuecount.h - different values -> how often each of them was met
 */
#ifndef DFT_ANALYZE_VALUECOUNT_H
#define DFT_ANALYZE_VALUECOUNT_H

#include <stddef.h>
#include <stdint.h>

struct valuecount_slot {
    uint64_t value, times; /* times 0: empty */
};

/* All zero is empty. */
struct valuecount {
    struct valuecount_slot *slot; /* owned; a power of two of them */
    size_t slots, count;          /* count: values */
    uint64_t *waiting;            /* met, but not in a slot yet; owned */
    unsigned waitings;
};

/* Met so many times more, which is > 0. 0, or -1 (ENOMEM). */
int valuecount_add (struct valuecount *c, uint64_t value, uint64_t times);

/* Met once more; in its slot only after valuecount_settle, which whoever reads
 * the slots has to call before. A table that is larger than the caches is
 * filled some values at a time, so that memory is not waited for. 0, or -1. */
int valuecount_meet (struct valuecount *c, uint64_t value);
int valuecount_settle (struct valuecount *c);

void valuecount_clear (struct valuecount *c); /* keeps errno */

#endif
