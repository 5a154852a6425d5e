/* SPDX-License-Identifier: MIT
 *
 * hist.c - histogram of durations: count, sum, quantiles, merge, file form
 *
 * In:  durations of events, from scan*.c and query.c
 * Out: quantiles, to views.c and metrics.json
 */
#include "config.h"

#include "analyze/scan/hist.h"

#include <math.h>
#include <string.h>

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
    rank = (uint64_t)ceil (q * (double)h->count);
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

    memset (h, 0, sizeof (*h));
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
