/* SPDX-License-Identifier: MIT
 *
 * packlist.h - the shards of a host in a directory that can be packed
 */
#ifndef DFT_EPILOG_PACKLIST_H
#define DFT_EPILOG_PACKLIST_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

#include "spank/epilog/pack.h"

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

#endif
