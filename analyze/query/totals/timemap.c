/* SPDX-License-Identifier: MIT
 *
 * timemap.c - what was moved when, of profiles: sums of stretches of time
 *
 * In:  bins of profiles, from loadrows.c, or of partial results
 * Out: sums by bin; rows of one width
 */
#include "config.h"

#include "analyze/query/totals/timemap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int timemap_add (struct strmap **map,
                 const struct timemap_bin *bin,
                 const uint64_t n[PROFILE_BIN_COUNTERS])
{
    int64_t at;
    uint64_t *to;

    if (!*map && !(*map = strmap_create ()))
        return -1;
    at = strmap_intern (*map, (const char *)bin, sizeof (*bin), NULL);
    if (at < 0)
        return -1;
    to = strmap_value (*map, (size_t)at);
    if (!to) {
        if (!(to = calloc (PROFILE_BIN_COUNTERS, sizeof (*to))))
            return -1;
        strmap_set (*map, (size_t)at, to);
    }
    for (int c = 0; c < PROFILE_BIN_COUNTERS; c++)
        to[c] += n[c];
    return 0;
}

static int timemap_get (const struct strmap *map,
                        size_t i,
                        struct timemap_bin *bin,
                        const uint64_t **n)
{
    size_t length;
    const char *key = strmap_key (map, i, &length);

    *n = strmap_value (map, i);
    if (length != sizeof (*bin) || !*n)
        return 0;
    memcpy (bin, key, sizeof (*bin));
    return bin->width > 0;
}

int timemap_merge (struct strmap **map, const struct strmap *more)
{
    for (size_t i = 0; more && i < strmap_count (more); i++) {
        struct timemap_bin bin;
        const uint64_t *n;

        if (timemap_get (more, i, &bin, &n) && timemap_add (map, &bin, n) < 0)
            return -1;
    }
    return 0;
}

/* The middle: clocks of two processes of a node differ by less than a bin. */
static uint64_t timemap_middle (const struct timemap_bin *bin)
{
    return bin->start + bin->width / 2;
}

/* The widest bin, the first of them; and where all begin and end. */
static struct timemap_bin
timemap_widest (const struct strmap *map, uint64_t *first, uint64_t *last)
{
    struct timemap_bin widest = {0, 0}, bin;
    const uint64_t *n;

    *first = UINT64_MAX;
    *last = 0;
    for (size_t i = 0; map && i < strmap_count (map); i++) {
        uint64_t middle;

        if (!timemap_get (map, i, &bin, &n))
            continue;
        middle = timemap_middle (&bin);
        *first = middle < *first ? middle : *first;
        *last = middle > *last ? middle : *last;
        if (bin.width > widest.width ||
            (bin.width == widest.width && bin.start < widest.start))
            widest = bin;
    }
    return widest;
}

void timemap_rows (struct timemap *t, const struct strmap *map)
{
    uint64_t first, last;
    struct timemap_bin bin = timemap_widest (map, &first, &last);
    const uint64_t *n;

    memset (t, 0, sizeof (*t));
    if (!bin.width)
        return;
    t->width = bin.width;
    while ((last - first) / t->width + 2 > PROFILE_BINS_MAX)
        t->width *= 2;
    t->start = bin.start;
    if (first < bin.start) /* so that the widest is in one row */
        t->start -= (bin.start - first + t->width - 1) / t->width * t->width;
    t->rows = (size_t)((last - t->start) / t->width) + 1;
    for (size_t i = 0; i < strmap_count (map); i++)
        if (timemap_get (map, i, &bin, &n))
            for (int c = 0; c < PROFILE_BIN_COUNTERS; c++)
                t->n[(timemap_middle (&bin) - t->start) / t->width][c] += n[c];
}
