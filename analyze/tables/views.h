/* SPDX-License-Identifier: MIT
 *
 * views.h - totals of a job -> the tables of views.def
 */
#ifndef DFT_ANALYZE_VIEWS_H
#define DFT_ANALYZE_VIEWS_H

#include "analyze/facts/metrics.h"
#include "analyze/scan/tally.h"
#include "lib/model/view.h"
#include "lib/util/textable.h"

/* Has the view something to say that the one page of a job should have? */
int view_speaks (const struct result *r, enum view v);

/* A new table, to be destroyed by the caller; at most top rows where rows are
 * sorted by weight (0: all). NULL when memory is short. */
struct textable *view_make (const struct result *r, enum view v, size_t top);

/* One row per job: label, then the study metrics or all of them. */
struct textable *study_make (int all);
void study_row (struct textable *t, const struct result *r, int all);

#endif
