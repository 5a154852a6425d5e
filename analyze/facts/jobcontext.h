/* SPDX-License-Identifier: MIT
 *
 * jobcontext.h - a job that has been read -> what a query needs to know of it
 */
#ifndef DFT_ANALYZE_JOBCONTEXT_H
#define DFT_ANALYZE_JOBCONTEXT_H

#include "analyze/facts/summary.h"
#include "analyze/query/query.h"

/* Label and processes stay the job's and the totals'. Steps and epochs are
 * found only where a
 * key, condition or value of q asks for them. 0, or -1 with err. */
int jobcontext_make (struct query_context *c,
                     const struct query *q,
                     const struct job *job,
                     const struct totals *t,
                     const struct summary *s,
                     struct errtext *err);

/* Does q ask for steps or epochs, which a reading of its own finds? */
int jobcontext_needs_marks (const struct query *q);

#endif
