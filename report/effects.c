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

/* mean is the sum of the logarithms until the end. */
static void begin_pairs (struct effect *e)
{
    memset (e, 0, sizeof (*e));
    e->lo = INFINITY;
}

static void add_pair (struct effect *e, double ratio)
{
    e->mean += log (ratio);
    e->lo = ratio < e->lo ? ratio : e->lo;
    e->hi = ratio > e->hi ? ratio : e->hi;
    e->pairs++;
}

static void end_pairs (struct effect *e)
{
    e->mean = e->pairs ? exp (e->mean / (double)e->pairs) : NAN;
}

void effect_of (struct effect *e,
                const struct sweepdata *d,
                size_t axis,
                size_t base,
                size_t level,
                const char *metric)
{
    begin_pairs (e);
    for (size_t i = 0; i < d->count; i++) {
        size_t want[AXES_MAX] = {0};
        double a, b;
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
        add_pair (e, b / a);
    }
    end_pairs (e);
}

/* The elapsed time of a run that is done, else NaN. */
static double elapsed (const struct csv *c, size_t row, int control)
{
    if (strcmp (csv_get (c, row, "state"), "done") != 0 ||
        (csv_number (c, row, "control") > 0) != control)
        return NAN;
    return csv_number (c, row, "elapsed");
}

void effect_of_tracing (struct effect *e, const struct sweepdata *d)
{
    const struct csv *c = d->runs;

    begin_pairs (e);
    for (size_t i = 0; i < csv_rows (c); i++)
        for (size_t k = 0; k < csv_rows (c) && elapsed (c, i, 1) > 0; k++)
            if (elapsed (c, k, 0) > 0 &&
                strcmp (csv_get (c, i, "point"), csv_get (c, k, "point")) ==
                    0 &&
                strcmp (csv_get (c, i, "repeat"), csv_get (c, k, "repeat")) ==
                    0)
                add_pair (e, elapsed (c, k, 0) / elapsed (c, i, 1));
    end_pairs (e);
}
