/* SPDX-License-Identifier: MIT
 *
 * ended.h - JOBDIR/shards/processes.HOST -> ends of processes that could not
 *           tell them
 */
#ifndef DFT_ANALYZE_ENDED_H
#define DFT_ANALYZE_ENDED_H

#include "analyze/trace/find.h"

/* Note the ends of the job's processes in its open sources: exit status or
 * signal, and when. Lines that make no sense, or are of no process of the job,
 * are passed over. */
void ended_apply (struct job *job);

#endif
