/* SPDX-License-Identifier: MIT
 *
 * mmwalk.h - how much of each mapping is there, bit by bit
 */
#pragma once

#include <stdint.h>

#include "preload/record/usage.h"

/* -- how much of each mapping is there, bit by bit -- */

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

/* -- a range of addresses -> its pages that are there -- */

/* Reserve buffers. 0 or -1. */
int mmpages_start (void);

/* The pagemap of the process, to be closed by the caller; -1. */
int mmpages_open (void);

/* Bytes of [start, end) in this process's page table. -1: cannot be known.
 * *source gets how (MM_PAGEMAP_SCAN or MM_PAGEMAP). */
int64_t
mmpages_present (int fd, uint64_t start, uint64_t end, unsigned *source);

/* Bytes in the node's page cache. True only of files that the user owns. */
int64_t mmpages_cached (uint64_t start, uint64_t end);
/* Return the cached bytes of a part of a file without a look at each page;
 * length 0 means to its end. */
int64_t mmpages_of_file (int fd, uint64_t offset, uint64_t length);
int64_t mmpages_cached_now (uint64_t start, uint64_t end); /* any thread */
