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

/* Add what was said of a prefix to a map of struct mount_entry, made when it is
 * NULL. */
void mounts_say (struct strmap **mounts,
                 const char *prefix,
                 size_t length,
                 const struct mount_entry *e);
int mounts_merge (struct strmap **to, const struct strmap *from);
void mounts_clear (struct strmap **mounts);

/* Mount of a path; NULL: not known. */
const struct mount_entry *
mounts_find (const struct strmap *mounts, const char *path, size_t length);

int mounts_is_shared (const struct mount_entry *e);
