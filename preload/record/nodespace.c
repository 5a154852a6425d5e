/* SPDX-License-Identifier: MIT
 *
 * nodespace.c - the file that the processes of a node share -> places in it
 *
 * In:  its first page, from nodefile.c
 * Out: mapped, promised, zeroed pages, each given out once
 * Caveat: async-signal-safe; any process may die at any instruction. A place
 *         that was taken and not used stays as zeros.
 */
#include "config.h"

#include <errno.h>

#include "lib/base/clock.h"
#include "preload/record/filespace.h"
#include "preload/record/nodefile.h"
#include "preload/record/owntable.h"
#include "lib/base/sys.h"

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
    p = (void *)sys_call (SYS_mremap, node.head, 0, offset + size,
                          MREMAP_MAYMOVE);
    if (p == MAP_FAILED)
        return NULL;
    (void)sys_munmap (p, offset);
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

static void nodespace_open (uint64_t offset)
{
    char *at;

    nodespace_close ();
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

    if (offset >= OFFSET_MAX)
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
