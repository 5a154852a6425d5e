/* SPDX-License-Identifier: MIT
 *
 * estimate.h - traced jobs that stand for others -> totals, intervals
 *
 * A job that a rule with sample=N chose is one of N that it could have chosen,
 * each with probability 1/N: it counts with weight N (Horvitz and Thompson,
 * 1952), one that its user asked for, or that a rule always traces, with 1.
 * The sum of weight * x is then an unbiased estimate of the sum over all jobs
 * to which the rules apply, and the sum of weight * (weight - 1) * x^2 one of
 * its variance, when jobs are chosen independently of each other. A mean is the
 * ratio of two such sums; its variance is that of the linearized ratio
 * (Saerndal, Swensson and Wretman, 1992, 5.6). The interval takes Student's t
 * with as many degrees of freedom as sampled jobs, less one. Pure.
 */
#pragma once

#include <stdio.h>

/* -- traced jobs that stand for others -> totals, intervals -- */

struct estimate {
    double value; /* NaN: not measured */
    double half;  /* half of the 95 % interval: 0 where nothing was sampled,
                     NaN where one job was */
};

enum { ESTIMATE_CELLS = 6 };

/* SQL of the ESTIMATE_CELLS numbers of x over a group's rows, the first of them
 * as `alias`: sums of w, w x, w (w - 1), w (w - 1) x, w (w - 1) x^2 and the
 * number of sampled rows, of those in which x is known; before them, as alias,
 * what is asked for. */
void estimate_sql (FILE *out, const char *x, const char *alias, int mean);

/* Return the estimate of the sum, or mean, from these numbers (behind the
 * alias). */
struct estimate estimate_of (const double number[ESTIMATE_CELLS], int mean);

/* -- when did a series of numbers change? -- */

struct change {
    size_t at;            /* first number after the change; 0: none is likely */
    double before, after; /* geometric means */
    double p; /* probability of one as clear in a series without a change */
};

enum { CHANGE_MIN = 3 /* numbers on either side */ };

/* x: n positive numbers in the order of time. Each place that leaves CHANGE_MIN
 * on both sides is tried; the one with the largest |t| of Student's test on the
 * logarithms is taken, its p multiplied by the number of places (Bonferroni).
 * at is 0 when p > 0.01 or there are too few numbers. Pure. */
struct change change_find (const double *x, size_t n);
