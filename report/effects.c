/* SPDX-License-Identifier: MIT
 *
 * effects.c - what changing one axis does, everything else equal
 *
 * In:  points of a sweep
 * Out: paired ratios, to its page; pure
 */
#include "config.h"

#include "report/effects.h"

#include <math.h>
#include <string.h>

void effect_of (struct effect *e,
                const struct sweepdata *d,
                size_t axis,
                size_t base,
                size_t level,
                const char *metric)
{
    double logs = 0;

    memset (e, 0, sizeof (*e));
    e->lo = INFINITY;
    e->hi = 0;
    for (size_t i = 0; i < d->count; i++) {
        size_t want[AXES_MAX] = {0};
        double a, b, ratio;
        long other;

        if (d->point[i].level[axis] != base)
            continue;
        memcpy (want, d->point[i].level, sizeof (want));
        want[axis] = level;
        if ((other = sweepdata_at (d, want)) < 0)
            continue;
        a = sweepdata_cell (d, i, metric).v;
        b = sweepdata_cell (d, (size_t)other, metric).v;
        if (!(a > 0) || !(b > 0)) {
            e->without++;
            continue;
        }
        ratio = b / a;
        logs += log (ratio);
        e->lo = ratio < e->lo ? ratio : e->lo;
        e->hi = ratio > e->hi ? ratio : e->hi;
        e->pairs++;
    }
    e->mean = e->pairs ? exp (logs / (double)e->pairs) : NAN;
}
