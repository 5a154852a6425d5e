/* SPDX-License-Identifier: MIT
 *
 * blocks.c - values -> bars, curves and shades of Unicode blocks
 *
 * In:  numbers
 * Out: UTF-8 text, to tables and live views on a terminal; pure
 */
#include "config.h"

#include "lib/util/blocks.h"

#include <math.h>
#include <string.h>

enum { EIGHTHS = 8, SHADES = 4, BYTES = 3 /* of each of these letters */ };

static const char bar_of[EIGHTHS][4] = {
    "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d", "\xe2\x96\x8c",
    "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89", "\xe2\x96\x88"};
static const char height_of[EIGHTHS][4] = {
    "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
    "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
static const char shade_of[SHADES][4] = {"\xe2\x96\x91", "\xe2\x96\x92",
                                         "\xe2\x96\x93", "\xe2\x96\x88"};

/* 0 for nothing, else 1 to steps. */
static int level (double value, double max, int steps)
{
    if (!(value > 0) || !(max > 0))
        return 0;
    return value >= max ? steps : 1 + (int)((steps - 1) * (value / max));
}

char *blocks_bar (char *buf, double value, double max, int width)
{
    char *p = buf;
    int n;

    if (width > BLOCKS_WIDTH_MAX)
        width = BLOCKS_WIDTH_MAX;
    n = width > 0 ? level (value, max, EIGHTHS * width) : 0;
    for (; n > 0; n -= EIGHTHS, p += BYTES)
        memcpy (p, bar_of[n >= EIGHTHS ? EIGHTHS - 1 : n - 1], BYTES);
    *p = '\0';
    return buf;
}

static char *blocks_row (char *buf,
                         const double *value,
                         size_t n,
                         double max,
                         const char (*letter)[4],
                         int steps)
{
    char *p = buf;

    for (size_t i = 0; i < n && i < BLOCKS_WIDTH_MAX; i++) {
        int l = level (value[i], max, steps);

        if (l == 0) {
            *p++ = ' ';
            continue;
        }
        memcpy (p, letter[l - 1], BYTES);
        p += BYTES;
    }
    *p = '\0';
    return buf;
}

char *blocks_curve (char *buf, const double *value, size_t n, double max)
{
    return blocks_row (buf, value, n, max, height_of, EIGHTHS);
}

char *blocks_shades (char *buf, const double *value, size_t n, double max)
{
    return blocks_row (buf, value, n, max, shade_of, SHADES);
}
