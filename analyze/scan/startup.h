/* SPDX-License-Identifier: MIT
 *
 * startup.h - what happens before and around training, one process at a time
 *
 * Of Megatron's start: one rank builds the index and writes it, the others
 * wait at a barrier, then all map it at once.
 */
#pragma once

#include <stdint.h>

/* Times are ns of CLOCK_REALTIME, 0 never; the rows of facts.def add up from
 * threads to processes and ranks as they say. */
struct startup {
#define FACT(NAME, MERGE, HELP) uint64_t NAME;
#include "lib/model/facts.def"
#undef FACT
    /* the longest time without a call before the first step, in the thread
       that began the process */
    uint64_t quiet_start, quiet_end;
    uint64_t first_call, last_call; /* while it is read */
};

void startup_train (struct startup *s, uint64_t start, uint64_t end, int step);
void startup_barrier (struct startup *s, uint64_t ns);
void startup_built (struct startup *s,
                    uint64_t start,
                    uint64_t end,
                    uint64_t bytes);
void startup_map (struct startup *s,
                  uint64_t start,
                  uint64_t end,
                  uint64_t bytes);
/* A call of the thread that began the process, which starts out of order or
 * after the longest silence so far. */
void startup_odd_call (struct startup *s, uint64_t start);

/* Any call of it. */
static inline void
startup_call (struct startup *s, uint64_t start, uint64_t end)
{
    if (s->step_first)
        return;
    if (start <= s->last_call ||
        start - s->last_call >= s->quiet_end - s->quiet_start)
        startup_odd_call (s, start);
    if (end > s->last_call)
        s->last_call = end;
}

/* more is what the same thread did later. */
void startup_join (struct startup *s, const struct startup *more);

void startup_merge (struct startup *s, const struct startup *more);

/* How long the silence was inside [start, end). */
uint64_t
startup_quiet_in (const struct startup *s, uint64_t start, uint64_t end);
