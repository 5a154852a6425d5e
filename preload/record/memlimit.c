/* SPDX-License-Identifier: MIT
 *
 * memlimit.c - may a trace that is staged in memory grow?
 *
 * In:  statfs of the staging directory; /proc/self/cgroup; memory.max and
 *      memory.stat of the process's cgroup and those above it, of both versions
 * Out: yes or no
 * Caveat: where the staging directory is in memory and the limit cannot be
 *         read, a process has UNREADABLE_CHUNKS chunks.
 */
#include "config.h"

#include <stdint.h>
#include <string.h>
#include <sys/vfs.h>

#include "preload/record/memlimit.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"

enum {
    SHARE = 8, /* of the limit */
    UNREADABLE_CHUNKS = 64,
    TEXT_BYTES = 8192,
    GROUPS_BYTES = 2048,
    PATH_BYTES = 512 /* the stack may be that of a signal handler */
};

#define TMPFS       0x01021994
#define RAMFS       0x858458f6
#define HUGE_LIMIT  (UINT64_C (1) << 60) /* version 1 has no word for none */
#define MOUNT_POINT "/sys/fs/cgroup"

static SYS_STATE struct {
    int in_memory;
    int chunks; /* asked for */
} memlimit;

void memlimit_start (const struct settings *s)
{
    const char *stage = SETTING_TEXT (s, stage);
    char path[PATH_BYTES], *slash;
    struct statfs fs;
    size_t n = strnlen (stage, sizeof (path) - 1);

    memlimit.in_memory = memlimit.chunks = 0;
    if (n == 0 || n == sizeof (path) - 1 || stage[0] != '/')
        return;
    memcpy (path, stage, n);
    path[n] = '\0';
    /* it may not be there yet: what it will be made in */
    while (sys_call (SYS_statfs, path, &fs) < 0) {
        slash = strrchr (path, '/');
        if (!slash || slash == path)
            return;
        *slash = '\0';
    }
    memlimit.in_memory = fs.f_type == TMPFS || (unsigned)fs.f_type == RAMFS;
}

/* --- files of the kernel ---------------------------------------------------
 */

static int memlimit_read (const char *path, char *text, size_t room)
{
    int fd = highfd_brief (AT_FDCWD, path, O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : sys_read (fd, text, room - 1);

    if (fd >= 0)
        (void)sys_close (fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? 0 : -1;
}

static uint64_t memlimit_number (const char *p)
{
    uint64_t n = 0;

    while (*p >= '0' && *p <= '9')
        n = n * 10 + (uint64_t)(*p++ - '0');
    return n;
}

/* The number behind a word at the begin of a line; 0. */
static uint64_t memlimit_value (const char *text, const char *word)
{
    size_t n = strlen (word);

    while (text && *text) {
        if (strncmp (text, word, n) == 0 && text[n] == ' ')
            return memlimit_number (text + n + 1);
        text = strchr (text, '\n');
        text = text ? text + 1 : NULL;
    }
    return 0;
}

/* One version: where its files are, and their words. */
struct memlimit_version {
    const char *mark; /* in a line of /proc/self/cgroup, before the path */
    const char *root, *limit, *memory;
};

static const struct memlimit_version versions[] = {
    {":memory:", MOUNT_POINT "/memory", "/memory.limit_in_bytes",
     "total_shmem"},
    {"0::", MOUNT_POINT, "/memory.max", "shmem"}};

/* FILE of the cgroup in path, whose n first bytes count. */
static int memlimit_file (
    const char *path, size_t n, const char *file, char *text, size_t room)
{
    char name[PATH_BYTES];
    size_t length = strlen (file);

    if (n + length >= sizeof (name))
        return -1;
    memcpy (name, path, n);
    memcpy (name + n, file, length + 1);
    return memlimit_read (name, text, room);
}

/* 1 reached, 0 not, -1 nothing is to be read there. */
static int memlimit_level (const struct memlimit_version *v,
                           const char *path,
                           size_t n,
                           char *text)
{
    uint64_t limit;

    if (memlimit_file (path, n, v->limit, text, TEXT_BYTES) < 0)
        return -1;
    limit = memlimit_number (text);
    if (limit == 0 || limit >= HUGE_LIMIT) /* "max" */
        return 0;
    if (memlimit_file (path, n, "/memory.stat", text, TEXT_BYTES) < 0)
        return -1;
    return memlimit_value (text, v->memory) >= limit / SHARE;
}

/* 1 when the share of the cgroup or of one above it is reached, 0 when not, -1
 * when no limit can be read. */
static int
memlimit_walk (const struct memlimit_version *v, const char *group, char *text)
{
    size_t root = strlen (v->root), n = strcspn (group, "\n");
    int known = -1;
    char path[384];

    if (root + n >= sizeof (path))
        return -1;
    memcpy (path, v->root, root);
    memcpy (path + root, group, n);
    n += root;
    while (n > root && path[n - 1] == '/')
        n--;
    for (;;) {
        int rc = memlimit_level (v, path, n, text);

        if (rc > 0)
            return 1;
        known = rc == 0 ? 0 : known;
        if (n <= root)
            return known;
        while (n > root && path[--n] != '/')
            ;
    }
}

static int memlimit_ask (char *text, char *groups)
{
    int known = -1;

    if (memlimit_read ("/proc/self/cgroup", groups, GROUPS_BYTES) < 0)
        return -1;
    for (size_t i = 0; i < sizeof (versions) / sizeof (versions[0]); i++) {
        const char *at = strstr (groups, versions[i].mark);
        int rc = at ? memlimit_walk (&versions[i],
                                     at + strlen (versions[i].mark), text)
                    : -1;

        if (rc > 0)
            return 1;
        known = rc == 0 ? 0 : known;
    }
    return known;
}

int memlimit_is_reached (void)
{
    char *text;
    int rc;

    if (!memlimit.in_memory)
        return 0;
    text = sys_memory (TEXT_BYTES + GROUPS_BYTES);
    rc = text ? memlimit_ask (text, text + TEXT_BYTES) : -1;
    if (text)
        (void)sys_munmap (text, TEXT_BYTES + GROUPS_BYTES);
    return rc >= 0 ? rc
                   : __atomic_fetch_add (&memlimit.chunks, 1,
                                         __ATOMIC_RELAXED) >= UNREADABLE_CHUNKS;
}
