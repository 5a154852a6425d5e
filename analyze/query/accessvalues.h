/* SPDX-License-Identifier: MIT
 *
 * accessvalues.h - a size, or a stride, of accesses to a file -> how often
 *
 * Of reads and of writes that did not fail, of libc, each for itself; of both
 * together where a source does not tell them apart. Each count is exact. Most
 * files have few values: those are looked for one by one.
 *
 * The reads, or the writes, of a file have ACCESSVALUES_MOST different values
 * at most. Where there are more, the round ones stay, which programs choose:
 * those whose odd factor is below a power of two, the largest one that leaves
 * no more than that many. So what stays depends on the set of values only, not
 * on their order, nor on which thread counts which of them. The others are
 * unknown.
 */
#ifndef DFT_ANALYZE_ACCESSVALUES_H
#define DFT_ANALYZE_ACCESSVALUES_H

#include "analyze/query/valuecount.h"
#include "analyze/trace/profrows.h"

enum access_way { ACCESS_READ, ACCESS_WRITE, ACCESS_BOTH, ACCESS_WAYS };

enum { ACCESSVALUES_FEW = 4, ACCESSVALUES_MOST = 500 };

struct accessvalues_of {
    struct valuecount_slot few[ACCESSVALUES_FEW]; /* times 0: free */
    struct valuecount *more; /* values plus VALUECOUNT_LEAST, none of few;
                                owned; NULL: there are none */
    uint64_t unknown;        /* calls of which nobody knows the value */
    unsigned bits; /* odd factors of the values have fewer than so many bits;
                      0: all are there */
};

struct accessvalues {
    struct accessvalues_of *way[ACCESS_WAYS]; /* owned; NULL: none */
};

/* Add so many calls, into *f, which is made when it is NULL. 0, or -1
 * (ENOMEM). */
int accessvalues_add (struct accessvalues **f,
                      enum access_way way,
                      uint64_t bytes,
                      uint64_t times);
int accessvalues_add_unknown (struct accessvalues **f,
                              enum access_way way,
                              uint64_t times);

/* Only values whose odd factor has fewer than so many bits are told apart, in
 * the part of the job that this file is of; 0: all are. 0, or -1 (ENOMEM). */
int accessvalues_bound (struct accessvalues **f,
                        enum access_way way,
                        unsigned bits);

/* Add so many of those that were unknown. */
int accessvalues_learn (struct accessvalues **f,
                        enum access_way way,
                        uint64_t bytes,
                        uint64_t times);

/* What a row of a profile says itself of its sizes, without its struct
 * profvalue. */
int accessvalues_add_row (struct accessvalues **f,
                          enum access_way way,
                          const struct profrow *row);

/* One more. */
static inline int
accessvalues_meet (struct accessvalues **f, enum access_way way, uint64_t bytes)
{
    struct accessvalues_of *s = *f ? (*f)->way[way] : NULL;

    for (int i = 0; s && i < ACCESSVALUES_FEW; i++)
        if (s->few[i].value == bytes && s->few[i].times) {
            s->few[i].times++;
            return 0;
        }
    return accessvalues_add (f, way, bytes, 1);
}

/* Something is known; s may be NULL. */
static inline int accessvalues_known (const struct accessvalues_of *s)
{
    return s && (s->few[0].times || s->bits);
}

/* Add those of *from, NULL: none. What can be moved is moved, so that *from is
 * of no use but to be freed. 0, or -1 (ENOMEM). */
int accessvalues_merge (struct accessvalues **to, struct accessvalues **from);

/* The value and the times of each, those with the most times first, then the
 * smaller ones; *n of them. malloc'd; NULL: ENOMEM. */
struct valuecount_slot *accessvalues_sorted (const struct accessvalues_of *s,
                                             size_t *n);

void accessvalues_free (struct accessvalues *f); /* NULL is fine; keeps errno */

#endif
