/* SPDX-License-Identifier: MIT
 *
 * timemap.h - what was moved when: sums of stretches of time
 *
 * A profile has bins of some widths (powers of two, on the clock of its node),
 * which nest. All of a job are kept as they are; a table of them has one width.
 */
#pragma once

#include "lib/format/profile.h"
#include "lib/format/tracefile.h"
#include "lib/util/strmap.h"

/* ns of CLOCK_REALTIME; the key of TALLY_TIME. */
struct timemap_bin {
    uint64_t start, width;
};

/* The bins of one process while its events are read: as wide as those of a
 * profile at least, and wider where they have to be. */
struct timemap_process {
    const struct trace_process *who;
    unsigned shift;  /* a bin is 1 << shift ns */
    uint64_t number; /* of the first bin: CLOCK_MONOTONIC >> shift */
    size_t bins;     /* in use; 0: no event yet */
    uint64_t n[PROFILE_BINS_MAX][PROFILE_BIN_COUNTERS];
};

/* Begin with bins of so many ns, a power of two; NULL becomes a new one, which
 * the caller frees. */
void timemap_begin (struct timemap_process **t,
                    const struct trace_process *who,
                    uint64_t width);

/* A call of posix or stdio with files on storage (first, second), with its
 * times in ns of CLOCK_REALTIME. NULL: nothing is done. */
struct timemap_call {
    enum call_class class;
    int storage, storage2;
    uint64_t start, end, bytes;
};
void timemap_count (struct timemap_process *t, const struct timemap_call *c);

/* Add them to a tally, and forget them. NULL: nothing. */
struct tally;
void timemap_end (struct timemap_process *t, struct tally *to);

/* All of a map (NULL: none) in rows of one width, which hold every bin as a
 * whole; at most PROFILE_BINS_MAX of them, empty ones included. */
struct timemap {
    uint64_t start, width; /* of the first row */
    size_t rows;
    int bytes_only; /* some bins have neither calls nor durations: a log of
                       Darshan has only bytes */
    uint64_t n[PROFILE_BINS_MAX][PROFILE_BIN_COUNTERS];
};
void timemap_rows (struct timemap *t, const struct strmap *map);
