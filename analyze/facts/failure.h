/* SPDX-License-Identifier: MIT
 *
 * failure.h - which program of a job failed, and how
 */
#ifndef DFT_ANALYZE_FAILURE_H
#define DFT_ANALYZE_FAILURE_H

#include "analyze/facts/summary.h"

enum { FAILURE_TEXT_MAX = 256, FAILURE_SENTENCE_MAX = 320 };

struct failure {
    const struct process *process; /* NULL: none is known to have failed */
    size_t more;                   /* others that a signal has ended */
};

/* The first process that a signal has ended, else one whose end is not known
 * and that was in a call, else the one whose status the command of the job had.
 * Helpers that end with a status of their own, and those that the job ends when
 * it has done its work, have not failed. Tasks of a step before the batch
 * script, which ends as they did. */
void failure_find (struct failure *f,
                   const struct job *job,
                   const struct totals *t);

/* Whether this is that one, or has failed, too: by its status only one has. */
int failure_has (const struct job *job,
                 const struct failure *f,
                 const struct process *p);

/* That of the one which failed, with the number of the others. 0: none has. */
int failure_sentence (char buf[FAILURE_SENTENCE_MAX],
                      const struct job *job,
                      const struct totals *t,
                      const struct summary *s);

/* The call that the process was in, "flock /tmp/lock"; and how long until its
 * end, or that of the job, ns. 0: none is known. */
int failure_doing (char buf[FAILURE_TEXT_MAX],
                   const struct job *job,
                   const struct process *p);
uint64_t failure_doing_ns (const struct job *job,
                           const struct summary *s,
                           const struct process *p);

#endif
