/* SPDX-License-Identifier: MIT
 *
 * fig_job.h - the figures of a job
 */
#pragma once

#include "analyze/report/job/jobdata.h"

/* All of them, those over time only when the traces are there. */
void fig_job (FILE *out, const struct jobdata *d);

/* The timeline alone, with this id; title NULL: its own. seconds: of its axis,
 * at least the job's. */
void fig_timeline (FILE *out,
                   const struct jobscan *s,
                   const struct scan_rows *rows,
                   const char *id,
                   const char *title,
                   double seconds);

/* Parts of it, in fig_bill.c, fig_time.c and fig_calls.c. */
void fig_bill (FILE *out, const struct jobdata *d);
void fig_heats (FILE *out, const struct jobscan *s);
void fig_rates (FILE *out, const struct jobscan *s);
void fig_access (FILE *out, const struct jobscan *s);
void fig_histograms (FILE *out, const struct jobscan *s);
void fig_steps (FILE *out, const struct jobscan *s);
void fig_workers (FILE *out, const struct jobdata *d);
void fig_checkpoints (FILE *out, const struct jobdata *d);
void fig_timemap (FILE *out, const struct jobdata *d);
/* The flame graph; reads the traces again. */
void fig_tree (FILE *out, const struct jobdata *d);

/* The name of a process in figures: by its rank, or by its program where it has
 * none (rank ""). */
const char *fig_process_name (const char *rank,
                              const char *exe,
                              const char *host,
                              const char *pid);

/* -- processes of a job -> the rows of its figures: fig_time.c -- */

#define JOBROW_NONE UINT32_MAX

/* Which row each process is in; JOBROW_NONE: in none. */
struct jobrows {
    uint32_t *process, *node; /* by index of the totals */
};

/* Choose the rows of s, which are empty then: of processes the first ones of
 * ranks, then those with the most events; of nodes, where there are several,
 * those with the most events. */
void jobrows_make (struct jobrows *j,
                   struct jobscan *s,
                   const struct result *r);
/* The rows of figures that have one row a process: nodes, where a job has
 * several and its processes are too many. */
const struct scan_rows *jobrows_shown (const struct jobscan *s);

/* " 48 of 1 000 processes: …"; "" when all are shown. */
const char *jobrows_words (const struct scan_rows *rows);
