/* SPDX-License-Identifier: MIT
 *
 * shardpart.c - this process's block and chunks -> places in the shared file
 */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/record/nodefile.h"
#include "preload/record/shardhead.h"
#include "preload/record/shardpart.h"
#include "preload/record/shardplace.h"
#include "lib/base/sys.h"

enum {
    TRIES = 4,            /* of a file that is closed meanwhile */
    SLACK_MIN = 64 << 10, /* bytes; for less it is not worth asking */
    HALF = SHARD_ALIGN / 2,
    CWD_USUAL = 256, /* bytes of it that are reckoned with */
    UNIT = 64        /* bytes, to which a block on half a page is rounded */
};

static SYS_STATE struct {
    unsigned forks;  /* that made us what we are */
    uint32_t number; /* of the process: the page where its block begins */
    uint64_t offset; /* of its first chunk */
    uint32_t bytes;  /* of that */
    uint32_t size;   /* of both */
    _Atomic (struct shard_block *) first; /* that chunk, until it is begun */
} part;

/* A signal handler has forked meanwhile, and this is the child: the place is
 * the parent's. */
static int part_is_left (unsigned forks, void *at, uint32_t size)
{
    if (forks == part.forks)
        return 0;
    nodefile_drop (at, size);
    errno = ECANCELED;
    return 1;
}

struct who {
    const struct settings *s;
    const struct procinfo *info;
    const struct shardfile_start *start;
};

/* Whether the strings had to be cut to fit in. */
static int
shardpart_fill (struct shard_block *b, uint32_t bytes, const struct who *who)
{
    const struct shard_process *p = (struct shard_process *)(b + 1);

    shardhead_fill (b, bytes, who->s, who->info, who->start);
    return sizeof (*b) + sizeof (*p) + p->strings_bytes >= bytes;
}

/* Both blocks share a page where they can. */
static uint32_t size_for (uint32_t bytes)
{
    return bytes == HALF ? SHARD_ALIGN : bytes + SHARD_ALIGN;
}

/* Estimate the bytes of the process block. */
static uint32_t bytes_for (const struct procinfo *info)
{
    size_t strings = procinfo_length (info) + CWD_USUAL;
    size_t all =
        sizeof (struct shard_block) + sizeof (struct shard_process) + strings;

    return all < HALF          ? HALF
           : all < SHARD_ALIGN ? SHARD_ALIGN
                               : SHARD_PROCESS_BYTES;
}

static uint32_t next_bytes (uint32_t bytes)
{
    return bytes == HALF ? SHARD_ALIGN : SHARD_PROCESS_BYTES;
}

/* With so many bytes for the process block, or EMSGSIZE. */
static struct shard_block *place (const struct who *who, uint32_t bytes)
{
    unsigned forks = part.forks;
    uint32_t size = size_for (bytes);
    struct shard_block *b = NULL;
    uint64_t offset;

    errno = EFBIG;
    if (!who->s->max_bytes || size <= who->s->max_bytes)
        b = nodefile_take_first (size, &offset);
    if (!b || part_is_left (forks, b, size))
        return NULL;
    if (shardpart_fill (b, bytes, who) && bytes < SHARD_PROCESS_BYTES) {
        memset (b, 0, size); /* as if it had not been taken */
        nodefile_drop (b, size);
        errno = EMSGSIZE;
        return NULL;
    }
    if (bytes == HALF) {
        b->capacity = (uint32_t)(sizeof (*b) + b->commit + UNIT - 1) & -UNIT;
        ((struct shard_process *)(b + 1))->file_bytes = SHARD_ALIGN;
    }
    b->seq = SHARD_PAGED;
    b->proc = (uint32_t)(offset / SHARD_ALIGN);
    b->check = shard_block_check (b);
    part.number = b->proc;
    part.offset = offset + b->capacity;
    part.bytes = bytes == HALF ? SHARD_ALIGN - b->capacity : SHARD_ALIGN;
    part.size = b->capacity + part.bytes;
    part.first = (struct shard_block *)(void *)((char *)b + b->capacity);
    return b;
}

int shardpart_look (const struct settings *s, const struct procinfo *info)
{
    return s->share ? nodefile_look (shardplace_dir (s), info->host) : -1;
}

void shardpart_before_fork (void)
{
    nodefile_before_fork ();
}

struct shard_block *shardpart_begin (const struct settings *s,
                                     const struct procinfo *info,
                                     const struct shardfile_start *start)
{
    const char *dir = shardplace_dir (s);
    const struct who who = {s, info, start};
    uint32_t bytes = bytes_for (info);

    for (int i = 0; i < TRIES; i++) {
        struct shard_block *b;

        if (nodefile_join (dir, info->host, s->share) < 0)
            return NULL;
        b = place (&who, bytes);
        if (b || (errno != ESHUTDOWN && errno != EMSGSIZE))
            return b;
        if (errno == EMSGSIZE)
            bytes = next_bytes (bytes);
    }
    return NULL;
}

uint32_t shardpart_size (void)
{
    return part.size;
}

int shardpart_chunk (struct shardfile_chunk *c)
{
    struct shard_block *first = part.first;
    unsigned forks = part.forks;

    c->mapped = 1;
    if (c->capacity == SHARD_ALIGN && first &&
        atomic_compare_exchange_strong (&part.first, &first, NULL)) {
        c->block = first;
        c->offset = part.offset;
        c->capacity = part.bytes;
        c->stays = 1;
    } else if (!(c->block = nodefile_take (c->capacity, &c->offset)))
        return -1;
    else if (part_is_left (forks, c->block, c->capacity)) {
        c->block = NULL;
        return -1;
    }
    c->block->proc = part.number;
    return 0;
}

void shardpart_chunk_end (struct shardfile_chunk *c, uint32_t used)
{
    uint32_t pages = shardhead_pages (used);

    if (c->capacity > pages && c->capacity - pages >= SLACK_MIN)
        nodefile_give_back ((char *)c->block + pages, c->capacity - pages);
}

void shardpart_forget (void)
{
    part.forks++;
    part.first = NULL; /* goes with the process block */
    nodefile_forked ();
}
