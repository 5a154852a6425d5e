/* SPDX-License-Identifier: MIT
 *
 * nest.h - regions of one thread, in the order they end -> what each one
 *          spent in the regions inside it; which ones are outermost
 *
 * A region ends after everything inside it has ended, so a stack of ended
 * regions that have no parent yet is enough. Pure.
 */
#ifndef DFT_ANALYZE_NEST_H
#define DFT_ANALYZE_NEST_H

#include <stddef.h>
#include <stdint.h>

struct nest_region {
    uint64_t start, end; /* ns */
    uint64_t tag;        /* the caller's */
};

/* Ended regions without a parent, by end. All zero is empty. */
struct nest {
    struct nest_region *item; /* owned */
    size_t count, room;
};

/* A region ended. *inside gets the time covered by the regions in it (their
 * union, should they overlap), which leave the stack; the region goes on it.
 * An interval that begins later than this one is in it; one that begins
 * earlier only overlaps and stays. 0 or -1 (ENOMEM). */
int nest_add (struct nest *n,
              uint64_t start,
              uint64_t end,
              uint64_t tag,
              uint64_t *inside);

void nest_clear (struct nest *n); /* keeps errno */

#endif
