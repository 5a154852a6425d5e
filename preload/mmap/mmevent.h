/* SPDX-License-Identifier: MIT
 *
 * mmevent.h - observations of layer mmap -> recorder
 */
#ifndef DFT_PRELOAD_MMEVENT_H
#define DFT_PRELOAD_MMEVENT_H

#include <stdint.h>

#include "lib/format/mmlosses.h"
#include "preload/mmap/mm.h"
#include "preload/mmap/mmperf.h"

/* A mapping that has been looked at from end to end; bytes. */
struct mmevent_pages {
    const struct mm_map *map;
    uint64_t present, touched;
    uint64_t cached, loaded;
    int cached_known;
};

/* MM_MINCORE once that has told something, else 0. */
extern unsigned mmevent_cached;

/* Totals count from here on: of the process, or of a child of fork. */
void mmevent_start (void);
void mmevent_atfork_child (void);

/* A thread's events are in the order of their ends, and faults are learnt of
 * late: what is written between these two goes to a chunk of its own, whoever
 * writes it, all at the time of the begin. One caller at a time. _begin: 0
 * where the thread is inside of our own code. */
int mmevent_begin (int last);
void mmevent_end (int last);

void mmevent_pages (const struct mmevent_pages *p);

/* Sorts them by their ends. */
void mmevent_faults (struct mm_fault *faults, unsigned n);

/* Behind the faults of that time. */
void mmevent_watched (const struct mm_watched *w);

/* Totals of the process, unless they are as at the last call; nothing where
 * there is neither a file nor anything to say. Returns how often storage had
 * delivered more than at the call before. */
uint32_t mmevent_usage (void);

/* Has storage delivered anything? */
int mmevent_any_read (void);

void mmevent_sources (unsigned sources,
                      int perf_errno,
                      const struct mm_losses *lost);

#endif
