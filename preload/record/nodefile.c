/* SPDX-License-Identifier: MIT
 *
 * nodefile.c - directory, host -> the file that the processes of a node share
 *
 * In:  DIR/shards/HOST-0-KEY.dft, the same for all of them
 * Out: its first page, mapped; nodespace.c takes places in it
 * Caveat: async-signal-safe; any process may die at any instruction.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/vfs.h>

#include "lib/base/clock.h"
#include "preload/record/filespace.h"
#include "lib/base/highfd.h"
#include "preload/record/nodefile.h"
#include "preload/record/owntable.h"
#include "preload/record/shardpath.h"
#include "preload/record/shardplace.h"
#include "lib/format/shard.h"
#include "lib/base/sys.h"

enum {
    PATH_BYTES = 8192,
    FILES_MAX = 1000000, /* of a node */
    FOLLOW_MAX = 64,     /* full files, from the latest that is known */
    FIRST_BYTES = 64 << 10,
    FRESH_TICKS = 20000000 /* 20 ms, or less where a tick is a cycle */
};

static char path_of_node[PATH_BYTES];
static const char *place_of_node; /* the directory that it is in */

SYS_STATE struct nodestate node;

static struct shard_node *nodefile_live (struct shard_block *head)
{
    return (struct shard_node *)(head + 1);
}

/* --- descriptors ---------------------------------------------------------- */

static int is_node (const struct stat *st)
{
    return st->st_dev == node.dev && st->st_ino == node.ino;
}

static int nodefile_checked (int fd)
{
    struct stat st;

    if (fd < 0 || (sys_fstat (fd, &st) == 0 && is_node (&st)))
        return fd;
    (void)sys_close (fd);
    errno = ESTALE;
    return -1;
}

/* By its name, if it still is that file, or by what was kept. */
int nodefile_reopen (void)
{
    int fd = nodefile_checked (
        highfd_brief (AT_FDCWD, path_of_node, O_RDWR | O_NOFOLLOW, 0));
    int kept = atomic_load_explicit (&node.kept, memory_order_relaxed);

    return fd < 0 && kept ? nodefile_checked (highfd_dup (kept)) : fd;
}

void nodefile_keep (void)
{
    int none = 0, fd = node.head ? nodefile_reopen () : -1;
    int high = fd >= 0 ? nodefile_checked (highfd_dup (fd)) : -1;

    if (fd >= 0)
        (void)sys_close (fd);
    if (high >= 0 && !atomic_compare_exchange_strong (&node.kept, &none, high))
        (void)sys_close (high);
}

void nodefile_forked (void)
{
    struct stat st;

    if (node.kept && sys_fstat (node.kept, &st) == 0 && is_node (&st))
        (void)sys_close (node.kept);
    node.kept = 0;
    nodespace_forked ();
}

/* --- a file that is there ------------------------------------------------- */

/* A link of another user, or a directory that he can write to, must not give
 * him a way to cut our pages. */
static int nodefile_is_ours (const struct stat *st,
                             const struct stat *place,
                             uint32_t user)
{
    return S_ISREG (st->st_mode) && st->st_uid == user &&
           (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           st->st_size >= SHARD_ALIGN && shardplace_holds (place, st);
}

static int is_head (const struct shard_block *b)
{
    return __atomic_load_n (&b->magic, __ATOMIC_ACQUIRE) == SHARD_MAGIC &&
           b->type == SHARD_BLOCK_NODE && b->capacity == SHARD_ALIGN &&
           b->check == shard_block_check (b) &&
           ((const struct shard_node *)(b + 1))->version == SHARD_VERSION;
}

static int has_room (struct shard_block *head, uint64_t roll)
{
    uint64_t next =
        __atomic_load_n (&nodefile_live (head)->next, __ATOMIC_RELAXED);

    return next < roll && !(next & SHARD_CLOSED);
}

static SYS_STATE unsigned made_type; /* of the file system; 0: not made here */

static void nodefile_leave (void)
{
    nodespace_close ();
    if (node.head)
        (void)sys_munmap (node.head, SHARD_ALIGN);
    node.head = NULL;
}

static int map_head (int fd, const struct stat *place, uint32_t user)
{
    struct stat st;
    void *p;

    if (sys_fstat (fd, &st) < 0)
        return -1;
    if (!nodefile_is_ours (&st, place, user)) {
        errno = EPERM;
        return -1;
    }
    p = sys_mmap (NULL, SHARD_ALIGN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return -1;
    if (nodefile_touch (p, SHARD_ALIGN) < 0 || !is_head (p)) {
        (void)sys_munmap (p, SHARD_ALIGN);
        errno = EINVAL;
        return -1;
    }
    if (made_type) /* was asked when this process made the file */
        filespace_kept = filespace_keeps_type (made_type);
    else
        filespace_look (fd);
    node.dev = st.st_dev;
    node.ino = st.st_ino;
    node.owner = user;
    node.seen = clock_tick ();
    node.head = p;
    return 0;
}

/* --- a new file ----------------------------------------------------------- */

/* File systems of one node, whose pages all its processes see alike. */
static int is_local (int fd)
{
    static const unsigned local[] = {
        0xef53,     /* ext2, ext3, ext4 */
        0x58465342, /* xfs */
        0x9123683e, /* btrfs */
        0x01021994, /* tmpfs */
        0x794c7630, /* overlayfs */
        0xf2f52010  /* f2fs */
    };
    struct statfs fs;

    if (sys_call (SYS_fstatfs, fd, &fs) < 0)
        return 0;
    made_type = (unsigned)fs.f_type;
    for (size_t i = 0; i < sizeof (local) / sizeof (local[0]); i++)
        if ((unsigned)fs.f_type == local[i])
            return 1;
    return 0;
}

static void fill_head (struct shard_block *b, uint32_t number, uint64_t size)
{
    struct shard_node *n = nodefile_live (b);

    n->version = SHARD_VERSION;
    n->number = number;
    n->next = SHARD_ALIGN;
    n->promised = size;
    n->latest = number;
    b->commit = sizeof (*n);
    b->type = SHARD_BLOCK_NODE;
    b->capacity = SHARD_ALIGN;
    b->check = shard_block_check (b);
    __atomic_store_n (&b->magic, SHARD_MAGIC, __ATOMIC_RELEASE);
}

static char temporary[PATH_BYTES]; /* too much for a signal stack */

static int prepare (int fd, const struct stat *place, uint32_t number)
{
    struct stat st;
    void *p;

    errno = EOPNOTSUPP;
    if (!is_local (fd) || shardplace_file (place, fd, &st) < 0)
        return -1;
    errno = EFBIG;
    if (!filespace_allowed (FIRST_BYTES, 0) ||
        filespace_promise (fd, 0, FIRST_BYTES) < 0)
        return -1;
    p = sys_mmap (NULL, SHARD_ALIGN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return -1;
    fill_head (p, number, FIRST_BYTES);
    return sys_munmap (p, SHARD_ALIGN);
}

/* Under another name until it is complete; then the first one wins. */
static int nodefile_make_in (int dir, const struct stat *place, void *cookie)
{
    const uint32_t *number = cookie;
    const char *name = shardpath_base (temporary);
    int fd, rc, error, flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;

    (void)sys_call (SYS_unlinkat, dir, name, 0);
    fd = highfd_brief (dir, name, flags, SHARDPATH_FILE);
    if (fd < 0)
        return -1;
    rc = prepare (fd, place, *number);
    (void)sys_close (fd);
    if (rc == 0)
        rc = (int)sys_call (SYS_linkat, dir, name, dir,
                            shardpath_base (path_of_node), 0);
    error = errno;
    (void)sys_call (SYS_unlinkat, dir, name, 0);
    errno = error;
    return rc < 0 && error == EEXIST ? 0 : rc;
}

static int try_make (void *cookie)
{
    return shardplace_step (place_of_node, 1, nodefile_make_in, cookie);
}

static int nodefile_make (const char *dir, const char *host, uint32_t number)
{
    if (shardpath_temporary (temporary, sizeof (temporary), dir, host) < 0)
        return -1;
    return owntable_step (try_make, &number, 0);
}

/* --- join ----------------------------------------------------------------- */

static int nodefile_open_in (int dir, const struct stat *place, void *cookie)
{
    const uint32_t *user = cookie;
    int fd = highfd_brief (dir, shardpath_base (path_of_node),
                           O_RDWR | O_NOFOLLOW, 0);
    int rc;

    if (fd < 0)
        return -1;
    rc = map_head (fd, place, *user);
    if (rc == 0)
        nodespace_joined (fd);
    (void)sys_close (fd);
    return rc;
}

static int try_open (void *cookie)
{
    return shardplace_step (place_of_node, 0, nodefile_open_in, cookie);
}

/* The file of that number, made if need be; left again if it is full. */
static int
join_number (const char *dir, const char *host, uint32_t number, uint32_t user)
{
    if (shardpath_shared (path_of_node, sizeof (path_of_node), dir, host,
                          number) < 0)
        return -1;
    place_of_node = shardpath_place (dir);
    if (owntable_step (try_open, &user, 0) == 0)
        return 0;
    if (errno != ENOENT || nodefile_make (dir, host, number) < 0)
        return -1;
    return owntable_step (try_open, &user, 0);
}

/* The latest file is known in the first one, which is a hint. */
static uint32_t latest (void)
{
    uint64_t n =
        __atomic_load_n (&nodefile_live (node.head)->latest, __ATOMIC_RELAXED);

    return n > 1 && n < FILES_MAX ? (uint32_t)n : 2;
}

static void
tell_latest (const char *dir, const char *host, uint32_t number, uint32_t user)
{
    nodefile_leave ();
    if (join_number (dir, host, 1, user) == 0)
        __atomic_store_n (&nodefile_live (node.head)->latest, number,
                          __ATOMIC_RELAXED);
    nodefile_leave ();
}

static int
join_next (const char *dir, const char *host, uint64_t roll, uint32_t user)
{
    uint32_t hint = latest ();

    for (uint32_t n = hint; n < hint + FOLLOW_MAX; n++) {
        nodefile_leave ();
        if (join_number (dir, host, n, user) < 0)
            return -1;
        if (!has_room (node.head, roll))
            continue;
        if (n == hint)
            return 0;
        tell_latest (dir, host, n, user);
        return join_number (dir, host, n, user);
    }
    nodefile_leave ();
    errno = ENFILE;
    return -1;
}

/* Return the path found by the last look. */
const char *nodefile_path (void)
{
    return path_of_node;
}

int nodefile_has_name (void)
{
    uint64_t now = clock_tick ();
    struct stat st;

    if (now - node.seen < FRESH_TICKS)
        return 1;
    if (sys_call (SYS_newfstatat, AT_FDCWD, path_of_node, &st,
                  AT_SYMLINK_NOFOLLOW) < 0 ||
        !is_node (&st))
        return 0;
    node.seen = now;
    return 1;
}

/* Return 1 if the parent's file still has its name and belongs to this user. */
static int still_joined (uint64_t roll, uint32_t user)
{
    return node.head && node.owner == user &&
           nodefile_touch ((char *)node.head, SHARD_ALIGN) >= 0 &&
           nodefile_has_name () && has_room (node.head, roll);
}

int nodefile_join (const char *dir, const char *host, uint64_t roll)
{
    uint32_t user = (uint32_t)sys_call (SYS_geteuid);

    if (still_joined (roll, user))
        return 0;
    nodefile_leave ();
    if (join_number (dir, host, 1, user) < 0)
        return -1;
    return has_room (node.head, roll) ? 0 : join_next (dir, host, roll, user);
}

int nodefile_look (const char *dir, const char *host)
{
    uint32_t user = (uint32_t)sys_call (SYS_geteuid);

    if (node.head)
        return 0;
    if (shardpath_shared (path_of_node, sizeof (path_of_node), dir, host, 1) <
        0)
        return -1;
    place_of_node = shardpath_place (dir);
    return owntable_step (try_open, &user, 0);
}
