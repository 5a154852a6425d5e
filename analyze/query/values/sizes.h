/* SPDX-License-Identifier: MIT
 *
 * sizes.h - how often calls on a file moved how many bytes, all exact
 *
 * Of reads and of writes that did not fail, of libc, each for itself. Most
 * files have few sizes: those are looked for one by one.
 */
#ifndef DFT_ANALYZE_SIZES_H
#define DFT_ANALYZE_SIZES_H

#include "analyze/query/values/valuecount.h"
#include "analyze/trace/profile/profrows.h"

enum sizes_way { SIZES_READ, SIZES_WRITE, SIZES_WAYS };

enum { SIZES_FEW = 4 };

struct sizes {
    struct valuecount_slot few[SIZES_FEW]; /* times 0: free */
    struct valuecount more; /* sizes plus VALUECOUNT_LEAST, none of few */
    uint64_t unknown;       /* calls of which nobody knows the size */
};

struct file_sizes {
    struct sizes way[SIZES_WAYS];
};

/* Add so many calls, into *f, which is made when it is NULL. 0, or -1
 * (ENOMEM). */
int sizes_add (struct file_sizes **f,
               enum sizes_way way,
               uint64_t bytes,
               uint64_t times);
int sizes_add_unknown (struct file_sizes **f,
                       enum sizes_way way,
                       uint64_t times);

/* What a row of a profile says itself, without its struct profsize. */
int sizes_add_row (struct file_sizes **f,
                   enum sizes_way way,
                   const struct profrow *row);

/* One more. */
static inline int
sizes_meet (struct file_sizes **f, enum sizes_way way, uint64_t bytes)
{
    struct valuecount_slot *few = *f ? (*f)->way[way].few : NULL;

    for (int i = 0; few && i < SIZES_FEW; i++)
        if (few[i].value == bytes && few[i].times) {
            few[i].times++;
            return 0;
        }
    return sizes_add (f, way, bytes, 1);
}

/* Add those of another file; NULL: there are none. 0, or -1 (ENOMEM). */
int sizes_merge (struct file_sizes **to, const struct file_sizes *from);

/* The size and the times of each, those with the most times first, then the
 * smaller ones; *n of them. malloc'd; NULL: ENOMEM. */
struct valuecount_slot *sizes_sorted (const struct sizes *s, size_t *n);

void sizes_free (struct file_sizes *f); /* NULL is fine; keeps errno */

#endif
