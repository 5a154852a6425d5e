/* SPDX-License-Identifier: MIT
 *
 * gzpack.h - bytes -> one gzip member, by the fastest library that configure
 *            found
 */
#ifndef DFT_UTIL_GZPACK_H
#define DFT_UTIL_GZPACK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* -- bytes -> one gzip member, by the fastest library that configure found --
 */

struct gzpack;

struct gzpack *gzpack_create (void);    /* NULL: ENOMEM */
void gzpack_destroy (struct gzpack *z); /* NULL is fine */

/* The member of n bytes, in memory of z until the next call; its length in
 * *packed. The same bytes give the same member. NULL: ENOMEM. */
const void *
gzpack_member (struct gzpack *z, const void *plain, size_t n, size_t *packed);

/* -- gzip members of whole lines -> a file, and an index of them -- */

struct gzblock {
    FILE *out, *index; /* the caller's */
    uint64_t packed_offset, plain_offset, first_line;
};

struct gzmember {
    const void *packed;
    size_t bytes, plain; /* of packed; what it inflates to */
    uint64_t lines;
    uint64_t first_time, last_time; /* us; 0 none of its lines has one */
};

/* Members go to out, a line for each to index: compressed offset and size,
 * plain offset and size, number of its first line (from 1), lines, and the
 * smallest and largest time. 0, or -1 with errno. */
int gzblock_open (struct gzblock *g, FILE *out, FILE *index);
int gzblock_put (struct gzblock *g, const struct gzmember *m);

#endif
