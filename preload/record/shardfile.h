/* SPDX-License-Identifier: MIT
 *
 * shardfile.h - the file of this process's shard, and space in it
 *
 * Private to the recorder. No descriptor stays open: the file is opened by
 * its name for each new chunk, and must then still be the file it was. So
 * nothing the program does to its descriptors can touch the trace, and the
 * trace can never write to a descriptor the program got in the meantime. Who
 * is about to lose the way to that name has one descriptor kept.
 */
#pragma once

#include <sys/types.h>

#include "lib/format/shard.h"
#include "lib/settings/settings.h"
#include "preload/record/procinfo.h"

/* -- the file of this process's shard, and space in it -- */

/* Make the file with its process block. start_*: of this process. 0, or -1
 * (no directory, no space; losses then count in the file of the ancestor that
 * has one, if any); not thread safe. */
struct shardfile_start {
    uint64_t real_ns, mono_ns, tick;
    uint64_t hz; /* ticks a second, as known so far */
    pid_t pid;
};
int shardfile_create (const struct settings *s,
                      const struct procinfo *info,
                      const struct shardfile_start *start);

/* The file is that of the node; a chunk may be a page. */
int shardfile_is_shared (void);

/* A chunk of the file. */
struct shardfile_chunk {
    struct shard_block *block; /* capacity bytes, zeroed */
    uint64_t offset;           /* in the file */
    uint32_t capacity;
    int mapped; /* else memory, written by shardfile_chunk_end */
    int stays;  /* a part of the mapping of the process block */
    int profile;
};

/* Reserve capacity bytes (a multiple of SHARD_ALIGN). -1: no space, limit
 * reached (EFBIG), file gone. profile: the limits of events are not its own,
 * unless the process has a profile from the start. Thread safe. */
int shardfile_chunk_begin (struct shardfile_chunk *c,
                           uint32_t capacity,
                           int profile);

/* Keep a descriptor for when the name leads nowhere any more: before the
 * process changes its root or its user. Close-on-exec; used only as long as it
 * is one of that file. */
void shardfile_keep (void);

/* Seal: totals, checksum, flag; write it out if it is memory; give unused
 * pages back; unmap. last: this is the process's end, also cut the file if
 * the chunk is its last. */
void shardfile_chunk_end (struct shardfile_chunk *c, int last);

/* Only unmap, in a child of fork: the chunk is the parent's. */
void shardfile_chunk_drop (struct shardfile_chunk *c);

/* Note an orderly end of the process; ended: enum shard_ended, 0 not known. */
void shardfile_finish (uint64_t end_ns, uint32_t ended);

/* Back to before shardfile_create, in a child of fork; interrupted: in the
 * middle of one of the above, which may go on and must not reach the file. */
void shardfile_forget (int interrupted);

/* -- the process block of a shard -- */

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

/* -- room in a file, mapped or to be written (private to the recorder) -- */

/* Whether a file may have end bytes: by max (0: any number) and by the
 * process's limit, beyond which the kernel answers with a signal. */
int filespace_allowed (uint64_t end, uint64_t max);

/* A store to space that the file system has promised succeeds, also after the
 * page was written back: elsewhere (copy on write, network) it may end the
 * process. Only there may more be stored than events need. Of the file that
 * this process writes to. */
extern int filespace_kept;
void filespace_look (int fd);
int filespace_keeps (int fd);             /* that of any file or directory */
int filespace_keeps_type (unsigned type); /* of statfs */

/* The space from offset on is promised. */
int filespace_promise (int fd, uint64_t offset, size_t size);

/* Map size bytes of the file at offset, with their space promised; memory
 * instead (*mapped becomes 0) where the file system has no promises to give: at
 * offset 0 such that children of fork have it, too. */
void *
filespace_map (int fd, uint64_t offset, size_t size, uint64_t max, int *mapped);

/* Write all n bytes. */
int filespace_write (int fd, const void *data, size_t n, uint64_t offset);
