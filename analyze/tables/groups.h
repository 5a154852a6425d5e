/* SPDX-License-Identifier: MIT
 *
 * groups.h - events grouped by keys: --by, --view KEY, with --show and --sort
 */
#ifndef DFT_ANALYZE_GROUPS_H
#define DFT_ANALYZE_GROUPS_H

#include "analyze/query/show.h"
#include "analyze/tables/views.h"

/* Read the events of a job again and group them. Return 0, or -1 with err; the
 * answer is then empty. */
int groups_answer (struct query_answer *a,
                   const struct query *q,
                   const struct result *r,
                   const struct kind_rules *rules,
                   int threads,
                   struct errtext *err);

/* Add the columns of the keys and measures; without --show (items 0) ten usual
 * ones. */
void groups_columns (struct textable *t,
                     const struct query *q,
                     const struct show *s);

/* Add at most top rows (0: all), sorted by --sort, else by the keys that are
 * numbers and the first measure (usual columns: the time), with `by_measure`
 * by the measure only. */
void groups_rows (struct textable *t,
                  const struct query *q,
                  const struct show *s,
                  const struct query_answer *a,
                  int by_measure,
                  size_t top);

#endif
