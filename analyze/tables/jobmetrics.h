/* SPDX-License-Identifier: MIT
 *
 * jobmetrics.h - the metrics of a job as OpenMetrics text
 */
#ifndef DFT_ANALYZE_JOBMETRICS_H
#define DFT_ANALYZE_JOBMETRICS_H

#include <stdio.h>

#include "analyze/facts/summary.h"

/* A gauge dftrace_job_NAME for each metric that is known, with labels that say
 * which job it is. Errors stay in the stream. */
void jobmetrics_write (FILE *out, const struct result *r);

#endif
