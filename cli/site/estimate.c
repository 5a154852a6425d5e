/* SPDX-License-Identifier: MIT
 *
 * estimate.c - numbers of jobs -> estimates of totals; changes over time
 */
#include "config.h"

#include "cli/site/estimate.h"
#include "lib/util/stats.h"

/* Rows of versions without a weight stand for themselves. */
#define WEIGHT "max (1, coalesce (weight, 1))"

enum { SUM_W, SUM_WX, SUM_V, SUM_VX, SUM_VXX, SAMPLED };

void estimate_sql (FILE *out, const char *x, const char *alias, int mean)
{
    if (mean)
        fprintf (out,
                 ", sum (" WEIGHT
                 " * (%s)) / sum (CASE WHEN (%s) IS NOT NULL THEN " WEIGHT
                 " END) AS %s",
                 x, x, alias);
    else
        fprintf (out, ", sum (" WEIGHT " * (%s)) AS %s", x, alias);
    fprintf (out, ", sum (CASE WHEN (%s) IS NOT NULL THEN " WEIGHT " END)", x);
    fprintf (out, ", sum (" WEIGHT " * (%s))", x);
    fprintf (out,
             ", sum (CASE WHEN (%s) IS NOT NULL THEN " WEIGHT " * (" WEIGHT
             " - 1) END)",
             x);
    fprintf (out, ", sum (" WEIGHT " * (" WEIGHT " - 1) * (%s))", x);
    fprintf (out, ", sum (" WEIGHT " * (" WEIGHT " - 1) * (%s) * (%s))", x, x);
    fprintf (out, ", count (CASE WHEN weight > 1 THEN (%s) END)", x);
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

/* ---- when did a series of numbers change? ---- */

static const double change_p_max = 0.01;

struct change_sums {
    double n, sum, squares;
};

static double change_mean (const struct change_sums *s)
{
    return s->sum / s->n;
}

/* Sum of the squares of the distances from the mean. */
static double change_spread (const struct change_sums *s)
{
    double spread = s->squares - s->sum * s->sum / s->n;

    return spread > 0 ? spread : 0;
}

/* Student's t of two means with one variance: few numbers at an end that
 * happen to lie close together must not look like a sure change. */
static double change_t (const struct change_sums *a,
                        const struct change_sums *b)
{
    double d = fabs (change_mean (b) - change_mean (a));
    double v = (change_spread (a) + change_spread (b)) / (a->n + b->n - 2);
    double e = v * (1 / a->n + 1 / b->n);

    /* equal to the last digit: no noise to compare with but rounding */
    if (e <= d * d * 1e-18)
        e = d * d * 1e-18;
    return e > 0 ? d / sqrt (e) : 0;
}

struct change change_find (const double *x, size_t n)
{
    struct change c = {0, NAN, NAN, 1};
    struct change_sums all = {0}, a = {0}, b;
    double best = 0, center;
    size_t places = 0;

    if (n < 2 * CHANGE_MIN)
        return c;
    center = log (x[0]); /* small sums: no digits are lost in the squares */
    for (size_t i = 0; i < n; i++) {
        double v = log (x[i]) - center;

        all.n++;
        all.sum += v;
        all.squares += v * v;
    }
    for (size_t i = 0; i + CHANGE_MIN < n; i++) {
        double v = log (x[i]) - center, t;

        a.n++;
        a.sum += v;
        a.squares += v * v;
        if (i + 1 < CHANGE_MIN)
            continue;
        b = (struct change_sums){all.n - a.n, all.sum - a.sum,
                                 all.squares - a.squares};
        places++;
        t = change_t (&a, &b);
        if (t > best) {
            best = t;
            c.at = i + 1;
            c.before = exp (change_mean (&a) + center);
            c.after = exp (change_mean (&b) + center);
        }
    }
    if (c.at)
        c.p = fmin (1, student_p (best, n - 2) * (double)places);
    if (!(c.p <= change_p_max))
        c.at = 0;
    return c;
}
