/* SPDX-License-Identifier: MIT
 *
 * failure.h - which program of a job failed, and how
 */
#ifndef DFT_ANALYZE_FAILURE_H
#define DFT_ANALYZE_FAILURE_H

#include "analyze/derive/summary.h"

enum { FAILURE_TEXT_MAX = 256 };

struct failure {
    const struct process *process; /* NULL: none is known to have failed */
    size_t more;                   /* others that a signal has ended */
};

/* The first process that a signal has ended, else the one whose status the
 * command of the job had. Helpers that end with a status of their own, and
 * those that the job ends when it has done its work, have not failed. */
void failure_find (struct failure *f,
                   const struct job *job,
                   const struct totals *t);

/* "python3 (4711): killed by signal 9", "sh (4711): exit status 3". */
void failure_text (char buf[FAILURE_TEXT_MAX], const struct process *p);

#endif
