/* SPDX-License-Identifier: MIT
 *
 * jobrows.h - processes of a job -> the rows of a figure
 */
#ifndef DFT_REPORT_JOBROWS_H
#define DFT_REPORT_JOBROWS_H

#include <stddef.h>
#include <stdio.h>

#include "report/job/jobscan.h"

enum { JOBROWS_MAX = 48 }; /* of one figure */

/* "rank 3, n1:1234", malloc'd; NULL: no memory. */
char *jobrow_name (const struct scan_process *p);

/* The rows with the most weight, in their order. Returns how many; row[] gets
 * indices. */
size_t jobrows_choose (const double *weight, size_t n, size_t row[JOBROWS_MAX]);

/* Say that not all are shown; nothing when they are. */
void jobrows_say (
    FILE *out, size_t shown, size_t all, const char *what, const char *by);

#endif
