/* SPDX-License-Identifier: MIT
 *
 * stats.c - Welford's sums; Student's t by the incomplete beta function
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/stats.h"
#include "lib/util/xalloc.h"

enum { FRACTION_STEPS = 300, BISECTIONS = 200 };

void statistics_add (struct statistics *s, double x)
{
    double delta = x - s->mean;

    if (!s->n || x < s->min)
        s->min = x;
    if (!s->n || x > s->max)
        s->max = x;
    s->n++;
    s->mean += delta / (double)s->n;
    s->sd += delta * (x - s->mean); /* sum of squares until the end */
}

void statistics_end (struct statistics *s)
{
    s->sd = s->n > 1 ? sqrt (s->sd / (double)(s->n - 1)) : 0;
}

/* Continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction (double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), f;

    d = 1 / (fabs (d) < tiny ? tiny : d);
    f = d;
    for (int m = 1; m <= FRACTION_STEPS; m++) {
        double k = m, step;

        for (int odd = 0; odd < 2; odd++) {
            double n = odd ? -(a + k) * (a + b + k) * x /
                                 ((a + 2 * k) * (a + 2 * k + 1))
                           : k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));

            d = 1 + n * d;
            c = 1 + n / c;
            d = 1 / (fabs (d) < tiny ? tiny : d);
            c = fabs (c) < tiny ? tiny : c;
            step = d * c;
            f *= step;
        }
        if (fabs (step - 1) < 1e-15)
            break;
    }
    return f;
}

static double incomplete_beta (double a, double b, double x)
{
    double front;

    if (x <= 0 || x >= 1)
        return x >= 1;
    front = exp (lgamma (a + b) - lgamma (a) - lgamma (b) + a * log (x) +
                 b * log1p (-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction (a, b, x) / a;
    return 1 - front * beta_fraction (b, a, 1 - x) / b;
}

/* Probability of more than |t|. */
static double two_tails (double t, double freedom)
{
    return incomplete_beta (freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_p (double t, size_t freedom)
{
    return freedom ? two_tails (t, freedom) : NAN;
}

double student_t (double p, size_t freedom)
{
    double low = 0, high = 1;

    if (!freedom || !(p > 0 && p < 1))
        return NAN;
    while (two_tails (high, freedom) > 1 - p)
        high *= 2;
    for (int i = 0; i < BISECTIONS && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;

        if (two_tails (middle, freedom) > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double statistics_half (const struct statistics *s)
{
    if (s->n < 2)
        return NAN;
    return student_t (0.95, s->n - 1) * s->sd / sqrt (s->n);
}

struct mean_difference statistics_compare (const struct statistics *a,
                                           const struct statistics *b)
{
    struct mean_difference c = {b->mean - a->mean, NAN, NAN, NAN};
    double va = a->sd * a->sd / (double)a->n, vb = b->sd * b->sd / (double)b->n;
    double error = sqrt (va + vb), freedom, half;

    if (a->n < 1 || b->n < 1)
        c.difference = NAN;
    if (a->n < 2 || b->n < 2)
        return c;
    if (error <= 0) {
        c.low = c.high = c.difference;
        c.p = c.difference == 0;
        return c;
    }
    freedom =
        floor ((va + vb) * (va + vb) /
               (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1)));
    half = student_t (0.95, fmax (1, freedom)) * error;
    c.low = c.difference - half;
    c.high = c.difference + half;
    c.p = student_p (c.difference / error, fmax (1, freedom));
    return c;
}

static int stats_by_p (const void *x, const void *y)
{
    double a = **(double *const *)x, b = **(double *const *)y;

    return ORDER (a, b);
}

void statistics_holm (double *p, size_t n)
{
    double **order = ZEROED (order, n + 1), worst = 0;
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan (p[i]))
            order[known++] = &p[i];
    if (known)
        SORT (order, known, stats_by_p);
    for (size_t i = 0; i < known; i++) {
        worst = fmax (worst, fmin (1, *order[i] * (double)(known - i)));
        *order[i] = worst;
    }
    free (order);
}

int statistics_digits (double most)
{
    int digits = 4;

    for (; most >= 10 && digits > 0; most /= 10)
        digits--;
    for (; most > 0 && most < 1 && digits < 9; most *= 10)
        digits++;
    return digits;
}
