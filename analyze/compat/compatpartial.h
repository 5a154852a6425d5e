/* SPDX-License-Identifier: MIT
 *
 * compatpartial.h - DFAnalyzer's sums of a partition of a job <-> a file
 */
#ifndef DFT_ANALYZE_COMPATSHARE_H
#define DFT_ANALYZE_COMPATSHARE_H

#include "analyze/compat/compattally.h"
#include "analyze/query/partial.h"

/* For these files only. */
enum compat_section {
    LAYER_SOURCE = PARTIAL_HEAD + 1,
    LAYER_PROCESS,
    LAYER_BOUNDS,
    LAYER_TOTALS,
    LAYER_PROCESS_ID, /* the things of struct compat_totals, in order */
    LAYER_NODE,
    LAYER_FILE,
    LAYER_PATH,
    LAYER_OP,
    LAYER_THREAD,
    LAYER_RUN,
    LAYER_END
};

/* Write what the sources of a partition have, which are open, whole or not at
 * all; t NULL: only when they began. 0, or -1 with err. */
int compatpartial_write (const char *path,
                         const struct partial_head *head,
                         const struct job *job,
                         const struct compat_tally *t,
                         struct errtext *err);

/* All partitions of a job, whose sources are listed, put together: what is
 * wrong with these, and the sums into t; t NULL: only when the job began, us,
 * in *start. 0, or -1 with err: as partial_reduce. */
int compatpartial_read_all (const struct partial_head *head,
                            struct job *job,
                            struct compat_tally *t,
                            uint64_t *start,
                            struct errtext *err);

#endif
