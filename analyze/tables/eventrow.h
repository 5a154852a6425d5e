/* SPDX-License-Identifier: MIT
 *
 * eventrow.h - an event that is kept -> a row of --view event
 */
#ifndef DFT_ANALYZE_EVENTROW_H
#define DFT_ANALYZE_EVENTROW_H

#include "analyze/trace/batch.h"
#include "lib/util/textable.h"

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

/* Times are from start on. 0, or -1 (ENOMEM). */
int eventrow_put (struct textable *t,
                  const struct eventrow *e,
                  const struct dict *dict,
                  uint64_t start);

#endif
