/* SPDX-License-Identifier: MIT
 *
 * evfilter.h - --where, batch by batch, while a trace is read
 */
#ifndef DFT_ANALYZE_EVFILTER_H
#define DFT_ANALYZE_EVFILTER_H

#include "analyze/query/where.h"
#include "analyze/trace/batch.h"

/* What names are worth is remembered, so that a pattern is tried once for each
 * of them. Zero but for the first three. */
struct evfilter {
    const struct where *where; /* NULL: everything is wanted */
    const struct dict *dict;
    uint64_t start; /* of the job, ns of CLOCK_REALTIME */
    const struct trace_process *who;
    uint32_t tid;
    int none; /* no event of this thread can be wanted */
    unsigned char call[CALL_MAX];
    unsigned char *name; /* by name; owned */
    size_t names;
};

/* wanted[i]: is event i of the batch wanted? 0, or -1 (ENOMEM). */
int evfilter_batch (struct evfilter *f,
                    const struct batch *b,
                    unsigned char *wanted);

void evfilter_clear (struct evfilter *f);

#endif
