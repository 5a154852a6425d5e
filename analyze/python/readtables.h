/* SPDX-License-Identifier: MIT
 *
 * readtables.h - questions about a job -> tables
 *
 * Each function reads what it needs, gives a new table, which is the caller's,
 * or NULL with err; errno EINVAL: the question is wrong.
 */
#ifndef DFT_READER_READTABLES_H
#define DFT_READER_READTABLES_H

#include "analyze/python/readjob.h"
#include "analyze/query/query.h"
#include "lib/util/textable.h"

/* As dftrace analyze --by, --show, --where, --sort, --top, --interval. Members
 * may be NULL; where ends with NULL; top 0: all rows. */
struct readtables_asked {
    const char *by, *show, *sort;
    const char *const *where;
    uint64_t interval; /* ns; 0: chosen */
    size_t top;
};

struct textable *readtables_query (struct readjob *j,
                                   const struct readtables_asked *asked,
                                   struct errtext *err);

/* A view of dftrace help views; top rows where they have an order. */
struct textable *readtables_view (struct readjob *j,
                                  const char *word,
                                  size_t top,
                                  struct errtext *err);

/* --view tree: paths, of by (NULL, or host, process, thread, rank). */
struct textable *readtables_tree (struct readjob *j,
                                  const struct readtables_asked *asked,
                                  struct errtext *err);

/* All metrics: name, value, unit, definition, why there is none. */
struct textable *readtables_metrics (struct readjob *j, struct errtext *err);

#endif
