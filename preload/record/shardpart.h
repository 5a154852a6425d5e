/* SPDX-License-Identifier: MIT
 *
 * shardpart.h - a process's part of the file that its node shares
 *
 * Private to shardfile.c, whose functions say what these do.
 */
#ifndef DFT_CORE_SHARDPART_H
#define DFT_CORE_SHARDPART_H

#include "preload/record/shardfile.h"

/* The process block, begun but for its magic, and behind it the first chunk.
 * NULL: there is no shared file, or no space in it. */
struct shard_block *shardpart_begin (const struct settings *s,
                                     const struct procinfo *info,
                                     const struct shardfile_start *start);

/* Bytes of both. */
uint32_t shardpart_size (void);

/* Before forks: what each child would look for anew. 0; -1: it is not there. */
int shardpart_look (const struct settings *s, const struct procinfo *info);

/* As shardpart_begin, only if the file exists or this process has its part. */
void shardpart_before_fork (void);

/* A place for c->capacity bytes, which the first may make less. 0 or -1. Thread
 * safe. */
int shardpart_chunk (struct shardfile_chunk *c);

/* End a sealed chunk after its used bytes; the rest is slack. */
void shardpart_chunk_end (struct shardfile_chunk *c, uint32_t used);

/* In a child of fork. */
void shardpart_forget (void);

#endif
