/* SPDX-License-Identifier: MIT
 *
 * eventtable.h - the events that a condition lets through -> rows (--view
 * event)
 */
#ifndef DFT_TABLES_EVENTTABLE_H
#define DFT_TABLES_EVENTTABLE_H

#include "analyze/query/query.h"
#include "analyze/tables/views.h"
#include "analyze/trace/batch.h"
#include "lib/util/textable.h"

/* -- the events that a condition lets through -> rows (--view event) -- */

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

/* -- an event that is kept -> a row of --view event -- */

/* An event that is kept. */
struct eventrow {
    int64_t by; /* what it is sorted by, turned so that less comes first */
    uint64_t start, end, bytes;
    size_t piece, at; /* which one it is */
    const struct trace_process *who;
    uint32_t tid, name, name2;
    uint16_t call;
    int has_bytes;
    int64_t rank, step, ret, offset;
    uint64_t size, flags;
    int32_t error;
    struct batch_arg *arg; /* owned */
    uint32_t args;
};

void eventrow_columns (struct textable *t);

#endif
