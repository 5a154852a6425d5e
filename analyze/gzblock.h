/* SPDX-License-Identifier: MIT
 *
 * gzblock.h - lines -> gzip members of whole lines, and an index of them
 *
 * Each member can be inflated alone; all of them are one ordinary .gz file.
 */
#ifndef DFT_ANALYZE_GZBLOCK_H
#define DFT_ANALYZE_GZBLOCK_H

#include <stdint.h>
#include <stdio.h>

struct gzblock;

/* Members go to out, a line per member to index: compressed offset and size,
 * plain offset and size, number of its first line (from 1), lines, and the
 * smallest and largest time of its lines (0 when they have none). Both stay
 * the caller's. NULL: ENOMEM. */
struct gzblock *gzblock_create (FILE *out, FILE *index);

/* Where the next line is to be written; the stream may change with each
 * line. */
FILE *gzblock_stream (struct gzblock *g);

/* A line has been written, its newline too. time: 0 has none. 0 or -1. */
int gzblock_line (struct gzblock *g, uint64_t time);

/* Write what is left and free g, in any case. 0 or -1 with errno. */
int gzblock_destroy (struct gzblock *g);

#endif
