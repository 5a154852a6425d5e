/* SPDX-License-Identifier: MIT
 *
 * fig_job.h - the figures of a job
 */
#ifndef DFT_REPORT_FIG_JOB_H
#define DFT_REPORT_FIG_JOB_H

#include <stdio.h>

#include "analyze/report/job/jobdata.h"

/* All of them, those over time only when the traces are there. 0, or -1
 * (ENOMEM), and so below. */
int fig_job (FILE *out, const struct jobdata *d);

/* The timeline alone, with this id; title NULL: its own. seconds: of its axis,
 * at least the job's. */
int fig_timeline (FILE *out,
                  const struct jobscan *s,
                  const struct scan_rows *rows,
                  const char *id,
                  const char *title,
                  double seconds);

/* Parts of it, of fig_bill.c, fig_time.c, fig_tree.c, fig_calls.c,
 * fig_checkpoints.c and fig_timemap.c. */
int fig_bill (FILE *out, const struct jobdata *d);
int fig_heats (FILE *out, const struct jobscan *s);
void fig_rates (FILE *out, const struct jobscan *s);
int fig_access (FILE *out, const struct jobscan *s);
int fig_histograms (FILE *out, const struct jobscan *s);
int fig_steps (FILE *out, const struct jobscan *s);
int fig_workers (FILE *out, const struct jobdata *d);
int fig_checkpoints (FILE *out, const struct jobdata *d);
int fig_timemap (FILE *out, const struct jobdata *d);
/* The flame graph; reads the traces again. */
int fig_tree (FILE *out, const struct jobdata *d);

#endif
