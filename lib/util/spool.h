/* SPDX-License-Identifier: MIT
 *
 * spool.h - what the analysis keeps beyond its share of memory, in an unnamed
 *           temporary file
 *
 * Whoever keeps blocks of growing data says how much of it is in memory and
 * moves old blocks out when that is too much. Thread safe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* -- what the analysis keeps beyond its share of memory, in an unnamed
 * temporary file -- */

#define SPOOL_LIMIT \
    ((uint64_t)64 << 20) /* bytes, unless something else is said */

/* Bytes of such data that stay in memory, over all owners. */
void spool_limit (uint64_t bytes);

/* More, or less, of it is in memory. Too much now? */
int spool_grow (size_t bytes);
void spool_shrink (size_t bytes);

/* Write n bytes and say where; read them again. A file that has no room, or
 * cannot be read, ends the program as a lack of memory does. */
void spool_put (const void *data, size_t n, uint64_t *offset);
void spool_get (void *data, size_t n, uint64_t offset);
_Noreturn void spool_fail (int error); /* an errno */

/* A new unnamed file on a disk, where that can be had, so that memory stays
 * small. A descriptor, or -1 with errno. */
int spool_file (void);

/* -- values -> bars, curves and shades of Unicode blocks; pure -- */

enum { BLOCKS_WIDTH_MAX = 160, BLOCKS_MAX = 3 * BLOCKS_WIDTH_MAX + 1 };

/* All return buf (BLOCKS_MAX bytes), at most BLOCKS_WIDTH_MAX places wide; NaN
 * and negative values count as 0, more than max as max. */

/* A bar of `width` places for max, in eighths of a place; nothing behind it.
 * What is more than 0 shows at least an eighth. */
char *blocks_bar (char *buf, double value, double max, int width);

/* One place for each of n values, eight heights; 0 is a blank. */
char *blocks_curve (char *buf, const double *value, size_t n, double max);

/* One place for each of n values: blank, then four shades. */
char *blocks_shades (char *buf, const double *value, size_t n, double max);
