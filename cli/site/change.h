/* SPDX-License-Identifier: MIT
 *
 * change.h - when did a series of numbers change?
 */
#ifndef DFT_CLI_CHANGE_H
#define DFT_CLI_CHANGE_H

#include <stddef.h>

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

#endif
