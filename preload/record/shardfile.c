/* SPDX-License-Identifier: MIT
 *
 * shardfile.c - file, space for chunks
 */
#include "config.h"

#include <sys/vfs.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "lib/format/calls.h"
#include "preload/record/detailnow.h"
#include "preload/record/nodefile.h"
#include "preload/record/owntable.h"
#include "preload/record/shardfile.h"
#include "preload/record/shardlive.h"
#include "preload/record/shardpart.h"
#include "preload/record/shardpath.h"
#include "preload/record/usage.h"

enum { PATH_BYTES = 8192, TRIES_KEPT = 8 };

static char path_of_file[PATH_BYTES];

static SYS_STATE struct {
    dev_t dev;
    ino_t ino;
    int mapped;               /* chunks are mappings of the file */
    _Atomic int kept;         /* a descriptor; 0: none */
    int shared;               /* it is the node's */
    int named;                /* there is a path */
    struct shard_block *head; /* process block, mapped or memory */
    size_t head_bytes;        /* mapped */
} file;

static void begun (struct shard_block *b, size_t bytes)
{
    file.head = b;
    file.head_bytes = bytes;
    shardlive_begin ((struct shard_process *)(b + 1));
    __atomic_store_n (&b->magic, SHARD_MAGIC, __ATOMIC_RELEASE);
}

static int begin_file (int fd,
                       const struct stat *place,
                       const struct settings *s,
                       const struct procinfo *info,
                       const struct shardfile_start *start)
{
    struct stat st;
    struct shard_block *b;

    if (shardplace_file (place, fd, &st) < 0)
        return -1;
    file.dev = st.st_dev;
    file.ino = st.st_ino;
    file.mapped = 1;
    filespace_look (fd);
    b = filespace_map (fd, 0, SHARD_PROCESS_BYTES, s->max_bytes, &file.mapped);
    if (!b)
        return -1;
    shardhead_fill (b, SHARD_PROCESS_BYTES, s, info, start);
    if (!file.mapped) {
        b->magic = SHARD_MAGIC;
        if (filespace_write (fd, b, b->capacity, 0) < 0) {
            (void)sys_munmap (b, SHARD_PROCESS_BYTES);
            return -1;
        }
    }
    begun (b, SHARD_PROCESS_BYTES);
    return 0;
}

/* In the file that the node shares. */
static int begin_part (const struct settings *s,
                       const struct procinfo *info,
                       const struct shardfile_start *start)
{
    struct shard_block *b = s->share ? shardpart_begin (s, info, start) : NULL;

    if (!b)
        return -1;
    file.mapped = file.shared = 1;
    begun (b, shardpart_size ());
    return 0;
}

struct maker {
    const char *place; /* directory */
    const struct settings *s;
    const struct procinfo *info;
    const struct shardfile_start *start;
    int again;
};

static int shardfile_make_in (int dir, const struct stat *place, void *cookie)
{
    struct maker *m = cookie;
    int fd, rc, flags = O_RDWR | O_CREAT | O_NOFOLLOW;

    /* Later it may be there, since we made it, and was not before. */
    fd = highfd_try (dir, shardpath_base (path_of_file),
                     flags | (m->again++ ? 0 : O_EXCL), SHARDPATH_FILE);
    if (fd < 0)
        return -1;
    rc = begin_file (fd, place, m->s, m->info, m->start);
    (void)sys_close (fd);
    return rc;
}

static int shardfile_make_file (void *cookie)
{
    const struct maker *m = cookie;

    return shardplace_step (m->place, 1, shardfile_make_in, cookie);
}

static int try_create (struct maker *m)
{
    int rc, error;

    file.named = 1;
    if (shardpath_make (path_of_file, sizeof (path_of_file),
                        shardplace_dir (m->s), m->info->host, m->start) < 0)
        return -1;
    rc = owntable_step (shardfile_make_file, m, 0);
    error = errno;
    if (rc < 0 && error != EEXIST)
        (void)sys_call (SYS_unlinkat, AT_FDCWD, path_of_file, 0);
    errno = error;
    return rc;
}

int shardfile_create (const struct settings *s,
                      const struct procinfo *info,
                      const struct shardfile_start *start)
{
    struct maker m = {shardpath_place (shardplace_dir (s)), s, info, start, 0};
    struct usage_own own;
    int rc, error;

    usage_own_begin (&own);
    filelimit_start (s);
    rc = begin_part (s, info, start);
    if (rc < 0 && errno != ECANCELED)
        rc = try_create (&m);
    error = errno;
    if (rc < 0)
        shardlive_begin_elder ();
    errno = error;
    usage_own_end (&own);
    return rc;
}

static int shardfile_is_file (int fd)
{
    struct stat st;

    return sys_fstat (fd, &st) == 0 && st.st_dev == file.dev &&
           st.st_ino == file.ino;
}

/* A new descriptor, if it is one of that file. */
static int checked (int fd)
{
    if (fd < 0 || shardfile_is_file (fd))
        return fd;
    (void)sys_close (fd);
    errno = ESTALE;
    return -1;
}

/* The file by its name, if it still is that file, or by what was kept, which
 * the program may have closed since, and given to a file of its own. */
static int reopen (void)
{
    int fd =
        checked (highfd_try (AT_FDCWD, path_of_file, O_RDWR | O_NOFOLLOW, 0));
    int kept = atomic_load_explicit (&file.kept, memory_order_relaxed);

    return fd < 0 && kept ? checked (highfd_dup (kept)) : fd;
}

static int with_file (int (*step) (void *), void *cookie)
{
    return owntable_step (step, cookie, file.kept);
}

void shardfile_keep (void)
{
    int none = 0, fd = -1;

    if (file.shared)
        nodefile_keep ();
    if (!file.head || file.shared)
        return;
    for (int i = 0; fd < 0 && i < TRIES_KEPT; i++)
        fd = reopen ();
    if (fd >= 0 && !atomic_compare_exchange_strong (&file.kept, &none, fd))
        (void)sys_close (fd);
}

static int try_chunk (void *cookie)
{
    struct shardfile_chunk *c = cookie;
    int fd = reopen ();

    if (fd < 0)
        return -1;
    c->mapped = file.mapped;
    if (shardlive_reserve (c->capacity, &c->offset) == 0) {
        c->block = filespace_map (fd, c->offset, c->capacity,
                                  filelimit_bytes (c->profile), &c->mapped);
        if (!c->block)
            shardlive_unreserve (c->offset, c->capacity);
    }
    (void)sys_close (fd);
    return c->block ? 0 : -1;
}

/* file_bytes are those of this process then. */
static int shardfile_take_part (struct shardfile_chunk *c)
{
    uint64_t taken, max = filelimit_bytes (c->profile);
    int rc = -1;

    if (shardlive_reserve (c->capacity, &taken) < 0)
        return -1;
    if (max && taken + c->capacity > max)
        errno = EFBIG;
    else
        rc = shardpart_chunk (c);
    if (rc < 0)
        shardlive_unreserve (taken, c->capacity);
    return rc;
}

int shardfile_is_shared (void)
{
    return file.shared;
}

int shardfile_chunk_begin (struct shardfile_chunk *c,
                           uint32_t capacity,
                           int profile)
{
    struct usage_own own;
    int rc;

    *c = (struct shardfile_chunk){.profile = profile};
    if (filelimit_is_reached (profile)) {
        errno = EFBIG;
        return -1;
    }
    c->capacity = capacity;
    usage_own_begin (&own);
    rc = file.shared ? shardfile_take_part (c) : with_file (try_chunk, c);
    usage_own_end (&own);
    return rc;
}

static void write_head (int fd)
{
    if (!file.mapped)
        (void)filespace_write (
            fd, file.head,
            sizeof (struct shard_block) + sizeof (struct shard_process), 0);
}

/* Whole pages behind the last record: back to the file system. The file is
 * cut only when nobody has or will ever get space behind this chunk: a page
 * cut away under another thread's mapping would be its death. */
static void
shardfile_give_back (int fd, struct shardfile_chunk *c, uint32_t used, int last)
{
    uint32_t keep = (used + 7u) & ~7u;
    uint32_t pages = shardhead_pages (used);
    uint64_t end = c->offset + c->capacity;

    if (last &&
        __atomic_compare_exchange_n (&shardlive ()->file_bytes, &end,
                                     (c->offset + keep) | SHARD_CLOSED, 0,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        (void)sys_ftruncate (fd, c->offset + keep);
    else if (c->mapped && pages < c->capacity)
        (void)sys_fallocate (fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                             c->offset + pages, c->capacity - pages);
}

/* Write a chunk that is memory. Its last byte, too: the file must reach to
 * where the next chunk would begin, or it looks cut. */
static int shardfile_put (int fd, const struct shardfile_chunk *c, uint32_t n)
{
    uint64_t end = c->offset + c->capacity;
    int rc = -1;

    errno = EFBIG;
    if (filespace_allowed (end, filelimit_bytes (c->profile)))
        rc = filespace_write (fd, c->block, n, c->offset);
    if (rc == 0 && n < c->capacity)
        (void)filespace_write (fd, "", 1, end - 1);
    return rc;
}

struct ender {
    struct shardfile_chunk *c;
    uint32_t bytes;
    int slack, last;
};

static int try_end (void *cookie)
{
    const struct ender *e = cookie;
    int fd = reopen (), rc = 0;

    if (fd < 0)
        return -1;
    if (!e->c->mapped)
        rc = shardfile_put (fd, e->c, e->bytes);
    if (rc == 0 && e->slack)
        shardfile_give_back (fd, e->c, e->bytes, e->last);
    write_head (fd);
    (void)sys_close (fd);
    return rc;
}

void shardfile_chunk_end (struct shardfile_chunk *c, int last)
{
    struct shard_block *b = c->block;
    uint32_t used = (uint32_t)b->commit;
    uint32_t events = (uint32_t)(b->commit >> 32);
    struct ender e = {c, used + (uint32_t)sizeof (*b), 0, last};
    struct usage_own own;
    int rc = 0;

    usage_own_begin (&own);
    e.slack = c->capacity - e.bytes >= SHARD_ALIGN || last;
    shardlive_gather ();
    b->checksum = shard_events_sum (b, b + 1);
    __atomic_fetch_or (&b->flags, SHARD_SEALED, __ATOMIC_RELEASE);
    if (file.shared)
        shardpart_chunk_end (c, e.bytes);
    else if (e.slack || !c->mapped || !file.mapped)
        rc = with_file (try_end, &e);
    if (c->mapped || rc == 0)
        shardlive_count (&shardlive ()->events_sealed, events);
    else
        shardlive_count (&shardlive ()->lost_space, events);
    if (!last) /* else the kernel does it in a moment */
        shardfile_chunk_drop (c);
    usage_own_end (&own);
}

void shardfile_chunk_drop (struct shardfile_chunk *c)
{
    if (c->block && !c->stays)
        (void)sys_munmap (c->block, c->capacity);
    c->block = NULL;
}

static int try_finish (void *cookie)
{
    int fd = reopen ();

    if (fd < 0)
        return -1;
    write_head (fd);
    return sys_close (fd);
}

void shardfile_finish (uint64_t end_ns, uint32_t ended)
{
    if (!file.head)
        return;
    shardlive_gather ();
    shardlive ()->ended = ended;
    shardlive ()->end_ns = end_ns;
    if (!file.mapped)
        (void)with_file (try_finish, NULL);
}

void shardfile_forget (int interrupted)
{
    if (file.named)
        path_of_file[0] = '\0';
    file.named = 0;
    if (file.kept && shardfile_is_file (file.kept))
        (void)sys_close (file.kept);
    file.kept = 0;
    shardpart_forget ();
    shardlive_forget (file.head, file.head_bytes, interrupted);
    file.head = NULL;
    file.shared = 0;
}

/* ---- who this process is -> the process block of its shard ---- */

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

/* The layer first: a reader of what a death in between has left knows it from
 * that. */
void shardhead_profile (struct shard_process *p)
{
    if (__atomic_fetch_or (&p->layers, LAYER_PROFILE, __ATOMIC_SEQ_CST) &
        LAYER_PROFILE)
        return;
    shardhead_sum (p);
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
    p->version = SHARD_VERSION;
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

/* ---- descriptor, offset, size -> a mapping, memory, bytes written ---- */

SYS_STATE int filespace_kept;

enum { TRIES = 1000 /* of a call that signals interrupt: not for ever */ };

int filespace_allowed (uint64_t end, uint64_t max)
{
    struct rlimit rl;

    if (max && end > max)
        return 0;
    return sys_getrlimit (RLIMIT_FSIZE, &rl) < 0 ||
           rl.rlim_cur == RLIM_INFINITY || end <= rl.rlim_cur;
}

int filespace_keeps_type (unsigned type)
{
    static const unsigned keeping[] = {
        0xef53,     /* ext2, ext3, ext4 */
        0x58465342, /* xfs */
        0x01021994  /* tmpfs */
    };
    int keeps = 0;

    for (size_t i = 0; i < ITEMS (keeping); i++)
        keeps |= type == keeping[i];
    return keeps;
}

int filespace_keeps (int fd)
{
    struct statfs fs;

    return sys_call (SYS_fstatfs, fd, &fs) == 0 &&
           filespace_keeps_type ((unsigned)fs.f_type);
}

void filespace_look (int fd)
{
    filespace_kept = filespace_keeps (fd);
}

int filespace_promise (int fd, uint64_t offset, size_t size)
{
    int rc = -1;

    for (int i = 0; i < TRIES; i++) {
        rc = sys_fallocate (fd, 0, offset, size);
        if (rc == 0 || errno != EINTR)
            break;
    }
    return rc;
}

void *
filespace_map (int fd, uint64_t offset, size_t size, uint64_t max, int *mapped)
{
    void *p;

    if (!filespace_allowed (offset + size, max)) {
        errno = EFBIG;
        return NULL;
    }
    if (*mapped) {
        if (filespace_promise (fd, offset, size) == 0) {
            p = sys_mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                          offset);
            if (p != MAP_FAILED)
                return p;
            if (errno == EBADF)
                return NULL; /* another thread closed it */
        } else if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
            return NULL;
    }
    *mapped = 0;
    return offset > 0 ? sys_memory (size) : sys_memory_shared (size);
}

int filespace_write (int fd, const void *data, size_t n, uint64_t offset)
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
