/* SPDX-License-Identifier: MIT
 *
 * merged.h - a job's trace.dft and its shards -> which has what (private to
 *            sources.c)
 */
#ifndef DFT_ANALYZE_MERGED_H
#define DFT_ANALYZE_MERGED_H

#include "analyze/trace/find.h"

/* Is the trace at path as good as the open sources of the job: newer, whole as
 * they are, and with their processes? 0 also where memory does not do. */
int merged_replaces (const char *path,
                     const struct tracefile *trace,
                     const struct job *job);

/* Has it a process that no open source has (they were removed)? 1 also where
 * memory does not do. */
int merged_adds (const struct tracefile *trace, const struct job *job);

#endif
