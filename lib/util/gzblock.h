/* SPDX-License-Identifier: MIT
 *
 * gzblock.h - gzip members of whole lines -> a file, and an index of them
 *
 * Each member can be inflated alone; all of them are one ordinary .gz file.
 */
#ifndef DFT_ANALYZE_GZBLOCK_H
#define DFT_ANALYZE_GZBLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
