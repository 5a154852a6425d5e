/* SPDX-License-Identifier: MIT
 *
 * querypartial.h - what a query counts in a partition of a job <-> a file
 */
#ifndef DFT_ANALYZE_QUERYSHARE_H
#define DFT_ANALYZE_QUERYSHARE_H

#include "analyze/query/query.h"
#include "analyze/query/partial.h"

/* What is to be counted, and how. */
struct querypartial {
    const struct job *job;
    const struct query *query;
    const struct query_context *context;
    const struct kind_rules *rules;
    int threads;
};

/* Read the traces of an open job and write what the query counts, whole or not
 * at all. 0, or -1 with err. */
int querypartial_write (const char *path,
                        const struct partial_head *head,
                        const struct querypartial *w,
                        struct errtext *err);

/* Put the files of all partitions together. 0, or -1 with err; the answer is
 * then empty. */
int querypartial_read_all (struct query_answer *a,
                           const struct querypartial *w,
                           unsigned partitions,
                           struct errtext *err);

#endif
