/* SPDX-License-Identifier: MIT
 *
 * compare_calls.h - calls and regions of two sweeps, run by run
 */
#ifndef DFT_REPORT_COMPARE_CALLS_H
#define DFT_REPORT_COMPARE_CALLS_H

#include <stdio.h>

#include "analyze/report/study/effects.h"

/* A section. 0, or -1 (ENOMEM). */
int compare_calls (FILE *out,
                   const struct sweepdata *a,
                   const struct sweepdata *b);

/* Two cells: the mean of ratios, and its interval. */
void compare_interval (FILE *out, const struct effect *e);

#endif
