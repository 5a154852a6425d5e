/* SPDX-License-Identifier: MIT
 *
 * bins.h - the time of a job in equal pieces, and what is in each; pure
 */
#ifndef DFT_REPORT_BINS_H
#define DFT_REPORT_BINS_H

#include <stddef.h>
#include <stdint.h>

enum {
    BINS = 240, /* of the job's time */
    LANE_STRETCHES = 256
};

/* The job's time, ns of CLOCK_REALTIME; times outside of it count at its
 * ends. */
struct bins {
    uint64_t edge[BINS + 1]; /* bin i is [edge[i], edge[i + 1]) */
    double per_ns;
};

void bins_init (struct bins *b, uint64_t start, uint64_t end);

uint64_t bins_width (const struct bins *b, size_t bin); /* ns, at least 1 */
double bins_seconds (const struct bins *b);             /* of the job */
double bins_bin_seconds (const struct bins *b);

/* The bin of a time; that of the end is the last one. */
size_t bins_at (const struct bins *b, uint64_t t);

/* Spread an amount evenly over [from, to): the bins get whole numbers that
 * add up to it. */
void bins_spread (const struct bins *b,
                  uint64_t to[BINS],
                  uint64_t start,
                  uint64_t end,
                  uint64_t amount);

/* What one thread was at: the union of intervals that come in the order of
 * their ends. The last ones are kept as they are, because an interval that
 * encloses them may follow; older ones are in the bins. An enclosing interval
 * that begins before those is exact but for the bin in which it begins. */
struct lane_stretch {
    uint64_t start, end;
};
struct lanetime {
    struct lane_stretch open[LANE_STRETCHES]; /* disjoint, ascending */
    size_t count;
    uint64_t settled; /* no open one begins before */
    uint64_t ns[BINS];
    int used;
};

/* All zero is empty, but for the bins of ns, which lane_clear empties. */
void lane_add (struct lanetime *l,
               const struct bins *b,
               uint64_t start,
               uint64_t end);
/* Write all that is open into ns. */
void lane_settle (struct lanetime *l, const struct bins *b);
void lane_clear (struct lanetime *l);

#endif
