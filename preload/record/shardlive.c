/* SPDX-License-Identifier: MIT
 *
 * shardlive.c - counts -> memory, this process's block, an ancestor's
 */
#include "config.h"

#include <stdatomic.h>

#include "preload/record/nodefile.h"
#include "preload/record/shardlive.h"
#include "lib/base/sys.h"

static SYS_STATE struct shard_process early;
static SYS_STATE _Atomic (struct shard_process *) live = &early;

static SYS_STATE struct {
    struct shard_block *head;
    size_t size;
    int used; /* another thread may have its address */
} elder;

struct shard_process *shardlive (void)
{
    return atomic_load_explicit (&live, memory_order_acquire);
}

static void move_count (uint64_t *to, uint64_t *from)
{
    shardlive_count (to, __atomic_exchange_n (from, 0, __ATOMIC_RELAXED));
}

void shardlive_gather (void)
{
    struct shard_process *p = shardlive ();

    if (p == &early)
        return;
    move_count (&p->lost_busy, &early.lost_busy);
    move_count (&p->lost_space, &early.lost_space);
    move_count (&p->lost_names, &early.lost_names);
    move_count (&p->untraced, &early.untraced);
    (void)__atomic_fetch_add (
        &p->rings, __atomic_exchange_n (&early.rings, 0, __ATOMIC_RELAXED),
        __ATOMIC_RELAXED);
    move_count (&p->requests, &early.requests);
}

static void go_to (struct shard_process *p)
{
    atomic_store_explicit (&live, p, memory_order_release);
    shardlive_gather ();
}

static void drop_elder (void)
{
    if (elder.head && !elder.used)
        nodefile_drop (elder.head, elder.size);
    elder.head = NULL;
    elder.used = 0;
}

void shardlive_begin (struct shard_process *p)
{
    go_to (p);
    drop_elder ();
}

void shardlive_begin_elder (void)
{
    if (!elder.head)
        return;
    elder.used = 1;
    go_to ((struct shard_process *)(elder.head + 1));
}

int shardlive_reserve (uint32_t capacity, uint64_t *offset)
{
    uint64_t *end = &shardlive ()->file_bytes;
    uint64_t at = __atomic_load_n (end, __ATOMIC_RELAXED);

    do {
        if (at & SHARD_CLOSED) {
            errno = ESHUTDOWN;
            return -1;
        }
        *offset = (at + SHARD_ALIGN - 1) & ~(uint64_t)(SHARD_ALIGN - 1);
    } while (!__atomic_compare_exchange_n (end, &at, *offset + capacity, 0,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return 0;
}

void shardlive_unreserve (uint64_t offset, uint32_t capacity)
{
    uint64_t at = offset + capacity;

    (void)__atomic_compare_exchange_n (&shardlive ()->file_bytes, &at, offset,
                                       0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void shardlive_forget (struct shard_block *head, size_t size, int interrupted)
{
    memset (&early, 0, sizeof (early));
    early.file_bytes = SHARD_CLOSED;
    atomic_store_explicit (&live, &early, memory_order_release);
    if (!head)
        return;
    drop_elder ();
    elder.size = size;
    elder.head = interrupted ? sys_map_again (head, size) : head;
    if (interrupted)
        sys_memory_at (head, size);
}
