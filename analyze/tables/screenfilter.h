/* SPDX-License-Identifier: MIT
 *
 * screenfilter.h - which files the trace of a job leaves out (for screen.c)
 */
#ifndef DFT_ANALYZE_SCREENFILTER_H
#define DFT_ANALYZE_SCREENFILTER_H

#include "analyze/facts/summary.h"
#include "analyze/tables/screenline.h"

/* How much of the kernel's count it has (screencoverage.h), then the settings:
 * nothing of them where no job.json says how the job was traced. */
void screenfilter_put (struct screen *s, const struct result *r);

#endif
