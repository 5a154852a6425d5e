/* SPDX-License-Identifier: MIT
 *
 * siteestimate.c - traced jobs that stand for others -> totals, intervals
 */
#include "config.h"

#include "cli/site/siteestimate.h"

#include <math.h>

#include "lib/util/stats.h"

/* Rows of versions without a weight stand for themselves. */
#define WEIGHT "max (1, coalesce (weight, 1))"

enum { SUM_W, SUM_WX, SUM_V, SUM_VX, SUM_VXX, SAMPLED };

void estimate_sql (FILE *out, const char *x, const char *alias, int mean)
{
    if (mean)
        (void)fprintf (out,
                       ", sum (" WEIGHT
                       " * (%s)) / sum (CASE WHEN (%s) IS NOT NULL THEN " WEIGHT
                       " END) AS %s",
                       x, x, alias);
    else
        (void)fprintf (out, ", sum (" WEIGHT " * (%s)) AS %s", x, alias);
    (void)fprintf (out,
                   ", sum (CASE WHEN (%s) IS NOT NULL THEN " WEIGHT " END)", x);
    (void)fprintf (out, ", sum (" WEIGHT " * (%s))", x);
    (void)fprintf (out,
                   ", sum (CASE WHEN (%s) IS NOT NULL THEN " WEIGHT
                   " * (" WEIGHT " - 1) END)",
                   x);
    (void)fprintf (out, ", sum (" WEIGHT " * (" WEIGHT " - 1) * (%s))", x);
    (void)fprintf (out, ", sum (" WEIGHT " * (" WEIGHT " - 1) * (%s) * (%s))",
                   x, x);
    (void)fprintf (out, ", count (CASE WHEN weight > 1 THEN (%s) END)", x);
}

struct estimate estimate_of (const double n[ESTIMATE_CELLS], int mean)
{
    struct estimate e = {n[SUM_WX], NAN};
    double variance = n[SUM_VXX], t;

    if (isnan (e.value) || !(n[SUM_W] > 0))
        return (struct estimate){NAN, NAN};
    if (mean) {
        e.value /= n[SUM_W];
        variance = (n[SUM_VXX] - 2 * e.value * n[SUM_VX] +
                    e.value * e.value * n[SUM_V]) /
                   (n[SUM_W] * n[SUM_W]);
    }
    if (!(n[SAMPLED] > 0))
        e.half = 0;
    else if (n[SAMPLED] > 1) {
        t = student_t (0.95, (size_t)n[SAMPLED] - 1);
        e.half = t * sqrt (variance > 0 ? variance : 0);
    }
    return e;
}
