/* SPDX-License-Identifier: MIT
 *
 * askjob.h - a question about an open job -> its answer, in one reading where
 *            that will do
 */
#ifndef DFT_ANALYZE_ASKJOB_H
#define DFT_ANALYZE_ASKJOB_H

#include "analyze/facts/jobcontext.h"

struct question {
    const struct query *q;
    struct job *job; /* open */
    const struct kind_rules *rules;
    int threads;
};

/* Which rank a process belongs to and when the job was follows from what
 * processes say of themselves. Where the events say another time, as in a job
 * that was killed, or that a file is a checkpoint (learn.h), and the question
 * depends on it, the job is read once more. Steps and epochs are found in a
 * reading before. 0, or -1 with err. t and s, which are to be cleared in any
 * case, then have at least processes, ranks and health. */
int askjob (const struct question *question,
            struct query_answer *a,
            struct totals *t,
            struct summary *s,
            struct errtext *err);

#endif
