/* SPDX-License-Identifier: MIT
 *
 * liveevent.h - a new event -> sums and last action of its process
 */
#ifndef DFT_TOP_LIVEEVENT_H
#define DFT_TOP_LIVEEVENT_H

#include <stdint.h>

#include "analyze/top/follow.h"
#include "analyze/top/live.h"

/* From one look to the next, ns of CLOCK_REALTIME; from 0: the first look. */
struct live_interval {
    uint64_t from, to;
};

/* The call that it is in; NULL: none. */
void liveevent_doing (struct live_process *p, const struct doing *doing);

/* Of an event's time only what lies in the interval is counted. */
void live_event (struct live_process *p,
                 const struct live_interval *i,
                 const struct dict *dict,
                 const struct batch *b,
                 size_t at);

#endif
