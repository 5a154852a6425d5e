/* SPDX-License-Identifier: MIT
 *
 * otfevent.h - one event by itself, out of the columns of a batch
 */
#ifndef DFT_ANALYZE_OTFEVENT_H
#define DFT_ANALYZE_OTFEVENT_H

#include "analyze/trace/batch.h"

/* The columns of struct batch. */
struct otfevent {
    uint64_t start, end;
    uint64_t index; /* in its thread, by ends */
    uint64_t size, flags, bytes_read, bytes_written;
    int64_t offset, ret;
    uint32_t name, name2;
    int32_t error, fd;
    uint16_t call;
    uint16_t args;
    const struct batch_arg *arg; /* [args]; not the event's */
};

/* Does a come before b where events are in the order of their starts? What
 * encloses another event comes first; of equal times, the one that the trace
 * has later. */
static inline int otfevent_before (const struct otfevent *a,
                                   const struct otfevent *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    return a->end != b->end ? a->end > b->end : a->index > b->index;
}

#endif
