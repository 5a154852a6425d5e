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

#include "lib/core/record/filespace.h"
#include "lib/core/record/node/nodefile.h"
#include "lib/core/record/owntable.h"
#include "lib/core/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* kernel 5.14 */
#endif

enum {
    TRIES = 1000,        /* of an addition that others come between */
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

static int reserve (uint32_t size, uint64_t *offset)
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

static void *map_place (uint64_t offset, uint32_t size)
{
    struct place p = {.offset = offset, .size = size};
    char *at = map_by_head (offset, size);
    int rc = at ? nodefile_touch (at, size) : 1;

    if (rc == 0)
        return at;
    if (at)
        (void)sys_munmap (at, size);
    if (rc > 0 && owntable_step (try_map, &p, node.kept) == 0)
        return p.at;
    if (rc < 0)
        errno = EIO;
    return NULL;
}

void *nodefile_take (uint32_t size, uint64_t *offset)
{
    uint64_t end;

    if (reserve (size, offset) < 0)
        return NULL;
    end = *offset + size;
    if (!is_promised (end) && owntable_step (try_extend, &end, node.kept) < 0) {
        int error = errno;

        unreserve (*offset, size);
        errno = error;
        return NULL;
    }
    return map_place (*offset, size);
}

void nodefile_give_back (void *at, uint32_t size)
{
    (void)sys_madvise (at, size, MADV_REMOVE);
}
