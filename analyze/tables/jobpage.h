/* SPDX-License-Identifier: MIT
 *
 * jobpage.h - one job -> what `dftrace analyze` prints of it
 */
#ifndef DFT_ANALYZE_JOBPAGE_H
#define DFT_ANALYZE_JOBPAGE_H

#include "analyze/analyzeopts.h"
#include "analyze/tables/views.h"

/* All views that have something to say, or the one of o->view, to standard
 * output. 0, or -1: not all could be written.
 * With `all` the rows of the view go there instead, under the job's label. */
int jobpage_print (const struct analyze_options *o,
                   const struct result *r,
                   struct textable *all);

#endif
