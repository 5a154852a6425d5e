/* SPDX-License-Identifier: MIT
 *
 * evfilter.h - --where, batch by batch, while a trace is read
 *
 * A condition is worked out column by column for a whole batch. What a call, a
 * file, a region or a thread decides alone is worked out once for each of
 * these, however many terms it has.
 */
#ifndef DFT_ANALYZE_EVFILTER_H
#define DFT_ANALYZE_EVFILTER_H

#include "analyze/query/where.h"
#include "analyze/trace/batch.h"

struct column_source;
struct evfilter_memo;

/* Zero but for the first four. */
struct evfilter {
    const struct where *where; /* NULL: everything is wanted */
    struct dict *dict;
    uint64_t start;               /* of the job, ns of CLOCK_REALTIME */
    struct column_source *source; /* of a query, which has seen the batch; NULL:
                                     there is none */
    struct column_source *own;    /* instead; owned */
    struct evfilter_memo *memo;   /* of each node; owned */
    const struct trace_process *who;
    uint32_t tid;
};

/* wanted[i]: is event i of the batch wanted? 0, or -1 (ENOMEM). */
int evfilter_batch (struct evfilter *f,
                    const struct batch *b,
                    unsigned char *wanted);

void evfilter_clear (struct evfilter *f);

#endif
