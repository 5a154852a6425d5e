/* SPDX-License-Identifier: MIT
 *
 * pack.h - many shards of a node -> one in the job directory
 */
#pragma once

#include <dirent.h>

#include "lib/base/text.h"

/* -- many shards of a node -> one in the job directory -- */

enum {
    PACK_BATCH_BYTES = 256 * 1024 * 1024, /* within a leftover's turn */
    PACK_UNDONE_PARTS = 8, /* of a batch that took longer, the next time */
    PACK_BATCH_PARTS = 32  /* of a batch: none is smaller by intent */
};

struct pack {
    const char *from; /* directory with shards/ in it */
    const char *to;   /* the job directory; may be from */
    const char *host;
    size_t least; /* fewer shards stay as they are; 0: none is packed */
    int all;      /* every process has ended; else those that live stay */
    size_t batch; /* bytes of shards that become one; 0: all of them */
};

/* Put the shards of host in from into one of to for each batch, named
 * HOST-0-TIME.dft. What cannot be packed without a loss is moved as it is. Can
 * be repeated at any time: a batch that an earlier run left half done is
 * finished or undone, those before it stay done. What was undone is packed in
 * smaller batches; a shard that is larger than these is moved as it is. 0, or
 * -1 and err; shards are then where they were. */
int pack_shards (const struct pack *p, struct errtext *err);

/* As pack_shards, for each <stage>.STEP beside stage, into dir; remove those
 * that are then empty. */
int pack_stages (const char *stage,
                 const char *dir,
                 const char *host,
                 struct errtext *err);

/* Count each batch that is done, and each FILEMOVE_SYNC_BYTES of a shard that
 * is copied, in *done, too, which may be memory that a parent shares. */
void pack_count (unsigned *done);

/* HOST-PID-TIME.dft of this host; *pid when it is. A host name may hold
 * dashes, too. */
int pack_is_shard (const char *name, const char *host, long *pid);

/* -- files of lines in a stage -> those of the job directory -- */

/* Append each regular file of directory from whose name begins with prefix to
 * the one of that name in directory to, and remove it. Links are not followed.
 * Killed in between, lines come twice: who reads them must bear that. 0, or -1
 * with errno: files that are not done stay. */
int packlines (const char *from, const char *to, const char *prefix);

/* -- the shards of a host in a directory that can be packed -- */

struct packlist {
    char **item;
    uint64_t *bytes; /* of each on disk */
    size_t count, room;
};

/* A directory that is no link. NULL and errno. The caller's, for closedir. */
DIR *packlist_open (const char *path);

/* Add the shards of p's host in the directory whose processes have ended, or
 * all where p says so; a file that several processes share takes no more then.
 * 0, or -1 and errno. */
int packlist_shards (const struct pack *p,
                     const char *path,
                     struct packlist *names);

/* Free what packlist_shards made; empty then. */
void packlist_clear (struct packlist *names);

/* -- a file to another directory, on whatever file system -- */

/* A copy is on disk up to so many bytes before its end. */
enum { FILEMOVE_SYNC_BYTES = 64 * 1024 * 1024 };

/* rename, or copy under a temporary name, fsync, rename, unlink. Regular
 * files only, links are not followed. A copy that was killed goes on where it
 * was sure to be on disk. 0, or -1 with errno and the file where it was. */
int filemove (const char *from, const char *to, const char *name);

/* Count in *synced each FILEMOVE_SYNC_BYTES that a copy has put on disk. NULL:
 * no more. */
void filemove_count (unsigned *synced);
