/* SPDX-License-Identifier: MIT
 *
 * effectpairs.c - points that differ in one axis alone -> what it does
 *
 * In:  a factor and the numbers of points, from effects.c
 * Out: the two levels that are furthest apart, and their difference
 */
#include "config.h"

#include <math.h>

#include "sweep/results/effectpairs.h"

/* Which point has each level in each setting of the other axes. */
void effectpairs_settings (struct effects *e, struct factor *f, size_t axis)
{
    size_t axes;
    const int *others = cells_axes_but (e->results, (int)axis, &axes);
    struct cells c = cells_make (e->results, others, axes);

    f->settings = c.count;
    f->at = arena_array (e->arena, c.count * f->levels + 1, sizeof (*f->at));
    for (size_t i = 0; i < c.count * f->levels; i++)
        f->at[i] = -1;
    for (size_t p = 0; p < e->points; p++)
        f->at[(size_t)c.of[e->shown[p]] * f->levels + (size_t)f->of[p]] =
            (int)p;
}

/* Of pairs in one repeat: the mean of high less low in % of the mean of both;
 * NaN without pairs. */
static double pairs_change (const struct effects *e,
                            const struct factor *f,
                            size_t low,
                            size_t high,
                            size_t repeat,
                            size_t *pairs)
{
    const double *x = e->x + repeat * e->points;
    double difference = 0, sum = 0;

    *pairs = 0;
    for (size_t s = 0; s < f->settings; s++) {
        int a = f->at[s * f->levels + low], b = f->at[s * f->levels + high];

        if (a < 0 || b < 0)
            continue;
        difference += x[b] - x[a];
        sum += x[a] + x[b];
        ++*pairs;
    }
    return *pairs && sum != 0 ? difference / (sum / 2) * 100 : NAN;
}

struct statistics effectpairs_changes (const struct effects *e,
                                       struct factor *f,
                                       size_t low,
                                       size_t high)
{
    struct statistics s = {.n = 0};

    for (size_t k = 0; k < e->repeats; k++) {
        double x = pairs_change (e, f, low, high, k, &f->pairs);

        if (isfinite (x))
            statistics_add (&s, x);
    }
    statistics_end (&s);
    return s;
}

/* The two levels that pairs set furthest apart. */
void effectpairs_ends (struct effects *e, struct factor *f)
{
    size_t low = 0, high = 0;
    double most = -1;

    for (size_t i = 0; i < f->levels; i++)
        for (size_t j = i + 1; j < f->levels; j++) {
            struct statistics s = effectpairs_changes (e, f, i, j);

            if (!s.n || fabs (s.mean) <= most)
                continue;
            most = fabs (s.mean);
            low = s.mean < 0 ? j : i;
            high = s.mean < 0 ? i : j;
        }
    f->low = low;
    f->high = high;
    (void)effectpairs_changes (e, f, low, high);
    if (most < 0)
        f->pairs = 0;
}
