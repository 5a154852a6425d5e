/* SPDX-License-Identifier: MIT
 *
 * compatread.h - a job -> its sums by DFAnalyzer's rules (private to
 * compat*.c)
 */
#ifndef DFT_ANALYZE_COMPATREAD_H
#define DFT_ANALYZE_COMPATREAD_H

#include "analyze/compat/compatlines.h"
#include "analyze/compat/compattally.h"
#include "analyze/trace/find.h"

/* When the open sources of a job began: us of CLOCK_REALTIME; UINT64_MAX:
 * nothing says so. 0, or -1 with errno. */
int compat_find_start (const struct job *job, uint64_t *start);

/* Count all events of the job's sources, which are open; lines were heard
 * meanwhile. 0, or -1 with errno. */
int compat_read (struct compat_tally *t,
                 const struct job *job,
                 const struct compat_lines *lines);

#endif
