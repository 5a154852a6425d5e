/* SPDX-License-Identifier: MIT
 *
 * scanhist.c - sizes and durations in buckets
 *
 * In:  values
 * Out: counts by power of two, quantiles; pure
 */
#include "config.h"

#include <math.h>

#include "report/job/jobscan.h"

static int octave_of (uint64_t v)
{
    int o = v ? 63 - __builtin_clzll (v) : 0;

    return o < SCAN_OCTAVES ? o : SCAN_OCTAVES - 1;
}

void scan_hist_add (struct scan_hist *h, uint64_t v)
{
    int o = octave_of (v);
    double part = v ? (double)v / ldexp (1, o) - 1 : 0;
    int fine = (int)(part * SCAN_FINE);

    if (fine >= SCAN_FINE)
        fine = SCAN_FINE - 1;
    h->n++;
    h->octave[o]++;
    h->fine[o * SCAN_FINE + fine]++;
}

double scan_hist_quantile (const struct scan_hist *h, double q)
{
    uint64_t below = 0;

    if (h->n == 0)
        return NAN;
    for (int i = 0; i < SCAN_OCTAVES * SCAN_FINE; i++) {
        below += h->fine[i];
        if (below > 0 && (double)below >= q * (double)h->n)
            return ldexp (1 + (i % SCAN_FINE + 0.5) / SCAN_FINE, i / SCAN_FINE);
    }
    return NAN;
}
