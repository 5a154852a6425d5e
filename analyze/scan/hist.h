/* SPDX-License-Identifier: MIT
 *
 * hist.h - histogram of durations: count, sum, quantiles, merge, file form
 *
 * Log-linear: 64 buckets for each power of two, so a quantile is off by at
 * most 1/64 of its value; below 128 ns it is exact.
 */
#pragma once

#include "analyze/scan/packer.h"
#include "lib/util/stats.h"

enum {
    HIST_BITS = 6, /* log2 of the buckets for each power of two */
    HIST_BUCKETS = (64 - HIST_BITS + 1) << HIST_BITS
};

/* All zero is empty. */
struct hist {
    uint64_t count, sum, min, max;
    uint64_t bucket[HIST_BUCKETS];
};

static inline unsigned hist_bucket (uint64_t value)
{
    unsigned shift;

    if (value < 1 << HIST_BITS) /* up to here a bucket is one value */
        return (unsigned)value;
    shift = 63 - (unsigned)__builtin_clzll (value) - HIST_BITS;
    return (shift << HIST_BITS) + (unsigned)(value >> shift);
}

static inline void hist_add (struct hist *h, uint64_t value)
{
    if (!h->count || value < h->min)
        h->min = value;
    if (value > h->max)
        h->max = value;
    h->count++;
    h->sum += value;
    h->bucket[hist_bucket (value)]++;
}

void hist_merge (struct hist *h, const struct hist *other);

/* A histogram for a hundred thousand things: only powers of two that occur take
 * memory, 512 bytes each. All zero is empty. */
enum { HIST_PARTS = HIST_BUCKETS >> HIST_BITS, HIST_PART = 1 << HIST_BITS };
struct thinhist {
    uint64_t count, sum, min, max;
    uint64_t (*part)[HIST_PART]; /* owned */
    uint8_t parts;
    uint8_t at[HIST_PARTS]; /* index in part, plus 1; 0: all of it is 0 */
};

/* Make the part of the buckets from number * HIST_PART on. Return its index
 * plus 1. */
unsigned thinhist_part (struct thinhist *h, unsigned number);

/* The count of a bucket, to be changed. */
static inline uint64_t *thinhist_bucket (struct thinhist *h, unsigned bucket)
{
    unsigned at = h->at[bucket >> HIST_BITS];

    if (__builtin_expect (!at, 0))
        at = thinhist_part (h, bucket >> HIST_BITS);
    return &h->part[at - 1][bucket % HIST_PART];
}

static inline void thinhist_add (struct thinhist *h, uint64_t value)
{
    uint64_t *bucket = thinhist_bucket (h, hist_bucket (value));

    if (!h->count || value < h->min)
        h->min = value;
    if (value > h->max)
        h->max = value;
    h->count++;
    h->sum += value;
    ++*bucket;
}

void thinhist_merge (struct thinhist *h, const struct thinhist *other);
void thinhist_from (struct thinhist *h, const struct hist *other);
void thinhist_free (struct thinhist *h);

/* As a histogram. */
void thinhist_to (const struct thinhist *h, struct hist *full);

/* The value that a share q (0 … 1) of all values does not exceed: the one of
 * rank ceil (q * count), to within 1/64. 0 when empty. */
uint64_t hist_quantile (const struct hist *h, double q);

/* The histogram in powers of two: count[i] values were in [2^i, 2^(i + 1)),
 * values of 0 are in count[0]. */
enum { HIST_OCTAVES = 64 };
void hist_octaves (const struct hist *h, uint64_t count[HIST_OCTAVES]);

/* Are all values in it? Logs of other tools have sums only, of which there are
 * no quantiles. */
int hist_whole (const struct hist *h);

void hist_pack (struct packer *p, const struct hist *h);

/* *h is overwritten; what makes no sense sets u->bad. */
void hist_unpack (struct unpacker *u, struct hist *h);
