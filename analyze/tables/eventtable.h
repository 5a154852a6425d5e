/* SPDX-License-Identifier: MIT
 *
 * eventtable.h - the events that a condition lets through -> rows (--view
 * event)
 */
#ifndef DFT_ANALYZE_EVENTTABLE_H
#define DFT_ANALYZE_EVENTTABLE_H

#include "analyze/query/query.h"
#include "analyze/tables/views.h"

enum { EVENTTABLE_MAX = 1 << 20 }; /* rows; more are refused */

struct eventtable {
    const struct where *where; /* NULL: all events */
    enum where_column sort;    /* of numbers */
    int ascending;
    size_t top; /* 0: all of them */
    int threads;
};

/* Columns that --sort takes: numbers of events. 0, or -1 with err. */
int eventtable_parse_sort (struct eventtable *e,
                           const char *word,
                           struct errtext *err);

/* A row for each event, in order; reads the job again. 0, or -1 with err. */
int eventtable_rows (struct textable *t,
                     const struct eventtable *e,
                     const struct result *r,
                     const struct kind_rules *rules,
                     struct errtext *err);

#endif
