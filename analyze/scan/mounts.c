/* SPDX-License-Identifier: MIT
 *
 * mounts.c - prefixes of paths -> type, mount point and block size
 *
 * In:  arguments of events, from scan.c; partial results
 * Out: the mount of a file, to tables and findings
 */
#include "config.h"

#include "analyze/scan/mounts.h"
#include "lib/util/xalloc.h"

static const char several[] = "several";

void mounts_say (struct strmap **mounts,
                 const char *prefix,
                 size_t length,
                 const struct mount_entry *e)
{
    struct mount_entry *to;
    int64_t at;
    int isnew;

    if (!*mounts)
        *mounts = strmap_create ();
    at = strmap_intern (*mounts, prefix, length, &isnew);
    if (!(to = strmap_value (*mounts, at))) {
        to = xmalloc (sizeof (*to));
        *to = *e;
        strmap_set (*mounts, at, to);
        return;
    }
    if (strcmp (to->type, e->type) != 0)
        memcpy (to->type, several, sizeof (several));
    if (strcmp (to->point, e->point) > 0) /* whichever is met first */
        memcpy (to->point, e->point, sizeof (to->point));
    if (e->block > to->block)
        to->block = e->block;
}

int mounts_merge (struct strmap **to, const struct strmap *from)
{
    for (size_t i = 0; from && i < strmap_count (from); i++) {
        size_t n;
        const char *prefix = strmap_key (from, i, &n);
        const struct mount_entry *e = strmap_value (from, i);

        if (e)
            mounts_say (to, prefix, n, e);
    }
    return 0;
}

void mounts_clear (struct strmap **mounts)
{
    for (size_t i = 0; *mounts && i < strmap_count (*mounts); i++)
        free (strmap_value (*mounts, i));
    strmap_destroy (*mounts);
    *mounts = NULL;
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

/* --- types -------------------------------------------------------------- */

static int mounts_among (const char *const *types, const char *type)
{
    for (; *types; types++)
        if (strcmp (*types, type) == 0)
            return 1;
    return 0;
}

int mounts_is_shared (const struct mount_entry *e)
{
    static const char *const types[] = {
        "lustre", "gpfs",       "beegfs",         "nfs",   "nfs4",
        "smb",    "cifs",       "smb3",           "ceph",  "panfs",
        "gfs2",   "ocfs2",      "orangefs",       "pvfs2", "afs",
        "wekafs", "fuse.sshfs", "fuse.glusterfs", "9p",    "virtiofs",
        NULL};

    return mounts_among (types, e->type);
}
