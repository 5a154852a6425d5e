/* SPDX-License-Identifier: MIT
 *
 * densebits.h - a column of numbers <-> few bits for each (private to those who
 * read and write dense records)
 *
 * A column is its smallest number, a shift, and groups of at most 64: what a
 * number is above the smallest, shifted right, takes the low `width` bits of
 * it; the few that need more say the rest behind the group.
 */
#ifndef DFT_CORE_DENSEBITS_H
#define DFT_CORE_DENSEBITS_H

#include <stddef.h>
#include <stdint.h>

enum {
    DENSE_GROUP = 64,
    /* head of a column; a group: width, exceptions, bits, and these */
    DENSE_COLUMN_MAX = 11,
    DENSE_GROUP_MAX = 2 + 8 * DENSE_GROUP + 11 * DENSE_GROUP
};

/* Write n numbers at p, which has room for DENSE_COLUMN_MAX and for each group
 * DENSE_GROUP_MAX. Returns the byte behind them. */
unsigned char *dense_put (unsigned char *p, const uint64_t *value, size_t n);

/* A column being read; zero it, then set p, limit and left (numbers). */
struct dense_column {
    const unsigned char *p, *limit;
    size_t left; /* that are not at hand */
    uint64_t least;
    unsigned shift;
    int begun;
    unsigned at, count; /* of value */
    uint64_t value[DENSE_GROUP];
};

/* Unpack the next group: *n numbers, at most DENSE_GROUP. 0, or -1: there is
 * none, or it makes no sense (*n is then 0). */
int dense_unpack (struct dense_column *c, uint64_t *value, unsigned *n);

/* Unpack the next group into c, for dense_next. */
int dense_fill (struct dense_column *c);

static inline int dense_next (struct dense_column *c, uint64_t *out)
{
    if (c->at == c->count && dense_fill (c) < 0)
        return -1;
    *out = c->value[c->at++];
    return 0;
}

#endif
