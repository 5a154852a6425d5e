/* SPDX-License-Identifier: MIT
 *
 * keytable.h - the cells of a query -> rows of a table
 */
#ifndef DFT_ANALYZE_KEYTABLE_H
#define DFT_ANALYZE_KEYTABLE_H

#include "analyze/query/query.h"
#include "analyze/tables/views.h"

/* The answer to a query about a job that has been read: reads it again. 0, or
 * -1 with err; the answer is then empty. */
int keytable_answer (struct query_answer *a,
                     const struct query *q,
                     const struct result *r,
                     const struct kind_rules *rules,
                     int threads,
                     struct errtext *err);

/* Columns, then a row for each cell, at most top (0: all); first by number,
 * else by time. */
void keytable_columns (struct textable *t, const struct query *q);
void keytable_rows (struct textable *t,
                    const struct query *q,
                    const struct query_answer *a,
                    size_t top);

#endif
