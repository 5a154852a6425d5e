/* SPDX-License-Identifier: MIT
 *
 * mounts.h - what events of opening say of file systems -> the mount of a file
 *
 * A prefix is a mount point, or a path from where a symbolic link leads to it.
 * The longest one that a path begins with says where the file is. Prefixes are
 * those of all processes of the job: where these (nodes, containers) have
 * different things at the same place, that is said.
 */
#pragma once

#include "lib/base/fsinfo.h"
#include "lib/util/strmap.h"

struct mount_entry {
    char type[MOUNTINFO_TYPE];   /* "several": processes differ */
    char point[MOUNTINFO_POINT]; /* "" not known */
    uint64_t block;              /* bytes; the largest of all */
};

/* Add what another one says of the same prefix to an entry, which is zeroed
 * when it is new. Both are struct mount_entry. */
void mounts_join (void *to, void *from, int isnew);

/* Mount of a path; NULL: not known. */
const struct mount_entry *
mounts_find (const struct strmap *mounts, const char *path, size_t length);

int mounts_is_shared (const struct mount_entry *e);
