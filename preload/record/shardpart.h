/* SPDX-License-Identifier: MIT
 *
 * shardpart.h - a process's part of the file that its node shares
 *
 * Private to shardfile.c, whose functions say what these do.
 */
#pragma once

#include "preload/record/shardfile.h"

/* -- a process's part of the file that its node shares -- */

/* The process block, begun but for its magic, and behind it the first chunk.
 * NULL: there is no shared file, or no space in it. */
struct shard_block *shardpart_begin (const struct settings *s,
                                     const struct procinfo *info,
                                     const struct shardfile_start *start);

/* Bytes of both. */
uint32_t shardpart_size (void);

/* A place for c->capacity bytes, which the first may make less. 0 or -1. Thread
 * safe. */
int shardpart_chunk (struct shardfile_chunk *c);

/* End a sealed chunk after its used bytes; the rest is slack. */
void shardpart_chunk_end (struct shardfile_chunk *c, uint32_t used);

/* In a child of fork. */
void shardpart_forget (void);

/* -- what a process finds out before a fork, for all its children -- */

/* Not at each fork: what is written to after one is a page to be copied. */
int lookahead_due (void);

/* The clock; the node's file, if others have made it (s: NULL where this
 * process has its part of it); space for the places of children. To be called
 * where no other thread begins its part. */
void lookahead (const struct settings *s, const struct procinfo *info);

/* -- a process whose trace file was removed -> what it lost -- */

/* At the end of a process that has a trace file, once its counters are final:
 * where the file's name is gone, and the job has not been merged, its process
 * block is written alone into a new file, with its events as lost_space. The
 * job directory is made again, but nothing above it, and only where the plugin
 * or `dftrace run` had made it. */
void orphan_finish (const struct settings *s,
                    const struct procinfo *info,
                    const struct shardfile_start *start);
