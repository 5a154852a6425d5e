/* SPDX-License-Identifier: MIT
 *
 * values.h - distinct values and how often each occurred
 *
 * Most values are small: durations of some microseconds, sizes. When there are
 * enough of them, values from VALUECOUNT_LEAST on have an array of counters;
 * all others are in a hash table. accessvalues: those of reads and writes of a
 * file.
 */
#pragma once

#include "analyze/trace/profrows.h"

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

/* Met so many times more, which is > 0. */
void valuecount_add (struct valuecount *c, uint64_t value, uint64_t times);

/* valuecount_meet for a value without a counter, or with a full one. */
void valuecount_meet_far (struct valuecount *c, uint64_t value);

/* Met once more; in its slot only after valuecount_settle, which whoever reads
 * has to call before. A table that is larger than the caches is filled some
 * values at a time, so that memory is not waited for. */
static inline void valuecount_meet (struct valuecount *c, uint64_t value)
{
    uint64_t at = value - VALUECOUNT_LEAST;

    if (at >= c->lows || c->low[at] == UINT16_MAX) {
        valuecount_meet_far (c, value);
        return;
    }
    c->low[at]++;
}
void valuecount_settle (struct valuecount *c);

/* Add all of another one, which is settled. */
void valuecount_merge (struct valuecount *to, const struct valuecount *from);

/* Value and times of each, by value, of a settled one; *n of these, malloc'd.
 */
struct valuecount_slot *valuecount_sorted (const struct valuecount *c,
                                           size_t *n);

void valuecount_clear (struct valuecount *c);

enum access_way { ACCESS_READ, ACCESS_WRITE, ACCESS_BOTH, ACCESS_WAYS };

enum { ACCESSVALUES_FEW = 4, ACCESSVALUES_MOST = 500 };

struct accessvalues_of {
    struct valuecount_slot few[ACCESSVALUES_FEW]; /* times 0: free */
    struct valuecount *more; /* the others; owned; NULL: there are none */
    uint64_t unknown;        /* calls of which nobody knows the value */
    unsigned bits; /* odd factors of the values have fewer than so many bits;
                      0: all are there */
};

struct accessvalues {
    struct accessvalues_of *way[ACCESS_WAYS]; /* owned; NULL: none */
};

/* Add so many calls, into *f, which is made when it is NULL. */
void accessvalues_add (struct accessvalues **f,
                       enum access_way way,
                       uint64_t bytes,
                       uint64_t times);
void accessvalues_add_unknown (struct accessvalues **f,
                               enum access_way way,
                               uint64_t times);

/* Only values whose odd factor has fewer than so many bits are told apart, in
 * the part of the job that this file is of; 0: all are. */
void accessvalues_bound (struct accessvalues **f,
                         enum access_way way,
                         unsigned bits);

/* Add so many of those that were unknown. */
void accessvalues_learn (struct accessvalues **f,
                         enum access_way way,
                         uint64_t bytes,
                         uint64_t times);

/* Add the sizes that a row of a profile has itself, without its struct
 * profvalue. */
void accessvalues_add_row (struct accessvalues **f,
                           enum access_way way,
                           const struct profrow *row);

/* One more. */
static inline void
accessvalues_meet (struct accessvalues **f, enum access_way way, uint64_t bytes)
{
    struct accessvalues_of *s = *f ? (*f)->way[way] : NULL;

    for (int i = 0; s && i < ACCESSVALUES_FEW; i++)
        if (s->few[i].value == bytes && s->few[i].times) {
            s->few[i].times++;
            return;
        }
    accessvalues_add (f, way, bytes, 1);
}

/* Something is known; s may be NULL. */
static inline int accessvalues_known (const struct accessvalues_of *s)
{
    return s && (s->few[0].times || s->bits);
}

/* Add those of *from, NULL: none. What can be moved is moved, so that *from is
 * of no use but to be freed. */
void accessvalues_merge (struct accessvalues **to, struct accessvalues **from);

/* The value and the times of each, those with the most times first, then the
 * smaller ones; *n of them. malloc'd. */
struct valuecount_slot *accessvalues_sorted (const struct accessvalues_of *s,
                                             size_t *n);

void accessvalues_free (struct accessvalues *f); /* NULL is fine */
