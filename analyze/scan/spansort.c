/* SPDX-License-Identifier: MIT
 *
 * spansort.c - sorted runs of numbers -> one
 *
 * In:  times of many logs, from spanunion.c
 * Out: the same in one order
 *
 * Times come about evenly, so a number's value says about where it goes: count
 * by value, put each in its bucket, sort neighbours. Where many share a bucket
 * the runs are merged.
 */
#include "config.h"

#include "analyze/scan/spansort.h"

#include <string.h>

enum { CROWD = 24 /* numbers of a bucket; sorting neighbours is slow then */ };

/* --- buckets ---------------------------------------------------------------
 */

static unsigned spansort_bits (uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll (v) : 0;
}

/* How far values are to be shifted to be a bucket, of so many. */
static unsigned spansort_shift (const struct spansort *s,
                                size_t n,
                                size_t runs,
                                size_t *buckets)
{
    uint64_t most = 0;
    unsigned bits = spansort_bits (n), width;

    for (size_t i = 0; i < runs; i++)
        if (s->run[i + 1] > s->run[i] && s->a[s->run[i + 1] - 1] > most)
            most = s->a[s->run[i + 1] - 1];
    width = spansort_bits (most);
    if (bits > spansort_bits (SPANSORT_BUCKETS) - 1)
        bits = spansort_bits (SPANSORT_BUCKETS) - 1;
    *buckets = (size_t)1 << bits;
    return width > bits ? width - bits : 0;
}

/* v[at] is less than the one before: put it where it belongs. */
static void spansort_back (uint64_t *v, size_t at)
{
    uint64_t x = v[at];

    for (; at > 0 && v[at - 1] > x; at--)
        v[at] = v[at - 1];
    v[at] = x;
}

/* Only neighbours change places. */
static void spansort_neighbours (uint64_t *v, size_t n)
{
    uint64_t most = n ? v[0] : 0;

    for (size_t i = 1; i < n; i++)
        if (v[i] < most)
            spansort_back (v, i);
        else
            most = v[i];
}

/* False: too many in one bucket. */
static int spansort_count (struct spansort *s, size_t n, unsigned shift)
{
    uint32_t most = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t count = ++s->bucket[s->a[i] >> shift];

        most = count > most ? count : most;
    }
    return most <= CROWD;
}

static int spansort_by_value (struct spansort *s, size_t runs)
{
    size_t n = s->run[runs], buckets;
    unsigned shift = spansort_shift (s, n, runs, &buckets);
    uint32_t at = 0;
    uint64_t *other = s->b;

    memset (s->bucket, 0, buckets * sizeof (*s->bucket));
    if (!spansort_count (s, n, shift))
        return 0;
    for (size_t i = 0; i < buckets; i++) {
        uint32_t count = s->bucket[i];

        s->bucket[i] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        other[s->bucket[s->a[i] >> shift]++] = s->a[i];
    spansort_neighbours (other, n);
    s->b = s->a;
    s->a = other;
    return 1;
}

/* --- merging ----------------------------------------------------------------
 */

/* Indices, not pointers: the compiler then makes no branch of the choice. */
static void spansort_merge_two (
    const uint64_t *x, size_t nx, const uint64_t *y, size_t ny, uint64_t *out)
{
    size_t i = 0, j = 0;

    while (i < nx && j < ny) {
        uint64_t a = x[i], b = y[j];
        size_t second = b < a;

        out[i + j] = second ? b : a;
        j += second;
        i += 1 - second;
    }
    memcpy (out + i + j, x + i, (nx - i) * sizeof (*x));
    memcpy (out + nx + j, y + j, (ny - j) * sizeof (*y));
}

/* Pairs of runs, until there is one. */
static void spansort_merge (struct spansort *s, size_t runs)
{
    while (runs > 1) {
        size_t *run = s->run, kept = 0;
        uint64_t *other = s->b;

        for (size_t i = 0; i < runs; i += 2) {
            size_t middle = run[i + 1],
                   end = i + 1 < runs ? run[i + 2] : middle;
            size_t begin = run[i];

            spansort_merge_two (s->a + begin, middle - begin, s->a + middle,
                                end - middle, other + begin);
            run[kept++] = begin;
        }
        run[kept] = run[runs];
        runs = kept;
        s->b = s->a;
        s->a = other;
    }
}

void spansort_runs (struct spansort *s, size_t runs)
{
    if (runs > 2 && spansort_by_value (s, runs))
        return;
    spansort_merge (s, runs);
}
