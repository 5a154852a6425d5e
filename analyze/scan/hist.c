/* SPDX-License-Identifier: MIT
 *
 * hist.c - histogram of durations: count, sum, quantiles, merge, file form
 *
 * In:  durations of events, from scan*.c and query.c
 * Out: quantiles, to views.c and metrics.json
 */
#include "config.h"

#include "analyze/scan/hist.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

enum { HIST_EXACT = 1 << HIST_BITS }; /* up to here a bucket is one value */

/* Middle of a bucket. */
static uint64_t hist_value_of (unsigned bucket)
{
    unsigned shift;

    if (bucket < HIST_EXACT)
        return bucket;
    shift = (bucket >> HIST_BITS) - 1;
    return ((uint64_t)(bucket % HIST_EXACT + HIST_EXACT) << shift) +
           (((uint64_t)1 << shift) >> 1);
}

void hist_merge (struct hist *h, const struct hist *other)
{
    if (!other->count)
        return;
    if (!h->count || other->min < h->min)
        h->min = other->min;
    if (other->max > h->max)
        h->max = other->max;
    h->count += other->count;
    h->sum += other->sum;
    for (unsigned i = 0; i < HIST_BUCKETS; i++)
        h->bucket[i] += other->bucket[i];
}

uint64_t hist_quantile (const struct hist *h, double q)
{
    uint64_t rank, seen = 0, value = h->max;

    if (!h->count)
        return 0;
    rank = ceil (q * (double)h->count);
    if (rank < 1)
        rank = 1;
    for (unsigned i = 0; i < HIST_BUCKETS; i++) {
        seen += h->bucket[i];
        if (seen >= rank) {
            value = hist_value_of (i);
            break;
        }
    }
    if (value < h->min)
        return h->min;
    return value > h->max ? h->max : value;
}

void hist_octaves (const struct hist *h, uint64_t count[HIST_OCTAVES])
{
    for (unsigned i = 0; i < HIST_OCTAVES; i++)
        count[i] = 0;
    for (unsigned i = 0; i < HIST_BUCKETS; i++)
        if (h->bucket[i])
            count[i < 2            ? 0
                  : i < HIST_EXACT ? 31 - (unsigned)__builtin_clz (i)
                                   : (i >> HIST_BITS) + HIST_BITS - 1] +=
                h->bucket[i];
}

int hist_whole (const struct hist *h)
{
    uint64_t n = 0;

    for (int i = 0; i < HIST_BUCKETS; i++)
        n += h->bucket[i];
    return n == h->count;
}

void hist_pack (struct packer *p, const struct hist *h)
{
    unsigned last = 0;

    pack_uint (p, h->count);
    pack_uint (p, h->sum);
    pack_uint (p, h->min);
    pack_uint (p, h->max);
    for (unsigned i = 0; h->count && i < HIST_BUCKETS; i++)
        if (h->bucket[i]) {
            pack_uint (p, i - last + 1);
            pack_uint (p, h->bucket[i]);
            last = i;
        }
    pack_uint (p, 0);
}

void hist_unpack (struct unpacker *u, struct hist *h)
{
    uint64_t step, at = 0;

    ZERO (h);
    h->count = unpack_uint (u);
    h->sum = unpack_uint (u);
    h->min = unpack_uint (u);
    h->max = unpack_uint (u);
    while ((step = unpack_uint (u))) {
        at += step - 1;
        if (at >= HIST_BUCKETS || u->bad) {
            u->bad = 1;
            return;
        }
        h->bucket[at] = unpack_uint (u);
    }
}

/* ---- histograms that there are many of ---- */

unsigned thinhist_part (struct thinhist *h, unsigned number)
{
    h->part = xreallocarray (h->part, h->parts + 1u, sizeof (*h->part));
    memset (h->part[h->parts], 0, sizeof (*h->part));
    return h->at[number] = ++h->parts;
}

static void
thinhist_join (struct thinhist *h, unsigned number, const uint64_t *counts)
{
    uint64_t *to = thinhist_bucket (h, number << HIST_BITS);

    for (int i = 0; i < HIST_PART; i++)
        to[i] += counts[i];
}

static void thinhist_sums (struct thinhist *h, const uint64_t count_to_max[4])
{
    if (!h->count || count_to_max[2] < h->min)
        h->min = count_to_max[2];
    if (count_to_max[3] > h->max)
        h->max = count_to_max[3];
    h->count += count_to_max[0];
    h->sum += count_to_max[1];
}

void thinhist_merge (struct thinhist *h, const struct thinhist *other)
{
    const uint64_t sums[] = {other->count, other->sum, other->min, other->max};

    for (unsigned i = 0; i < HIST_PARTS; i++)
        if (other->at[i])
            thinhist_join (h, i, other->part[other->at[i] - 1]);
    if (other->count)
        thinhist_sums (h, sums);
}

void thinhist_from (struct thinhist *h, const struct hist *other)
{
    const uint64_t sums[] = {other->count, other->sum, other->min, other->max};

    for (unsigned i = 0; i < HIST_BUCKETS; i++)
        if (other->bucket[i]) {
            thinhist_join (h, i >> HIST_BITS,
                           &other->bucket[i & ~(HIST_PART - 1u)]);
            i |= HIST_PART - 1;
        }
    if (other->count)
        thinhist_sums (h, sums);
}

void thinhist_free (struct thinhist *h)
{
    free (h->part);
    ZERO (h);
}

void thinhist_to (const struct thinhist *h, struct hist *full)
{
    ZERO (full);
    full->count = h->count;
    full->sum = h->sum;
    full->min = h->min;
    full->max = h->max;
    for (unsigned i = 0; i < HIST_PARTS; i++)
        if (h->at[i])
            memcpy (&full->bucket[i << HIST_BITS], h->part[h->at[i] - 1],
                    sizeof (*h->part));
}
