/* SPDX-License-Identifier: MIT
 *
 * shardhead.h - the process block of a shard
 *
 * Private to the recorder.
 */
#ifndef DFT_CORE_SHARDHEAD_H
#define DFT_CORE_SHARDHEAD_H

#include "preload/record/shardfile.h"

/* Fill the block at b, which has size bytes of zeros, at most
 * SHARD_PROCESS_BYTES; it takes the whole pages that it needs (b->capacity).
 * The magic is left to the caller. */
void shardhead_fill (struct shard_block *b,
                     size_t size,
                     const struct settings *s,
                     const struct procinfo *info,
                     const struct shardfile_start *start);

/* The process is another rank than its environment said. p is the payload of
 * its block. Killed between the stores, it has a block of which readers say
 * that it is damaged; nothing else is lost. */
void shardhead_rank (struct shard_process *p, int32_t rank, uint32_t ranks);

/* The process has a profile from now on, too. Readers understand what is there
 * between the stores. Thread safe. */
void shardhead_profile (struct shard_process *p);

/* bytes, up to a whole page. */
uint32_t shardhead_pages (uint32_t bytes);

#endif
