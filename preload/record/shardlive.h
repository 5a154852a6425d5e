/* SPDX-License-Identifier: MIT
 *
 * shardlive.h - the counters of a process that change while it runs
 *
 * In memory until there is a file; then those of its process block. A child of
 * fork that can have no file (after chroot or setuid) counts in the block of
 * the nearest ancestor that has one, a page that stays mapped in it for that.
 * It is given no descriptor: out of a chroot that would be a way back. Of what
 * is on the page it has a copy anyhow; the worst it can do there is miscount.
 */
#pragma once

#include "lib/format/shard.h"

/* Return the process block to count in, never NULL. If the file cannot be
 * mapped, it is memory that is written at the end of a chunk.
 * Async-signal-safe. */
struct shard_process *shardlive (void);

static inline void shardlive_count (uint64_t *counter, uint64_t n)
{
    (void)__atomic_fetch_add (counter, n, __ATOMIC_RELAXED);
}

/* Add counts made before the file existed, or while it appeared: at its start,
 * at each end of a chunk and at the end. */
void shardlive_gather (void);

/* Room for a chunk behind what this process has, by file_bytes. -1
 * (ESHUTDOWN): it may have none any more. unreserve gives it back if nobody
 * reserved behind it. Thread safe. */
int shardlive_reserve (uint32_t capacity, uint64_t *offset);
void shardlive_unreserve (uint64_t offset, uint32_t capacity);

/* From now on the counters are those of this process's file. */
void shardlive_begin (struct shard_process *p);

/* There can be no file, at least for now: an ancestor's, if one has a file. */
void shardlive_begin_elder (void);

/* In a child of fork: memory again. Takes over the parent's process block, a
 * shared mapping of size bytes. NULL: the parent had no file. interrupted: code
 * that was at work on it may go on; it finds other memory in its place, and
 * file_bytes such that no chunk can begin. */
void shardlive_forget (struct shard_block *head, size_t size, int interrupted);
