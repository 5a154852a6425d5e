/* SPDX-License-Identifier: MIT
 *
 * timemap.h - what was moved when, of profiles: sums of stretches of time
 *
 * A profile has bins of some widths (powers of two, on the clock of its node),
 * which nest. All of a job are kept as they are; a table of them has one width.
 */
#ifndef DFT_ANALYZE_TIMEMAP_H
#define DFT_ANALYZE_TIMEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "lib/core/profile/profile.h"
#include "lib/util/strmap.h"

/* ns of CLOCK_REALTIME; the key in a map, which is made when it is needed and
 * NULL before that. */
struct timemap_bin {
    uint64_t start, width;
};

/* Add the counters of timemap.def. 0, or -1 (ENOMEM). */
int timemap_add (struct strmap **map,
                 const struct timemap_bin *bin,
                 const uint64_t n[PROFILE_BIN_COUNTERS]);
int timemap_merge (struct strmap **map, const struct strmap *more);

/* All of a map (NULL: none) in rows of one width, which hold every bin as a
 * whole; at most PROFILE_BINS_MAX of them, empty ones included. */
struct timemap {
    uint64_t start, width; /* of the first row */
    size_t rows;
    uint64_t n[PROFILE_BINS_MAX][PROFILE_BIN_COUNTERS];
};
void timemap_rows (struct timemap *t, const struct strmap *map);

#endif
