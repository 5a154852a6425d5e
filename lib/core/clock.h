/* SPDX-License-Identifier: MIT
 *
 * clock.h - the tick of all events, and wall time
 */
#ifndef DFT_CORE_CLOCK_H
#define DFT_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

enum { CLOCK_NS_PER_S = 1000000000 };

static inline uint64_t clock_ns (clockid_t id)
{
    struct timespec ts = {0, 0};

    (void)clock_gettime (id, &ts);
    return (uint64_t)ts.tv_sec * CLOCK_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* The tick of this process; its rate is in the shard's process block. */
static inline uint64_t clock_tick (void)
{
    return clock_ns (CLOCK_MONOTONIC);
}

#endif
