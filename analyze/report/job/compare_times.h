/* SPDX-License-Identifier: MIT
 *
 * compare_times.h - calls and regions of two jobs, before and after
 */
#ifndef DFT_REPORT_COMPARE_TIMES_H
#define DFT_REPORT_COMPARE_TIMES_H

#include <stdio.h>

#include "analyze/report/job/jobdata.h"

/* A section: times of both on one scale, ratios of the durations with their
 * intervals and what is significant of them. Needs the traces of both, and
 * says so where they have gone. 0, or -1 (ENOMEM). */
int compare_times (FILE *out, const struct jobdata *a, const struct jobdata *b);

#endif
