/* SPDX-License-Identifier: MIT
 *
 * screenfilter.h - which files the trace of a job leaves out (for screen.c)
 */
#ifndef DFT_ANALYZE_SCREENFILTER_H
#define DFT_ANALYZE_SCREENFILTER_H

#include "analyze/render/screenline.h"
#include "analyze/trace/jobinfo.h"

/* Nothing where no job.json says how the job was traced. */
void screenfilter_put (struct screen *s, const struct job_info *info);

#endif
