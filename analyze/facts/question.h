/* SPDX-License-Identifier: MIT
 *
 * question.h - a question about an open job -> its answer, in one reading where
 *            that will do
 */
#pragma once

#include "analyze/facts/summary.h"
#include "analyze/query/query.h"

/* -- a question about an open job -> its answer, in one reading where that will
 * do -- */

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
int question_answer (const struct question *question,
                     struct query_answer *a,
                     struct totals *t,
                     struct summary *s,
                     struct errtext *err);

/* -- a job that has been read -> what a query needs to know of it -- */

/* Label and processes stay the job's and the totals'. Steps and epochs are
 * found only where a
 * key, condition or value of q asks for them. 0, or -1 with err. */
int jobcontext_make (struct query_context *c,
                     const struct query *q,
                     const struct job *job,
                     const struct totals *t,
                     const struct summary *s,
                     struct errtext *err);
