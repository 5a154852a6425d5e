/* SPDX-License-Identifier: MIT
 *
 * askblocks.h - a question about a job -> its answer, from those blocks of its
 *               files that can matter
 */
#ifndef DFT_ANALYZE_ASKBLOCKS_H
#define DFT_ANALYZE_ASKBLOCKS_H

#include "analyze/facts/askjob.h"
#include "analyze/query/blockindex.h"

/* job_open, then askjob; with what x found. Where it does not hold, the job is
 * opened again and read as a whole. */
int askblocks (struct blockindex *x,
               struct query_answer *a,
               const struct query *q,
               struct totals *t,
               struct summary *s,
               struct job *job,
               const struct kind_rules *rules,
               int threads,
               struct errtext *err);

#endif
