/* SPDX-License-Identifier: MIT
 *
 * fig_time.h - processes of a job -> the rows of its figures
 */
#ifndef DFT_JOB_FIG_TIME_H
#define DFT_JOB_FIG_TIME_H

#include <stdio.h>

#include "analyze/report/job/jobscan.h"

#define JOBROW_NONE UINT32_MAX

/* Which row each process is in; JOBROW_NONE: in none. */
struct jobrows {
    uint32_t *process, *node; /* by index of the totals; owned */
};

/* Choose the rows of s, which are empty then: of processes the first ones of
 * ranks, then those with the most events; of nodes, where there are several,
 * those with the most events. 0, or -1 (ENOMEM). */
int jobrows_make (struct jobrows *j, struct jobscan *s, const struct result *r);
void jobrows_clear (struct jobrows *j);

void scan_rows_clear (struct scan_rows *rows);

/* The rows of figures that have one row a process: nodes, where a job has
 * several and its processes are too many. */
const struct scan_rows *jobrows_shown (const struct jobscan *s);

/* " 48 of 1 000 processes: …"; nothing when all are shown. */
void jobrows_say (FILE *out, const struct scan_rows *rows);

#endif
