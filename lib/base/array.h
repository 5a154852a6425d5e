/* SPDX-License-Identifier: MIT
 *
 * array.h - items of an array: number, order, memory
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Items of an array. */
#define ITEMS(array) (sizeof (array) / sizeof ((array)[0]))

/* -1, 0 or 1, as qsort () wants it. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* With a NaN, b. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* Zeroed memory for n items of the type that p points to: NULL, or to be freed.
 * ZEROED is for the declaration of p; NEW assigns. */
#define TRY_ZEROED(p, n) ((__typeof__ (p))calloc ((n), sizeof (*(p))))
#define TRY_NEW(p, n)    ((p) = TRY_ZEROED (p, n))

/* Zero what p points to, an array by its address. */
#define ZERO(p) memset ((p), 0, sizeof (*(p)))

#define SORT(p, n, order) qsort ((p), (n), sizeof (*(p)), (order))

/* The first index i below n for which the condition does not hold; it holds for
 * all those before. */
#define FIRST_NOT(n, i, condition)                      \
    ({                                                  \
        size_t low_ = 0, high_ = (n);                   \
                                                        \
        while (low_ < high_) {                          \
            const size_t i = low_ + (high_ - low_) / 2; \
                                                        \
            if (condition)                              \
                low_ = i + 1;                           \
            else                                        \
                high_ = i;                              \
        }                                               \
        low_;                                           \
    })

/* snprintf () into an array. */
#define FORMAT(array, ...) snprintf ((array), sizeof (array), __VA_ARGS__)

/* Give *array, a pointer to malloc'd items of `size` bytes, room for `want` of
 * them, more than *room and twice the room at least; zero: what is new is
 * zeroed. Return 0, or -1 (ENOMEM): nothing has changed then. */
static inline int
array_grow (void *array, size_t *room, size_t want, size_t size, int zero)
{
    size_t more = *room ? 2 * *room : 16;
    void *p;

    if (more < want)
        more = want;
    memcpy (&p, array, sizeof (p));
    if (!(p = reallocarray (p, more, size)))
        return -1;
    if (zero)
        memset ((char *)p + *room * size, 0, (more - *room) * size);
    memcpy (array, &p, sizeof (p));
    *room = more;
    return 0;
}

#define TRY_GROW(array, room, want) \
    ((want) <= (room)               \
         ? 0                        \
         : array_grow (&(array), &(room), (want), sizeof (*(array)), 0))
#define TRY_GROW_ZEROED(array, room, want) \
    ((want) <= (room)                      \
         ? 0                               \
         : array_grow (&(array), &(room), (want), sizeof (*(array)), 1))

/* One more item, zeroed: its address, or NULL (ENOMEM). */
#define TRY_APPEND(array, count, room)           \
    (TRY_GROW ((array), (room), (count) + 1) < 0 \
         ? NULL                                  \
         : memset (&(array)[(count)++], 0, sizeof (*(array))))
