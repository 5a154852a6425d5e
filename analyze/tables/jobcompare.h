/* SPDX-License-Identifier: MIT
 *
 * jobcompare.h - the answers of two jobs to one question -> what changed
 */
#ifndef DFT_TABLES_JOBCOMPARE_H
#define DFT_TABLES_JOBCOMPARE_H

#include "analyze/analyzeopts.h"
#include "analyze/query/query.h"
#include "lib/util/textable.h"

/* -- the answers of two jobs to one question -> what changed -- */

enum jobcompare_verdict {
    JOBCOMPARE_SAME,
    JOBCOMPARE_SLOWER,
    JOBCOMPARE_FASTER,
    JOBCOMPARE_NEW, /* only in the second job */
    JOBCOMPARE_GONE /* only in the first one */
};

/* A group of events of the first job, the second, or both. */
struct jobcompare_row {
    const struct query_cell *cell[2]; /* NULL: not in this job */
    enum jobcompare_verdict verdict;
    struct hist_ratio than; /* of durations, second to first; p by Holm's
                               method */
};

struct jobcompare {
    struct jobcompare_row *row; /* owned; by the change of their time */
    size_t count;
    size_t slower;
};

/* The answers are of the same query, which measures QUERY_TIMES; they must
 * outlive c. Slower or faster is what differs by more than `limit` (0.1: 10 %)
 * and is no chance (p below 0.05). 0, or -1 (ENOMEM). */
int jobcompare_make (struct jobcompare *c,
                     const struct query *q,
                     const struct query_answer *a,
                     const struct query_answer *b,
                     double limit);
void jobcompare_clear (struct jobcompare *c); /* zeroed is fine */

void jobcompare_columns (struct textable *t, const struct query *q);
/* At most top rows, 0: all. */
void jobcompare_rows (struct textable *t,
                      const struct query *q,
                      const struct jobcompare *c,
                      size_t top);

/* -- a job and its baseline without real data -> what the loader costs -- */

struct jobbaseline;

/* The job that o->baseline names, with the rules and condition of the others.
 * NULL and err when it cannot be read, or is more than one job. */
struct jobbaseline *jobbaseline_load (const struct analyze_options *o,
                                      struct errtext *err);
void jobbaseline_destroy (struct jobbaseline *t); /* NULL is fine */
const struct result *jobbaseline_result (const struct jobbaseline *t);

/* A new table: first what the loader costs, then every metric that both have.
 * NULL when memory is short. */
struct textable *jobbaseline_table (const struct result *r,
                                    const struct result *baseline);

#endif
