/* SPDX-License-Identifier: MIT
 *
 * detailnow.h - whether this process has events or counters now
 *
 * Private to the recorder. In: the setting `detail`, limits that were reached,
 * steps, ranks, the time. Out: bit LAYER_PROFILE of recorder_layers, which
 * wrappers read anyhow, and detailnow_profiles. One state for all threads: each
 * of them looks at the end of a call, so that a call is an event or is counted.
 */
#pragma once

#include "lib/format/calls.h"
#include "lib/format/shard.h"
#include "lib/settings/settings.h"

/* -- whether this process has events or counters now -- */

/* The layers that are recorded from the start, LAYER_PROFILE among them or
 * not. ids: who we are; real_ns: now. Once, before threads. */
unsigned detailnow_start (const struct settings *s,
                          unsigned layers,
                          const struct shard_process *ids,
                          uint64_t real_ns);

/* In a child of fork, whose limits are its own. */
void detailnow_forked (void);

/* recorder_layers has been set anew. */
void detailnow_again (void);

/* Calls are counted now, and not events. */
static inline int detailnow_profiles (void)
{
    extern unsigned detailnow_profile __attribute__ ((visibility ("hidden")));

    return (int)__atomic_load_n (&detailnow_profile, __ATOMIC_RELAXED);
}

/* Tick at which a thread has to look at the time; UINT64_MAX: never. */
static inline uint64_t detailnow_due (void)
{
    extern uint64_t detailnow_tick __attribute__ ((visibility ("hidden")));

    return __atomic_load_n (&detailnow_tick, __ATOMIC_RELAXED);
}
void detailnow_look (void);

/* There is no more room for events: counters from here on, for good. */
void detailnow_limit (void);

/* The rank of this process is known (better). */
void detailnow_rank (int32_t rank, uint32_t ranks);

/* A bound for calls of this class, in ns: 1, and detailnow_slow is called once
 * the 99th percentile of a thread is above it. Else 0. */
int detailnow_bound (enum call_class *class, uint64_t *ns);
void detailnow_slow (void);

/* -- how much a process may write -- */

void filelimit_start (const struct settings *s);

/* Bytes of this process, for a block of events or of a profile; 0: no limit. */
uint64_t filelimit_bytes (int profile);

/* It has as many events as it may have:
 * counted where that costs nothing, in whole chunks. */
int filelimit_is_reached (int profile);
