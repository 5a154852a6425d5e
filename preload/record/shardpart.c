/* SPDX-License-Identifier: MIT
 *
 * shardpart.c - this process's block and chunks -> places in the shared file
 */
#include "config.h"

#include <stdatomic.h>

#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "lib/settings/nodename.h"
#include "preload/record/shardfile.h"
#include "preload/record/nodefile.h"
#include "preload/record/shardlive.h"
#include "preload/record/shardpart.h"
#include "preload/record/shardpath.h"

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

/* Before forks: what each child would look for anew. 0; -1: it is not there. */
static int shardpart_look (const struct settings *s,
                           const struct procinfo *info)
{
    return s->share ? nodefile_look (shardplace_dir (s), info->host) : -1;
}

/* As shardpart_begin, only if the file exists or this process has its part. */
static void shardpart_before_fork (void)
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

/* ---- forks of this process -> clock, the node's file, space in it ---- */

enum {
    LOOKS_MAX = 4,       /* forks before which the file is looked for */
    LOOK_TICKS = 5000000 /* 5 ms, or less where a tick is a cycle */
};

static SYS_STATE struct {
    unsigned looks;  /* for the file */
    uint64_t looked; /* tick */
} ahead;

int lookahead_due (void)
{
    return ahead.looks < LOOKS_MAX || clock_tick () - ahead.looked > LOOK_TICKS;
}

void lookahead (const struct settings *s, const struct procinfo *info)
{
    if (!s)
        ahead.looks = LOOKS_MAX;
    if (ahead.looks < LOOKS_MAX) {
        ahead.looks++;
        if (shardpart_look (s, info) == 0)
            ahead.looks = LOOKS_MAX;
    }
    shardpart_before_fork ();
    ahead.looked = clock_tick ();
}

/* ---- a process whose trace file was removed -> what it lost ---- */

static int orphan_is_there (const char *path)
{
    struct stat st;

    return sys_call (SYS_newfstatat, AT_FDCWD, path, &st,
                     AT_SYMLINK_NOFOLLOW) == 0 ||
           (errno != ENOENT && errno != ENOTDIR);
}

/* The directory that the job directory is in. Where that is gone, too, nobody
 * wants a trace there. */
static int orphan_has_place (const char *dir)
{
    char above[SETTING_TEXT_MAX];
    size_t n = strnlen (dir, SETTING_TEXT_MAX - 1);

    while (n > 1 && dir[n - 1] == '/')
        n--;
    while (n > 1 && dir[n - 1] != '/')
        n--;
    memcpy (above, dir, n);
    above[n] = '\0';
    return orphan_is_there (above);
}

static int orphan_is_merged (const char *dir)
{
    static const char name[] = "/trace.dft";
    char path[SETTING_TEXT_MAX + sizeof (name)];
    size_t n = strnlen (dir, SETTING_TEXT_MAX - 1);

    memcpy (path, dir, n);
    memcpy (path + n, name, sizeof (name));
    return orphan_is_there (path);
}

/* The head of the file, as if its process had been alone in it. */
struct orphan {
    struct shard_block block;
    struct shard_process process;
};

static void orphan_fill (struct orphan *o, const struct shard_block *head)
{
    uint64_t events;

    memcpy (&o->block, head, sizeof (o->block));
    memcpy (&o->process, head + 1, sizeof (o->process));
    events = o->process.events_sealed;
    o->process.lost_space += events ? events : 1;
    o->process.events_sealed = 0;
    o->process.chunks = 0;
    o->process.file_bytes = o->block.capacity | SHARD_CLOSED;
    o->block.proc = 0;
    o->block.seq = SHARD_ORDINAL;
    o->block.check = shard_block_check (&o->block);
}

struct orphan_work {
    const char *base; /* name of the file */
    const struct shard_block *head;
};

static int orphan_write_in (int dir, const struct stat *place, void *cookie)
{
    enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW };
    const struct orphan_work *w = cookie;
    const struct shard_process *p = (const void *)(w->head + 1);
    struct orphan o;
    struct stat st;
    int fd = highfd_open (dir, w->base, FLAGS, SHARDPATH_FILE);

    if (fd < 0)
        return -1;
    orphan_fill (&o, w->head);
    if (p->strings_bytes <= o.block.capacity - sizeof (o) &&
        shardplace_file (place, fd, &st) == 0 &&
        filespace_write (fd, &o, sizeof (o), 0) == 0 &&
        filespace_write (fd, p + 1, p->strings_bytes, sizeof (o)) == 0)
        (void)sys_ftruncate (fd, o.block.capacity);
    return sys_close (fd);
}

/* Its paths take pages of the stack that few processes need. */
static __attribute__ ((noinline)) void
orphan_look (const struct settings *s,
             const struct procinfo *info,
             const struct shardfile_start *start)
{
    struct orphan_work w = {
        .head = (const struct shard_block *)(const void *)shardlive () - 1};
    char own[SETTING_TEXT_MAX + NODENAME_MAX + 64];

    if (shardpath_make (own, sizeof (own), s->job_dir, info->host, start) < 0)
        return;
    w.base = shardpath_base (own);
    if ((!shardfile_is_shared () && orphan_is_there (own)) ||
        orphan_is_merged (s->job_dir) || !orphan_has_place (s->job_dir))
        return;
    shardplace_start (1); /* it was there: we are in no container */
    (void)shardplace_step (shardpath_place (s->job_dir), 1, orphan_write_in,
                           &w);
}

void orphan_finish (const struct settings *s,
                    const struct procinfo *info,
                    const struct shardfile_start *start)
{
    if (strcmp (SETTING_TEXT (s, made), s->job_dir) == 0 &&
        !SETTING_TEXT (s, stage)[0] &&
        !(shardfile_is_shared () && orphan_is_there (nodefile_path ())))
        orphan_look (s, info, start);
}
