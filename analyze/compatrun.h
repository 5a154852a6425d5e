/* SPDX-License-Identifier: MIT
 *
 * compatrun.h - DFAnalyzer's tables of a job that several tasks read
 *
 * Seconds count from when the job began. Our own traces say that in their
 * heads; where there are files of DFTracer it takes a first round, in which
 * each partition says when its own began.
 */
#ifndef DFT_ANALYZE_COMPATRUN_H
#define DFT_ANALYZE_COMPATRUN_H

#include "analyze/compat/compat.h"
#include "analyze/division.h"

/* What a task is asked for. All zero is nothing. */
struct compat_work {
    struct compat_layers layers;
    uint64_t start; /* us; 0: not known yet, which is the first round */
    struct division d;
};

/* Of a job whose sources are listed, all of them. 0, or -1 with err. */
int compat_work_make (struct compat_work *w,
                      const struct job *job,
                      const struct analyze_options *o,
                      struct errtext *err);
void compat_work_clear (struct compat_work *w);

/* Open the sources of a partition and write it. 0, or -1 with err. */
int compat_work_do (const struct compat_work *w,
                    const char *path,
                    const struct partial_head *head,
                    struct job *job,
                    struct errtext *err);

/* Put all partitions together; with o->tasks srun makes them first. 0, or -1
 * with err: a round is still to be done, or as partial_reduce. */
int compat_reduce (struct compat *c,
                   struct job *job,
                   const struct analyze_options *o,
                   struct errtext *err);

/* The numbers of DFAnalyzer: from partitions where the options say so, as
 * compat_reduce, else from the job's traces. 0, or -1 with err. */
int compatrun_load (struct compat *c,
                    struct job *job,
                    const struct analyze_options *o,
                    struct errtext *err);

#endif
