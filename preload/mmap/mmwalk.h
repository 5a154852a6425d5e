/* SPDX-License-Identifier: MIT
 *
 * mmwalk.h - how much of each mapping is there, bit by bit
 */
#ifndef DFT_PRELOAD_MMWALK_H
#define DFT_PRELOAD_MMWALK_H

#include <stdint.h>

/* CPU time of this thread: what others do on a busy node is not our cost. */
uint64_t mmwalk_cpu_ns (void);

/* Look at mappings that overlap a range until that CPU time; anew: each from
 * its begin, else from where it was left. The page cache is looked at only
 * where `deliveries`, a count, has changed since the look before. False: the
 * time was over before the end. */
int mmwalk_maps (uint64_t start,
                 uint64_t end,
                 uint64_t deadline,
                 int anew,
                 uint32_t deliveries);

/* Mappings with this id were cut or moved: what is there now is where they
 * begin. may: look at once; else the next look counts nothing, and they go
 * without one until then. */
void mmwalk_rebase (uint32_t id, int may);

/* So many bytes of mappings more went without a look: what was touched there
 * since the look before is not known. */
void mmwalk_skip (uint64_t bytes);
uint64_t mmwalk_unlooked (void); /* of all so far; any thread */

/* How pages are known: bits of enum mm_source. */
unsigned mmwalk_how (void);

void mmwalk_atfork_child (void);

#endif
