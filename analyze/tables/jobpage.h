/* SPDX-License-Identifier: MIT
 *
 * jobpage.h - one job -> what `dftrace analyze` prints of it
 */
#ifndef DFT_TABLES_JOBPAGE_H
#define DFT_TABLES_JOBPAGE_H

#include <stdio.h>

#include "analyze/analyzeopts.h"
#include "analyze/facts/summary.h"
#include "analyze/tables/views.h"

/* -- one job -> what `dftrace analyze` prints of it -- */

/* All views that have something to say, or the one of o->view, to standard
 * output. 0, or -1: not all could be written.
 * With `all` the rows of the view go there instead, under the job's label. */
int jobpage_print (const struct analyze_options *o,
                   const struct result *r,
                   struct textable *all);

/* -- the metrics of a job as OpenMetrics text -- */

/* A gauge dftrace_job_NAME for each metric that is known, with labels that say
 * which job it is. Errors stay in the stream. */
void jobmetrics_write (FILE *out, const struct result *r);

#endif
