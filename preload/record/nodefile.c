/* SPDX-License-Identifier: MIT
 *
 * nodefile.c - directory, host -> the file that the processes of a node share
 *
 * In:  DIR/shards/HOST-0-KEY.dft, the same for all of them
 * Out: its first page, mapped; places in it
 * Caveat: async-signal-safe; any process may die at any instruction.
 */

/* Design. One file of a node. Its first page is mapped in every process; an
 * atomic addition there takes a place, which becomes a mapping without a
 * descriptor (mremap of the first page). Space is promised in large steps by
 * whoever needs it. So a process makes no file, cuts none, and its end costs
 * no system call; one that was killed leaves at most a place of zeros. What
 * the page says is trusted only as far as the kernel confirms it: other
 * processes may write to it. Who cannot share (another user, a network file
 * system, share=0) has a file of its own. */

#include "config.h"

#include <sys/vfs.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "lib/format/shard.h"
#include "preload/record/shardfile.h"
#include "preload/record/nodefile.h"
#include "preload/record/owntable.h"
#include "preload/record/shardpath.h"

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
static int nodefile_reopen (void)
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
    for (size_t i = 0; i < ITEMS (local); i++)
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

/* The file has its name, and is the one that was joined. */
static int nodefile_has_name (void)
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

/* ---- the file that the processes of a node share -> places in it ---- */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* kernel 5.14 */
#endif

enum {
    WINDOW_BYTES = 512 << 10, /* as much counts where memory is locked */
    WINDOW_JOINED = 64 << 10, /* of a process that has not forked yet */
    WINDOW_LEAST = 256 << 10, /* of it must be left */
    WINDOW_LOOKS = 3,         /* before which there is none */
    TRIES = 1000,             /* of an addition that others come between */
    STEP_MIN = 64 << 10, /* bytes promised at a time, a quarter of the file */
    STEP_MAX = 16 << 20,
    BEHIND_MAX = 256 << 20, /* bytes taken and not promised; more is damage */
    TOUCH_MAX = 4 * SHARD_ALIGN
};
#define OFFSET_MAX ((uint64_t)1 << 40)

static struct shard_node *live (struct shard_block *head)
{
    return (struct shard_node *)(head + 1);
}

/* --- space ---------------------------------------------------------------- */

static uint64_t step_behind (uint64_t size)
{
    uint64_t step = (size / 4) & ~(uint64_t)(SHARD_ALIGN - 1);

    return step < STEP_MIN ? STEP_MIN : step > STEP_MAX ? STEP_MAX : step;
}

/* Ask for the space up to end, and more for those who come next. */
static int promise (int fd, uint64_t from, uint64_t end)
{
    uint64_t to = from + step_behind (from);
    int rc = -1;

    if (to < end)
        to = end;
    errno = EFBIG;
    if (filespace_allowed (to, 0))
        rc = filespace_promise (fd, from, to - from);
    if (rc < 0 && to > end && filespace_allowed (end, 0)) {
        to = end;
        rc = filespace_promise (fd, from, to - from);
    }
    if (rc < 0)
        return -1;
    while (from < to &&
           !__atomic_compare_exchange_n (&live (node.head)->promised, &from, to,
                                         0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return 0;
}

static int try_extend (void *cookie)
{
    const uint64_t *end = cookie;
    uint64_t from;
    struct stat st;
    int fd = nodefile_reopen (), rc = -1;

    if (fd < 0)
        return -1;
    from = __atomic_load_n (&live (node.head)->promised, __ATOMIC_ACQUIRE);
    from &= ~(uint64_t)(SHARD_ALIGN - 1);
    if (from >= *end)
        rc = 0;
    else if (sys_fstat (fd, &st) == 0) {
        errno = EIO;
        if ((uint64_t)st.st_size >= from && *end - from <= BEHIND_MAX)
            rc = promise (fd, from, *end);
    }
    (void)sys_close (fd);
    return rc;
}

static int is_promised (uint64_t end)
{
    return end <=
           __atomic_load_n (&live (node.head)->promised, __ATOMIC_ACQUIRE);
}

static int nodespace_reserve (uint32_t size, uint64_t *offset)
{
    uint64_t *next = &live (node.head)->next;
    uint64_t at = __atomic_load_n (next, __ATOMIC_RELAXED);

    for (int i = 0; i < TRIES; i++) {
        *offset = (at + SHARD_ALIGN - 1) & ~(uint64_t)(SHARD_ALIGN - 1);
        if (at & SHARD_CLOSED || at < SHARD_ALIGN || at > OFFSET_MAX)
            break;
        if (__atomic_compare_exchange_n (next, &at, *offset + size, 0,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 0;
    }
    errno = ESHUTDOWN;
    return -1;
}

/* If nobody has taken the next place meanwhile. */
static void unreserve (uint64_t offset, uint32_t size)
{
    uint64_t at = offset + size;

    (void)__atomic_compare_exchange_n (&live (node.head)->next, &at, offset, 0,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* --- mappings ------------------------------------------------------------- */

struct place {
    uint64_t offset;
    uint32_t size;
    void *at;
};

static int try_map (void *cookie)
{
    struct place *p = cookie;
    struct stat st;
    int fd = nodefile_reopen ();

    if (fd < 0)
        return -1;
    p->at = MAP_FAILED;
    errno = EIO;
    if (sys_fstat (fd, &st) == 0 && (uint64_t)st.st_size >= p->offset + p->size)
        p->at = sys_mmap (NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                          p->offset);
    (void)sys_close (fd);
    return p->at == MAP_FAILED ? -1 : 0;
}

/* A shared mapping that grows out of nothing at another address has the pages
 * behind its first one, too. Where the program has locked its memory, that page
 * must not be, or all of them would be read and locked. */
static void *map_by_head (uint64_t offset, uint32_t size)
{
    char *p;

    (void)sys_call (SYS_munlock, node.head, SHARD_ALIGN);
    p = sys_map_again (node.head, offset + size);
    if (!p)
        return NULL;
    (void)sys_munmap (p, offset - sys_page_before (offset));
    return p + offset;
}

int nodefile_touch (char *at, uint32_t size)
{
    uint32_t n = size <= TOUCH_MAX ? size : SHARD_ALIGN;

    if (sys_madvise (at + size - n, n, MADV_POPULATE_WRITE) == 0)
        return 0;
    return errno == EINVAL ? 1 : -1;
}

/* --- the window ----------------------------------------------------------- */

static SYS_STATE struct nodewindow window;

static SYS_STATE struct {
    unsigned looks;
    _Atomic int moving;
} ahead;

void nodespace_close (void)
{
    struct nodewindow *w = atomic_exchange (&node.window, NULL);

    if (w && !w->used)
        (void)sys_munmap (w->at, w->size);
}

/* The parent's place in it is of no use here, but it lies among others. */
void nodespace_forked (void)
{
    ahead.looks = 0;
    ahead.moving = 0;
}

/* Not where several places would be in a page: in a child of fork its own is to
 * stay, and that of its parent may have to go. */
static void nodespace_open (uint64_t offset)
{
    char *at = NULL;

    nodespace_close ();
    if (!sys_page_bits)
        at = map_by_head (offset, WINDOW_BYTES);
    if (!at)
        return;
    window = (struct nodewindow){at, offset, WINDOW_BYTES, 0};
    atomic_store (&node.window, &window);
}

static uint64_t nodespace_next (void)
{
    uint64_t next = __atomic_load_n (&live (node.head)->next, __ATOMIC_RELAXED);

    return (next + SHARD_ALIGN - 1) & ~(uint64_t)(SHARD_ALIGN - 1);
}

/* Else the mapping of the first page had to grow and be cut. */
void nodespace_joined (int fd)
{
    uint64_t offset = nodespace_next ();
    void *at;

    if (offset >= OFFSET_MAX || sys_page_bits)
        return;
    at = sys_mmap (NULL, WINDOW_JOINED, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   offset);
    if (at == MAP_FAILED)
        return;
    window = (struct nodewindow){at, offset, WINDOW_JOINED, 0};
    atomic_store (&node.window, &window);
}

/* The next places of small processes will be in it. */
static int nodespace_covers (const struct nodewindow *w, uint64_t offset)
{
    return w && offset >= w->offset &&
           offset + WINDOW_LEAST <= w->offset + w->size;
}

static void nodespace_look (void)
{
    uint64_t next;

    if (nodefile_touch ((char *)node.head, SHARD_ALIGN) < 0)
        return;
    (void)nodefile_has_name (); /* else each child finds out */
    next = nodespace_next ();
    if (next < OFFSET_MAX && !nodespace_covers (node.window, next))
        nodespace_open (next);
}

void nodefile_before_fork (void)
{
    if (!node.head || atomic_exchange (&ahead.moving, 1))
        return;
    if (++ahead.looks >= WINDOW_LOOKS)
        nodespace_look ();
    ahead.moving = 0;
}

/* The place is in the window, where small ones are: NULL, or its address. */
static char *nodespace_find (uint64_t offset, uint32_t size)
{
    struct nodewindow *w = node.window;

    if (!w || size > TOUCH_MAX || offset < w->offset ||
        offset + size > w->offset + w->size)
        return NULL;
    w->used = 1;
    return w->at + (offset - w->offset);
}

static int nodespace_is_in (const char *at)
{
    const struct nodewindow *w = node.window;

    return w && at >= w->at && at < w->at + w->size;
}

/* --- places --------------------------------------------------------------- */

static void *map_place (uint64_t offset, uint32_t size, int first)
{
    struct place p = {.offset = offset, .size = size};
    char *at = first ? nodespace_find (offset, size) : NULL;
    int rc;

    if (!at)
        at = map_by_head (offset, size);
    rc = at ? nodefile_touch (at, size) : 1;

    if (rc == 0)
        return at;
    if (at)
        nodefile_drop (at, size);
    if (rc > 0 && owntable_step (try_map, &p, node.kept) == 0)
        return p.at;
    if (rc < 0)
        errno = EIO;
    return NULL;
}

static void *nodespace_take (uint32_t size, uint64_t *offset, int first)
{
    uint64_t end;

    if (nodespace_reserve (size, offset) < 0)
        return NULL;
    end = *offset + size;
    if (!is_promised (end) && owntable_step (try_extend, &end, node.kept) < 0) {
        int error = errno;

        unreserve (*offset, size);
        errno = error;
        return NULL;
    }
    return map_place (*offset, size, first);
}

void *nodefile_take (uint32_t size, uint64_t *offset)
{
    return nodespace_take (size, offset, 0);
}

void *nodefile_take_first (uint32_t size, uint64_t *offset)
{
    return nodespace_take (size, offset, 1);
}

void nodefile_drop (void *at, size_t size)
{
    if (!nodespace_is_in (at))
        (void)sys_munmap (at, size);
}

void nodefile_give_back (void *at, uint32_t size)
{
    (void)sys_madvise (at, size, MADV_REMOVE);
}
