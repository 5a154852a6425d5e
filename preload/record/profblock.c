/* SPDX-License-Identifier: MIT
 *
 * profblock.c - space for the records of a thread's profile
 *
 * In:  records that are new, from proffind.c
 * Out: blocks of the shard, of which a process takes PROFILE_BYTES_MAX at most
 */
#include "config.h"

#include <stdatomic.h>
#include <string.h>

#include "preload/record/prof.h"
#include "preload/record/shardhead.h"
#include "preload/record/shardlive.h"
#include "lib/base/sys.h"

enum {
    CHUNK_MAX = 128 << 10,
    FILES_BYTES = 2 << 20, /* taken by a process: from there on names are */
    DIRS_BYTES = FILES_BYTES + (FILES_BYTES >> 2), /* folded, more and more */
    GROWTH_BYTES = 3 << 20 /* the rest is for first blocks of threads */
};

static SYS_STATE _Atomic uint64_t taken; /* bytes of blocks of this process */

void prof_forked (void)
{
    atomic_store_explicit (&taken, 0, memory_order_relaxed);
}

uint64_t prof_taken (void)
{
    return atomic_load_explicit (&taken, memory_order_relaxed);
}

enum prof_fold prof_fold_now (void)
{
    uint64_t now = prof_taken ();

    return now < FILES_BYTES    ? PROF_FOLD_NOT
           : now < DIRS_BYTES   ? PROF_FOLD_DIGITS
           : now < GROWTH_BYTES ? PROF_FOLD_DIR
                                : PROF_FOLD_ALL;
}

static uint32_t next_capacity (const struct prof *p)
{
    unsigned twice = p->chunks / 2; /* so that little of it stays empty */
    uint64_t n = (uint64_t)SHARD_ALIGN << (twice > 5 ? 5 : twice);

    return (uint32_t)(n > CHUNK_MAX ? CHUNK_MAX : n);
}

/* Space of the process's; the first block of a thread may use what is left. */
static int take_bytes (const struct prof *p, uint32_t capacity)
{
    uint64_t limit = p->chunks ? GROWTH_BYTES : PROFILE_BYTES_MAX;
    uint64_t now = atomic_load_explicit (&taken, memory_order_relaxed);

    do {
        if (now + capacity > limit)
            return -1;
    } while (!atomic_compare_exchange_weak (&taken, &now, now + capacity));
    return 0;
}

/* The first one of a process may be smaller than asked for. */
static int begin_block (struct prof *p, uint32_t bytes, int wiped)
{
    struct shardfile_chunk *c = &p->chunk[p->chunks];
    uint32_t capacity = next_capacity (p);
    struct shard_block *b;

    while (capacity < bytes + sizeof (*b))
        capacity *= 2;
    if (p->chunks == PROF_CHUNKS || take_bytes (p, capacity) < 0)
        return -1;
    if (shardfile_chunk_begin (c, capacity, 1) < 0) {
        atomic_fetch_sub (&taken, capacity);
        memset (c, 0, sizeof (*c));
        return -1;
    }
    b = c->block;
    if (wiped && !c->stays)
        (void)sys_madvise (b, c->capacity, MADV_DONTFORK);
    b->type = SHARD_BLOCK_PROFILE;
    b->capacity = c->capacity;
    /* That of the first one, also where a later thread goes on with them: names
     * count through all blocks of a thread. */
    b->tid = p->chunks ? p->chunk[0].block->tid : (uint32_t)sys_gettid ();
    b->seq = p->chunks++;
    b->base = p->base;
    b->base_ns = p->base_ns;
    b->check = shard_block_check (b);
    p->p = (unsigned char *)(b + 1);
    p->limit = (unsigned char *)b + c->capacity;
    __atomic_store_n (&b->magic, SHARD_MAGIC, __ATOMIC_RELEASE);
    shardlive_count (&shardlive ()->chunks, 1);
    return 0;
}

/* A record of so many bytes, zeros but for *head; it counts once
 * prof_commit says so. NULL: no room. */
void *prof_append (struct prof *p,
                   const struct profile_head *head,
                   uint32_t bytes,
                   int wiped)
{
    uint32_t size = (bytes + PROFILE_ALIGN - 1) & -(uint32_t)PROFILE_ALIGN;
    struct profile_head *h;

    for (int i = 0; (size_t)(p->limit - p->p) < size; i++)
        if (i == 2 || begin_block (p, size, wiped) < 0)
            return NULL;
    h = (struct profile_head *)(void *)p->p;
    *h = *head;
    h->bytes = (uint16_t)(size / PROFILE_ALIGN);
    return h;
}

prof_ref prof_commit (struct prof *p, const void *record)
{
    const struct profile_head *h = record;
    struct shard_block *b = p->chunk[p->chunks - 1].block;
    uint32_t at = (uint32_t)(p->p - (unsigned char *)b) / PROFILE_ALIGN;

    p->p += (uint32_t)h->bytes * PROFILE_ALIGN;
    __atomic_store_n (&b->commit, (uint64_t)(p->p - (unsigned char *)(b + 1)),
                      __ATOMIC_RELEASE);
    return ((uint32_t)(p->chunks - 1) << PROF_REF_BITS | at) + 1;
}

/* Give the blocks of a thread back, so that the next thread can use them. */
void prof_end_blocks (struct prof *p, int last)
{
    for (uint32_t i = 0; i < p->chunks; i++) {
        struct shardfile_chunk *c = &p->chunk[i];
        uint32_t pages = shardhead_pages ((uint32_t)c->block->commit +
                                          (uint32_t)sizeof (*c->block));

        if (!last && pages < c->capacity)
            atomic_fetch_sub (&taken, c->capacity - pages);
        shardfile_chunk_end (c, last);
    }
}
