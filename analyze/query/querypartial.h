/* SPDX-License-Identifier: MIT
 *
 * querypartial.h - counts of a query in a partition of a job <-> a file
 */
#ifndef DFT_ANALYZE_QUERYPARTIAL_H
#define DFT_ANALYZE_QUERYPARTIAL_H

#include "analyze/query/partial.h"
#include "analyze/query/query.h"

/* A query about an open job, and how it is answered. */
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
