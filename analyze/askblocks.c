/* SPDX-License-Identifier: MIT
 *
 * askblocks.c - a question about a job -> its answer, from those blocks of its
 *               files that can matter
 *
 * In:  struct blockindex; the job
 * Out: the answer; a new index
 */
#include "config.h"

#include "analyze/askblocks.h"

int askblocks (struct blockindex *x,
               struct query_answer *a,
               const struct query *q,
               struct totals *t,
               struct summary *s,
               struct job *job,
               const struct kind_rules *rules,
               int threads,
               struct errtext *err)
{
    for (;;) {
        if (job_open (job, err) < 0)
            return -1;
        if (askjob (a, q, t, s, job, rules, threads, err) == 0)
            break;
        if (blockindex_held (x, job))
            return -1;
        summary_clear (s);
        totals_clear (t);
    }
    blockindex_pack (x, job);
    return 0;
}
