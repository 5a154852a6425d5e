/* SPDX-License-Identifier: MIT
 *
 * spread.c - how much a metric differs between the points of a sweep
 *
 * In:  points with their metrics
 * Out: numbers to choose by, to choice.c; pure
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/util/stats.h"
#include "analyze/report/study/choice.h"

enum { NAME_ROOM = 160 };

static const double worth_percent = 1; /* of the job, or of 100 % */
static const double same_ratio = 1.3;  /* two metrics that say the same */
static double
spread_sd (const struct sweepdata *d, size_t p, const char *metric)
{
    char name[NAME_ROOM];
    double sd;

    (void)snprintf (name, sizeof (name), "%s_sd", metric);
    sd = csv_number (d->points, p, name);
    return isnan (sd) ? 0 : sd;
}

/* The largest of a metric in percent: times of the time of the job. */
static double
spread_weight (const struct sweepdata *d, const char *metric, const char *unit)
{
    double most = 0;

    for (size_t p = 0; p < d->count; p++) {
        double v = sweepdata_cell (d, p, metric).v;
        double job = sweepdata_cell (d, p, "job_time").v;

        if (strcmp (unit, "s") == 0)
            v = job > 0 ? 100 * v / job : worth_percent;
        else if (strcmp (unit, "%") != 0)
            v = worth_percent;
        most = fmax (most, v);
    }
    return most;
}

double choice_spread (const struct sweepdata *d, const char *metric)
{
    struct statistics s = {.n = 0};
    double noise = 0, variance;

    for (size_t p = 0; p < d->count; p++) {
        double v = sweepdata_cell (d, p, metric).v, sd;

        if (isnan (v))
            continue;
        sd = spread_sd (d, p, metric);
        noise += sd * sd;
        statistics_add (&s, v);
    }
    statistics_end (&s);
    if (s.n < 2 || s.mean == 0 ||
        spread_weight (d, metric, sweepdata_unit (d, metric)) < worth_percent)
        return 0;
    variance = s.sd * s.sd - noise / (double)s.n;
    return variance > 0 ? sqrt (variance) / fabs (s.mean) * (double)s.n /
                              (double)d->count
                        : 0;
}

int choice_alike (const struct sweepdata *d, const char *a, const char *b)
{
    double least = INFINITY, most = 0;

    for (size_t p = 0; p < d->count; p++) {
        double x = sweepdata_cell (d, p, a).v, y = sweepdata_cell (d, p, b).v;

        if (isnan (x) != isnan (y))
            return 0;
        if (isnan (x) || (x == 0 && y == 0))
            continue;
        if (!(x > 0 && y > 0))
            return 0;
        least = fmin (least, x / y);
        most = fmax (most, x / y);
    }
    return most > 0 && most < same_ratio * least;
}
