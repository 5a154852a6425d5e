/* SPDX-License-Identifier: MIT
 *
 * memorystage.c - staging directory, cgroups of this process -> may it be used?
 *
 * What a file system in memory holds counts against the memory limit of who
 * wrote it, and the kernel cannot take it back: whatever bound it had, a
 * program that needs the rest of its limit would be killed because of us. So
 * it is used only where no limit is. Async-signal-safe.
 */
#include "config.h"

#include <sys/vfs.h>

#include "lib/base/array.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "lib/settings/paths.h"

#define TMPFS         0x01021994u
#define RAMFS         0x858458f6u
#define OVERLAY       0x794c7630u /* its upper layer may be in memory */
#define HUGE_LIMIT    (UINT64_C (1) << 60) /* version 1 has no word for none */
#define MOUNT_POINT   "/sys/fs/cgroup"
#define FIRST_CGROUPS "cgroup:[4026531835]" /* the kernel's own namespace */

enum { GROUPS_BYTES = 2048, PATH_BYTES = 512 };

/* dir, or what it will be made in. Return 1 if it is in memory, or may be. */
static int memorystage_is_memory (const char *dir)
{
    size_t n = strnlen (dir, PATH_BYTES);
    char path[PATH_BYTES], *slash;
    struct statfs fs;
    unsigned type;

    if (n == 0 || n == sizeof (path) || dir[0] != '/')
        return n > 0;
    memcpy (path, dir, n + 1);
    while (sys_call (SYS_statfs, path, &fs) < 0) {
        slash = strrchr (path, '/');
        if (!slash || slash == path)
            return 0;
        *slash = '\0';
    }
    type = (unsigned)fs.f_type;
    return type == TMPFS || type == RAMFS || type == OVERLAY;
}

/* Bytes; 0: none, or it cannot be read. */
static size_t memorystage_read (const char *path, char *text, size_t room)
{
    int fd = highfd_brief (AT_FDCWD, path, O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : sys_read (fd, text, room - 1);

    if (fd >= 0)
        sys_close (fd);
    n = MAX (n, 0);
    text[n] = '\0';
    return n;
}

/* One version: where its files are, and their words. */
struct memorystage_version {
    const char *mark; /* in a line of /proc/self/cgroup, before the path */
    const char *root, *limit;
    const char *top; /* is there in the cgroup that is above all */
};

static const struct memorystage_version versions[] = {
    {":memory:", MOUNT_POINT "/memory", "/memory.limit_in_bytes",
     "/memory.limit_in_bytes"},
    {"\n0::", MOUNT_POINT, "/memory.max", "/cgroup.controllers"}};

/* FILE of the cgroup in path, whose n first bytes count; as above. */
static size_t
memorystage_file (char *path, size_t n, const char *file, char *text)
{
    if (n + strlen (file) >= PATH_BYTES)
        return 0;
    memcpy (path + n, file, strlen (file) + 1);
    return memorystage_read (path, text, GROUPS_BYTES);
}

static int memorystage_has_limit (const struct memorystage_version *v,
                                  char *path,
                                  size_t n,
                                  char *text)
{
    uint64_t limit = 0;
    const char *p = text;

    if (!memorystage_file (path, n, v->limit, text))
        return 0;
    while (*p >= '0' && *p <= '9' && limit < HUGE_LIMIT)
        limit = limit * 10 + (uint64_t)(*p++ - '0');
    return p > text && limit < HUGE_LIMIT; /* else "max" */
}

/* From the cgroup up to its mount. 1: there is a limit; 0: none; -1: not known.
 */
static int memorystage_walk (const struct memorystage_version *v,
                             const char *group)
{
    size_t root = strlen (v->root), n = strcspn (group, "\n");
    char path[PATH_BYTES], text[GROUPS_BYTES];

    if (root + n >= sizeof (path))
        return -1;
    memcpy (path, v->root, root);
    memcpy (path + root, group, n);
    n += root;
    if (path[n - 1] == '/')
        n--;
    /* we are in it: else it is a path of another mount */
    if (!memorystage_file (path, n, "/cgroup.procs", text))
        return -1;
    for (;;) {
        if (memorystage_has_limit (v, path, n, text))
            return 1;
        if (n <= root)
            return memorystage_file (path, n, v->top, text) ? 0 : -1;
        while (n > root && path[--n] != '/')
            ;
    }
}

int paths_use_limited_memory (const char *dir)
{
    char groups[GROUPS_BYTES + 1], own[sizeof (FIRST_CGROUPS)];
    int known = 0;
    ssize_t n;

    if (!memorystage_is_memory (dir))
        return 0;
    /* limits above a namespace cannot be seen from within; kernels without
     * such namespaces have no such file */
    n = sys_readlink ("/proc/self/ns/cgroup", own, sizeof (own));
    if (n >= 0 && (n != sizeof (FIRST_CGROUPS) - 1 ||
                   memcmp (own, FIRST_CGROUPS, n) != 0))
        return 1;
    groups[0] = '\n';
    if (!memorystage_read ("/proc/self/cgroup", groups + 1, GROUPS_BYTES))
        return 1;
    for (size_t i = 0; i < sizeof (versions) / sizeof (versions[0]); i++) {
        const char *at = strstr (groups, versions[i].mark);
        int rc =
            at ? memorystage_walk (&versions[i], at + strlen (versions[i].mark))
               : -1;

        if (rc > 0)
            return 1;
        known |= rc == 0;
    }
    return !known;
}
