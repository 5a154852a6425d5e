/* SPDX-License-Identifier: MIT
 *
 * shardfile.c - file, process block, space for chunks
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/core/clock.h"
#include "lib/core/layers.h"
#include "lib/core/shardfile.h"
#include "lib/core/shardpath.h"
#include "lib/core/sys.h"

enum {
    PATH_BYTES = 8192,
    TRIES = 1000, /* of a call that signals interrupt: not for ever */
    CLOSED = 1    /* bit of file_bytes: no chunk may begin any more */
};

static struct {
    char path[PATH_BYTES];
    dev_t dev;
    ino_t ino;
    uint64_t max_bytes, max_events;
    int mapped;               /* chunks are mappings of the file */
    struct shard_block *head; /* process block, mapped or memory */
} file;

/* Counters from before the file exists. */
static struct shard_process early;
static _Atomic (struct shard_process *) live = &early;

struct shard_process *shardfile_live (void)
{
    return atomic_load_explicit (&live, memory_order_acquire);
}

/* The kernel answers growth beyond RLIMIT_FSIZE with a signal: ask first. */
static int within_limits (uint64_t end)
{
    struct rlimit rl;

    if (file.max_bytes && end > file.max_bytes)
        return 0;
    return sys_getrlimit (RLIMIT_FSIZE, &rl) < 0 ||
           rl.rlim_cur == RLIM_INFINITY || end <= rl.rlim_cur;
}

static int promise_space (int fd, uint64_t offset, size_t size)
{
    int rc = -1;

    for (int i = 0; i < TRIES; i++) {
        rc = sys_fallocate (fd, 0, offset, size);
        if (rc == 0 || errno != EINTR)
            break;
    }
    return rc;
}

/* Map size bytes of the file at offset, with their space promised; memory
 * instead where the file system has no promises to give. */
static void *map_space (int fd, uint64_t offset, size_t size, int *mapped)
{
    void *p;

    if (!within_limits (offset + size)) {
        errno = EFBIG;
        return NULL;
    }
    if (*mapped) {
        if (promise_space (fd, offset, size) == 0) {
            p = sys_mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                          offset);
            if (p != MAP_FAILED)
                return p;
        } else if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
            return NULL;
    }
    *mapped = 0;
    return sys_memory (size);
}

static int write_all (int fd, const void *data, size_t n, uint64_t offset)
{
    const char *p = data;

    while (n > 0) {
        ssize_t rc = sys_pwrite (fd, p, n, offset);

        if (rc < 0 && errno == EINTR)
            continue;
        if (rc <= 0)
            return -1;
        p += rc;
        offset += (uint64_t)rc;
        n -= (size_t)rc;
    }
    return 0;
}

static void fill_process (struct shard_block *b,
                          const struct settings *s,
                          const struct procinfo *info,
                          const struct shardfile_start *start)
{
    struct shard_process *p = (struct shard_process *)(b + 1);
    char *strings = (char *)(p + 1);
    size_t room = SHARD_PROCESS_BYTES - sizeof (*b) - sizeof (*p);

    memcpy (p, &info->ids, SHARD_PROCESS_LIVE);
    p->version = SHARD_VERSION;
    p->pid = (uint32_t)start->pid;
    p->ppid = (uint32_t)syscall (SYS_getppid);
    p->uid = (uint32_t)syscall (SYS_getuid);
    p->gid = (uint32_t)syscall (SYS_getgid);
    p->start_real = start->real_ns;
    p->start_ns = start->mono_ns;
    p->start_tick = start->tick;
    p->tick_hz = start->hz;
    p->clock = clock_cycles ? SHARD_CLOCK_TSC : SHARD_CLOCK_MONOTONIC;
    p->layers = s->layers;
    p->strings_bytes = (uint32_t)procinfo_strings (info, strings, room);
    b->type = SHARD_BLOCK_PROCESS;
    b->flags = SHARD_SEALED;
    b->capacity = SHARD_PROCESS_BYTES;
    b->tid = p->pid;
    b->base = start->tick;
    b->base_ns = start->mono_ns;
    b->commit = sizeof (*p) + p->strings_bytes;
    b->checksum = shard_process_sum (p, p->strings_bytes);
    b->check = shard_block_check (b);
    p->file_bytes = SHARD_PROCESS_BYTES;
}

/* From now on the counters are the file's. */
static void go_live (struct shard_process *p)
{
    p->lost_busy = early.lost_busy;
    p->lost_space = early.lost_space;
    p->lost_names = early.lost_names;
    p->untraced = early.untraced;
    p->rings = early.rings;
    memset (&early, 0, sizeof (early));
    atomic_store_explicit (&live, p, memory_order_release);
}

static int begin_file (int fd,
                       const struct settings *s,
                       const struct procinfo *info,
                       const struct shardfile_start *start)
{
    struct stat st;
    struct shard_block *b;

    if (sys_fstat (fd, &st) < 0)
        return -1;
    file.dev = st.st_dev;
    file.ino = st.st_ino;
    file.max_bytes = s->max_bytes;
    file.max_events = s->max_events;
    file.mapped = 1;
    b = map_space (fd, 0, SHARD_PROCESS_BYTES, &file.mapped);
    if (!b)
        return -1;
    fill_process (b, s, info, start);
    if (!file.mapped) {
        b->magic = SHARD_MAGIC;
        if (write_all (fd, b, SHARD_PROCESS_BYTES, 0) < 0) {
            (void)sys_munmap (b, SHARD_PROCESS_BYTES);
            return -1;
        }
    }
    file.head = b;
    go_live ((struct shard_process *)(b + 1));
    __atomic_store_n (&b->magic, SHARD_MAGIC, __ATOMIC_RELEASE);
    return 0;
}

int shardfile_create (const struct settings *s,
                      const struct procinfo *info,
                      const struct shardfile_start *start)
{
    int fd, rc, flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

    if (shardpath_make (file.path, sizeof (file.path), s->job_dir, info->host,
                        start) < 0)
        return -1;
    fd = sys_open (file.path, flags, 0600);
    if (fd < 0)
        return -1;
    rc = begin_file (fd, s, info, start);
    (void)sys_close (fd);
    if (rc < 0)
        (void)syscall (SYS_unlinkat, AT_FDCWD, file.path, 0);
    return rc;
}

/* The file by its name, if it still is that file. */
static int reopen (void)
{
    struct stat st;
    int fd = -1;

    for (int i = 0; i < TRIES; i++) {
        fd = sys_open (file.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
        if (fd >= 0 || errno != EINTR)
            break;
    }
    if (fd < 0)
        return -1;
    if (sys_fstat (fd, &st) == 0 && st.st_dev == file.dev &&
        st.st_ino == file.ino)
        return fd;
    (void)sys_close (fd);
    errno = ESTALE;
    return -1;
}

static int reserve (uint32_t capacity, uint64_t *offset)
{
    uint64_t *end = &shardfile_live ()->file_bytes;
    uint64_t at = __atomic_load_n (end, __ATOMIC_RELAXED);

    do {
        if (at & CLOSED) {
            errno = ESHUTDOWN;
            return -1;
        }
        *offset = (at + SHARD_ALIGN - 1) & ~(uint64_t)(SHARD_ALIGN - 1);
    } while (!__atomic_compare_exchange_n (end, &at, *offset + capacity, 0,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return 0;
}

/* Give a reservation back if nobody reserved behind it. */
static void unreserve (uint64_t offset, uint32_t capacity)
{
    uint64_t at = offset + capacity;

    (void)__atomic_compare_exchange_n (&shardfile_live ()->file_bytes, &at,
                                       offset, 0, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Counted where it costs nothing: in whole chunks. */
static int is_enough (void)
{
    return file.max_events &&
           __atomic_load_n (&shardfile_live ()->events_sealed,
                            __ATOMIC_RELAXED) >= file.max_events;
}

int shardfile_chunk_begin (struct shardfile_chunk *c, uint32_t capacity)
{
    int fd;

    memset (c, 0, sizeof (*c));
    if (is_enough ()) {
        errno = EFBIG;
        return -1;
    }
    fd = reopen ();
    if (fd < 0)
        return -1;
    c->capacity = capacity;
    c->mapped = file.mapped;
    if (reserve (capacity, &c->offset) == 0) {
        c->block = map_space (fd, c->offset, capacity, &c->mapped);
        if (c->block)
            shardfile_count (&shardfile_live ()->chunks, 1);
        else
            unreserve (c->offset, capacity);
    }
    (void)sys_close (fd);
    return c->block ? 0 : -1;
}

static void write_head (int fd)
{
    if (!file.mapped)
        (void)write_all (
            fd, file.head,
            sizeof (struct shard_block) + sizeof (struct shard_process), 0);
}

/* Whole pages behind the last record: back to the file system. The file is
 * cut only when nobody has or will ever get space behind this chunk: a page
 * cut away under another thread's mapping would be its death. */
static void
give_back (int fd, struct shardfile_chunk *c, uint32_t used, int last)
{
    uint32_t keep = (used + 7u) & ~7u;
    uint32_t pages = (used + SHARD_ALIGN - 1u) & ~(SHARD_ALIGN - 1u);
    uint64_t end = c->offset + c->capacity;

    if (last &&
        __atomic_compare_exchange_n (&shardfile_live ()->file_bytes, &end,
                                     (c->offset + keep) | CLOSED, 0,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        (void)sys_ftruncate (fd, c->offset + keep);
    else if (c->mapped && pages < c->capacity)
        (void)sys_fallocate (fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                             c->offset + pages, c->capacity - pages);
}

/* Write a chunk that is memory. Its last byte, too: the file must reach to
 * where the next chunk would begin, or it looks cut. */
static int store (int fd, const struct shardfile_chunk *c, uint32_t used)
{
    uint64_t end = c->offset + c->capacity;
    int rc = -1;

    if (fd >= 0 && within_limits (end))
        rc = write_all (fd, c->block, used, c->offset);
    if (rc == 0 && used < c->capacity)
        (void)write_all (fd, "", 1, end - 1);
    return rc;
}

void shardfile_chunk_end (struct shardfile_chunk *c, int last)
{
    struct shard_block *b = c->block;
    uint32_t used = (uint32_t)b->commit;
    uint32_t events = (uint32_t)(b->commit >> 32);
    uint32_t bytes = used + (uint32_t)sizeof (*b);
    int slack = c->capacity - bytes >= SHARD_ALIGN || last;
    int fd = slack || !c->mapped || !file.mapped ? reopen () : -1;

    b->checksum = shard_events_sum (b, b + 1);
    __atomic_store_n (&b->flags, SHARD_SEALED, __ATOMIC_RELEASE);
    if (c->mapped || store (fd, c, bytes) == 0)
        shardfile_count (&shardfile_live ()->events_sealed, events);
    else
        shardfile_count (&shardfile_live ()->lost_space, events);
    if (fd >= 0 && slack)
        give_back (fd, c, bytes, last);
    if (fd >= 0) {
        write_head (fd);
        (void)sys_close (fd);
    }
    shardfile_chunk_drop (c);
}

void shardfile_chunk_drop (struct shardfile_chunk *c)
{
    if (c->block)
        (void)sys_munmap (c->block, c->capacity);
    c->block = NULL;
}

void shardfile_finish (uint64_t end_ns)
{
    int fd;

    if (!file.head)
        return;
    shardfile_live ()->end_ns = end_ns;
    if (file.mapped || (fd = reopen ()) < 0)
        return;
    write_head (fd);
    (void)sys_close (fd);
}

void shardfile_forget (void)
{
    memset (&early, 0, sizeof (early));
    atomic_store_explicit (&live, &early, memory_order_release);
    if (file.head)
        (void)sys_munmap (file.head, SHARD_PROCESS_BYTES);
    file.head = NULL;
}
