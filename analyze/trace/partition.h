/* SPDX-License-Identifier: MIT
 *
 * partition.h - the traces of a job -> what each of several tasks reads
 */
#ifndef DFT_ANALYZE_PARTITION_H
#define DFT_ANALYZE_PARTITION_H

#include "analyze/trace/find.h"

enum { PARTITIONS_MAX = 100000 };

/* Deal n things of these sizes to partitions: the largest first, each to the
 * one that has least so far. Every task that asks gets the same answer. 0, or
 * -1 (ENOMEM). */
int partitions_deal (unsigned *partition,
                     const uint64_t *size,
                     size_t n,
                     unsigned partitions);

/* Find the traces of a job and keep those of a partition: files, or, when there
 * is one of ours only, processes of it. They are not open yet. With start the
 * heads of all are read, to know when the job began, for conditions of time:
 * DFTracer's files say that only when they are read. 0, or -1 with err. */
int job_take_partition (struct job *job,
                        unsigned partition,
                        unsigned partitions,
                        int start,
                        struct errtext *err);

#endif
