/* SPDX-License-Identifier: MIT
 *
 * shardhead.c - who this process is -> the process block of its shard
 */
#include "config.h"

#include <string.h>

#include "lib/base/clock.h"
#include "preload/record/shardhead.h"
#include "lib/format/layers.h"
#include "lib/base/sys.h"

enum { SUM_TRIES = 8 };

uint32_t shardhead_pages (uint32_t bytes)
{
    return (bytes + SHARD_ALIGN - 1u) & ~(SHARD_ALIGN - 1u);
}

/* Two threads may be at it at once: the last one has seen what both did. */
static void shardhead_sum (struct shard_process *p)
{
    struct shard_block *b = (struct shard_block *)p - 1;
    uint64_t sum;

    for (int i = 0; i < SUM_TRIES; i++) {
        sum = shard_process_sum (p, p->strings_bytes);
        __atomic_store_n (&b->checksum, sum, __ATOMIC_SEQ_CST);
        if (shard_process_sum (p, p->strings_bytes) == sum)
            break;
    }
}

void shardhead_rank (struct shard_process *p, int32_t rank, uint32_t ranks)
{
    p->rank = rank;
    p->ranks = ranks;
    shardhead_sum (p);
}

/* In this order: who reads what a death in between has left knows it from the
 * layer that is there already. */
void shardhead_profile (struct shard_process *p)
{
    if (__atomic_fetch_or (&p->layers, LAYER_PROFILE, __ATOMIC_SEQ_CST) &
        LAYER_PROFILE)
        return;
    if (p->version < SHARD_VERSION_MAPS)
        __atomic_store_n (&p->version, SHARD_VERSION_MAPS, __ATOMIC_SEQ_CST);
    shardhead_sum (p);
}

static uint32_t shardhead_version (unsigned layers)
{
    if (layers & LAYER_PROFILE)
        return SHARD_VERSION_MAPS;
    if (layers & LAYERS_ABOVE & ~(unsigned)LAYER_MPIIO)
        return SHARD_VERSION_FORMATS;
    return layers & LAYER_MPIIO ? SHARD_VERSION_LAYERS : SHARD_VERSION;
}

void shardhead_fill (struct shard_block *b,
                     size_t size,
                     const struct settings *s,
                     const struct procinfo *info,
                     const struct shardfile_start *start)
{
    struct shard_process *p = (struct shard_process *)(b + 1);
    char *strings = (char *)(p + 1);
    size_t room = size - sizeof (*b) - sizeof (*p);
    unsigned layers = s->layers;

    memcpy (p, &info->ids, SHARD_PROCESS_LIVE);
    if (s->given & SETTING_BIT (detail)) /* once it has a profile, it says so */
        layers &= ~(unsigned)LAYER_PROFILE;
    p->version = shardhead_version (layers);
    p->pid = (uint32_t)start->pid;
    p->ppid = (uint32_t)sys_call (SYS_getppid);
    p->uid = (uint32_t)sys_call (SYS_getuid);
    p->gid = (uint32_t)sys_call (SYS_getgid);
    p->start_real = start->real_ns;
    p->start_ns = start->mono_ns;
    p->start_tick = start->tick;
    p->tick_hz = start->hz;
    p->clock = clock_known () ? SHARD_CLOCK_TSC : SHARD_CLOCK_MONOTONIC;
    p->layers = layers & ~(unsigned)LAYER_KERNEL; /* not by us */
    p->strings_bytes = (uint32_t)procinfo_strings (info, strings, room);
    b->commit = sizeof (*p) + p->strings_bytes;
    b->type = SHARD_BLOCK_PROCESS;
    b->flags = SHARD_SEALED;
    b->capacity = shardhead_pages ((uint32_t)(sizeof (*b) + b->commit));
    b->tid = p->pid;
    b->base = start->tick;
    b->base_ns = start->mono_ns;
    b->checksum = shard_process_sum (p, p->strings_bytes);
    b->check = shard_block_check (b);
    p->file_bytes = b->capacity;
}
