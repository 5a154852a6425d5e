/* SPDX-License-Identifier: MIT
 *
 * blocks.h - values -> bars, curves and shades of Unicode blocks; pure
 */
#ifndef DFT_UTIL_BLOCKS_H
#define DFT_UTIL_BLOCKS_H

#include <stddef.h>

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

#endif
