/* SPDX-License-Identifier: MIT
 *
 * interval.h - sets of time, exactly: union, intersection, length
 */
#ifndef DFT_ANALYZE_INTERVAL_H
#define DFT_ANALYZE_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

/* [start, end); ns */
struct interval {
    uint64_t start, end;
};

/* Sorted, disjoint, none empty. All zero is the empty set. */
struct intervals {
    struct interval *item; /* owned */
    size_t count, room;
};

/* Add [start, end). In the order in which one thread's events end it is
 * amortized O(1); any other order is right, too, but slow. An empty or
 * inverted interval adds nothing. 0, or -1 (ENOMEM), the set then unchanged.
 */
int intervals_add (struct intervals *set, uint64_t start, uint64_t end);

/* *out = union of `count` sets; out may be none of them and is overwritten
 * (the caller frees what it held). The sets stay the caller's.
 * 0, or -1 (ENOMEM), out is then empty. */
int intervals_union (struct intervals *out,
                     const struct intervals *const *sets,
                     size_t count);

/* Length of a set, and of what two sets have in common. */
uint64_t intervals_length (const struct intervals *set);
uint64_t intervals_common (const struct intervals *a,
                           const struct intervals *b);

/* Free the items; the set is then empty. Keeps errno. */
void intervals_clear (struct intervals *set);

#endif
