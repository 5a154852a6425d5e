/* SPDX-License-Identifier: MIT
 *
 * mounts.c - prefixes of paths -> type, mount point and block size
 *
 * In:  arguments of events, from scan.c; partial results
 * Out: the mount of a file, to tables and findings
 */
#include "config.h"

#include "analyze/scan/mounts.h"
#include "lib/base/array.h"

static const char several[] = "several";

void mounts_join (void *entry, void *more, int isnew)
{
    struct mount_entry *to = entry;
    const struct mount_entry *from = more;

    if (isnew) {
        *to = *from;
        return;
    }
    if (strcmp (to->type, from->type) != 0)
        memcpy (to->type, several, sizeof (several));
    if (strcmp (to->point, from->point) > 0) /* whichever is met first */
        memcpy (to->point, from->point, sizeof (to->point));
    to->block = MAX (to->block, from->block);
}

static const struct mount_entry *
mounts_at (const struct strmap *mounts, const char *prefix, size_t length)
{
    int64_t at = strmap_find (mounts, prefix, length);

    return at < 0 ? NULL : strmap_value (mounts, at);
}

const struct mount_entry *
mounts_find (const struct strmap *mounts, const char *path, size_t length)
{
    const struct mount_entry *e;

    if (!mounts || length == 0 || path[0] != '/')
        return NULL;
    for (; length > 1; length--)
        if ((path[length] == '/' || path[length] == '\0') &&
            (e = mounts_at (mounts, path, length)))
            return e;
    return mounts_at (mounts, "/", 1);
}

int mounts_is_shared (const struct mount_entry *e)
{
    static const char *const types[] = {
        "lustre", "gpfs",       "beegfs",         "nfs",   "nfs4",
        "smb",    "cifs",       "smb3",           "ceph",  "panfs",
        "gfs2",   "ocfs2",      "orangefs",       "pvfs2", "afs",
        "wekafs", "fuse.sshfs", "fuse.glusterfs", "9p",    "virtiofs"};

    for (size_t i = 0; i < ITEMS (types); i++)
        if (strcmp (types[i], e->type) == 0)
            return 1;
    return 0;
}
