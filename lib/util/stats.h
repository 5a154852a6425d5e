/* SPDX-License-Identifier: MIT
 *
 * stats.h - mean, spread and intervals of few numbers; pure
 */
#pragma once

#include <stddef.h>

struct statistics {
    size_t n;
    double mean, sd, min, max; /* sd 0 for n < 2 */
};

/* One number after the other, then the end. Start with zeroes. */
void statistics_add (struct statistics *s, double x);
void statistics_end (struct statistics *s);

/* Half the width of the 95 % interval of the mean (Student's t); NaN for
 * n < 2. */
double statistics_half (const struct statistics *s);

/* Mean of b less mean of a, without the assumption that both scatter alike
 * (Welch). NaN where fewer than two numbers are on a side; p is 0 or 1 when
 * nothing scatters. */
struct mean_difference {
    double difference, low, high; /* with its 95 % interval */
    double p;                     /* that it is chance */
};
struct mean_difference statistics_compare (const struct statistics *a,
                                           const struct statistics *b);

/* Adjust the p-values of n comparisons by Holm's method, in place; NaN stays
 * NaN. */
void statistics_holm (double *p, size_t n);

/* Probability of a t further from 0 than this one; NaN without freedom. */
double student_p (double t, size_t freedom);

/* How many digits after the point a number of this size deserves in a table:
 * about five that count. */
int statistics_digits (double most);

/* The t that is exceeded with probability (1 - p) / 2 on either side. */
double student_t (double p, size_t freedom);
