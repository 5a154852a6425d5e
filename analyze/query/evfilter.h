/* SPDX-License-Identifier: MIT
 *
 * evfilter.h - --where, event by event, while a trace is read
 */
#ifndef DFT_ANALYZE_EVFILTER_H
#define DFT_ANALYZE_EVFILTER_H

#include "analyze/query/where.h"
#include "lib/core/record/event.h"
#include "lib/core/tracefile.h"

/* What texts of a chunk are worth is remembered, so that a pattern is tried
 * once for each name. Zero but for the first two. */
struct evfilter {
    const struct where *where; /* NULL: everything is wanted */
    uint64_t start;            /* of the job, ns of CLOCK_REALTIME */
    const struct trace_process *who;
    uint32_t tid;
    int none; /* no event of this thread can be wanted */
    unsigned char call[CALL_MAX];
    unsigned char *id; /* owned */
    size_t room;
};

/* A chunk of this thread comes. */
void evfilter_chunk (struct evfilter *f,
                     const struct trace_process *who,
                     uint32_t tid);

/* Is the event wanted, that began at start (ns of CLOCK_REALTIME)? 1, 0, or
 * -1 (ENOMEM). */
int evfilter_wants (struct evfilter *f,
                    const struct decoder *d,
                    const struct event *ev,
                    uint64_t start);

void evfilter_clear (struct evfilter *f);

#endif
