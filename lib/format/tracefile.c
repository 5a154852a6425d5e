/* SPDX-License-Identifier: MIT
 *
 * tracefile.c - a trace on disk -> index of processes and chunks
 *
 * In:  a shard or a merged trace, whole, cut, damaged or still growing
 * Out: what can be read of it, and an account of what cannot
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/dense.h"
#include "lib/format/calls.h"
#include "lib/format/shard.h"
#include "lib/format/tracefile.h"

enum { TRACEWINDOW_BYTES = 1 << 16 };

/* Bytes of the file, from `at` on; all zero at first. */
struct tracewindow {
    uint64_t at;
    size_t bytes;
    unsigned char data[TRACEWINDOW_BYTES];
};

/* Take it from the window, if it is there. */
static int tracewindow_take (const struct tracewindow *w,
                             uint64_t offset,
                             struct shard_block *b)
{
    if (offset < w->at || offset + sizeof (*b) > w->at + w->bytes)
        return 0;
    memcpy (b, w->data + (offset - w->at), sizeof (*b));
    return 1;
}

/* Read the bytes at offset as a header, and nothing else: for a walk from block
 * to block. Return 1, 0 if the file ends before its end, or -1 with errno. */
static int tracewindow_head (const struct tracewindow *w,
                             int fd,
                             uint64_t offset,
                             struct shard_block *b)
{
    ssize_t got;

    if (tracewindow_take (w, offset, b))
        return 1;
    got = traceproc_read (fd, b, sizeof (*b), offset);
    return got < 0 ? -1 : got == sizeof (*b);
}

/* As above, but read a window: for a search. */
static int tracewindow_look (struct tracewindow *w,
                             int fd,
                             uint64_t offset,
                             struct shard_block *b)
{
    ssize_t got;

    if (tracewindow_take (w, offset, b))
        return 1;
    got = traceproc_read (fd, w->data, sizeof (w->data), offset);
    w->at = offset;
    w->bytes = got < 0 ? 0 : got;
    return got < 0 ? -1 : tracewindow_take (w, offset, b);
}

/* How many of the bytes from offset on, which look has read, are zeros: in
 * whole steps of SHARD_MERGED_ALIGN, at least one, at most `most` (a multiple
 * of it). */
static uint64_t
tracewindow_zeros (const struct tracewindow *w, uint64_t offset, uint64_t most)
{
    static const unsigned char zeros[SHARD_MERGED_ALIGN];
    uint64_t n = SHARD_MERGED_ALIGN, there = 0;

    if (offset >= w->at && offset < w->at + w->bytes)
        there = w->at + w->bytes - offset;
    if (most > there)
        most = there;
    while (n + sizeof (zeros) <= most &&
           memcmp (w->data + (offset - w->at) + n, zeros, sizeof (zeros)) == 0)
        n += sizeof (zeros);
    return n;
}

struct tracefile {
    int fd;
    char *path; /* of a file that is opened for each read; NULL: fd is open */
    dev_t dev;  /* path must still be this file */
    ino_t ino;
    tracefile_payload *payload; /* of a trace made of other data; else NULL */
    const void *of;
    uint64_t size;
    struct traceproc procs;
    struct shard_node node; /* of a shared file; version 0: none */
    struct trace_chunks {
        struct trace_chunk *all; /* owned */
        size_t count, room;
    } chunks, profiles; /* profiles: their blocks, without events */
    struct trace_health health;
    struct tracewindow window;
};

enum {
    HOLE_LOOK_BYTES = 65536, /* of zeros, before we ask for a hole */
    OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
};

static int tracefile_append (struct trace_chunks *list,
                             const struct trace_chunk *c)
{
    if (TRY_GROW (list->all, list->room, list->count + 1) < 0)
        return -1;
    list->all[list->count++] = *c;
    return 0;
}

/* --- blocks ----------------------------------------------------------- */

/* Bytes behind the header that hold the payload. */
static uint32_t stored (const struct shard_block *b)
{
    return b->type == SHARD_BLOCK_DENSE ? b->capacity - (uint32_t)sizeof (*b)
                                        : (uint32_t)b->commit;
}

static int tracefile_take_chunk (struct tracefile *f,
                                 const struct shard_block *b,
                                 uint64_t offset)
{
    struct trace_chunk c = {.head = *b, .offset = offset};
    uint64_t left = f->size - offset - sizeof (*b);
    int64_t proc = traceproc_index (&f->procs, f->fd, b->proc);

    if (proc < 0)
        return -1;
    c.head.proc = (uint32_t)proc;
    c.events = (uint32_t)(b->commit >> 32);
    c.used = (uint32_t)b->commit;
    c.present = left >= stored (b)             ? c.used
                : b->type == SHARD_BLOCK_DENSE ? 0
                                               : (uint32_t)left;
    return tracefile_append (
        b->type == SHARD_BLOCK_PROFILE ? &f->profiles : &f->chunks, &c);
}

/* The first page of a shared file. */
static int take_node (struct tracefile *f, uint64_t offset)
{
    ssize_t got = traceproc_read (f->fd, &f->node, sizeof (f->node),
                                  offset + sizeof (struct shard_block));

    if (got < 0)
        return -1;
    if (got < (ssize_t)sizeof (f->node))
        ZERO (&f->node);
    f->procs.paged = 1;
    return 0;
}

/* Whether all that a header says can be. A process has its block before its
 * chunks, so there cannot be more of them than would fit before offset. */
static int plausible (const struct tracefile *f,
                      const struct shard_block *b,
                      uint64_t offset)
{
    uint32_t used = (uint32_t)b->commit;
    uint64_t before = offset / TRACEPROC_BYTES_MIN;

    if (b->magic != SHARD_MAGIC || b->capacity < sizeof (*b) ||
        b->capacity > SHARD_CHUNK_MAX || b->capacity % SHARD_MERGED_ALIGN ||
        b->check != shard_block_check (b))
        return 0;
    if (used > (b->type == SHARD_BLOCK_DENSE ? DENSE_BYTES_MAX
                                             : b->capacity - sizeof (*b)))
        return 0;
    if (b->type == SHARD_BLOCK_NODE)
        return offset == 0 && used >= sizeof (struct shard_node);
    if (b->type == SHARD_BLOCK_PROCESS && b->seq == SHARD_PAGED)
        return used >= sizeof (struct shard_process) &&
               offset == (uint64_t)b->proc * SHARD_ALIGN;
    if (b->type == SHARD_BLOCK_PROCESS)
        return used >= sizeof (struct shard_process) && b->proc <= before &&
               b->proc >= f->procs.count;
    if (b->type == SHARD_BLOCK_LINES)
        return b->commit == used;
    if (f->procs.paged) /* a page may begin with the block of its process */
        before = (offset + SHARD_ALIGN - 1) / SHARD_ALIGN;
    if (b->type == SHARD_BLOCK_PROFILE)
        return b->commit == used && b->proc < before;
    return (b->type == SHARD_BLOCK_EVENTS || b->type == SHARD_BLOCK_DENSE) &&
           b->commit >> 32 <= used && b->proc < before;
}

/* --- the walk over the blocks ---------------------------------------- */

/* The next block's place behind at, which is zeros: a hole costs its owner
 * nothing, and must cost us nothing. */
static uint64_t after_hole (const struct tracefile *f, uint64_t at)
{
    uint64_t next = at + SHARD_MERGED_ALIGN;
    off_t data = lseek (f->fd, (off_t)next, SEEK_DATA);

    if (data < 0) /* nothing but a hole; or no such question here */
        return errno == ENXIO ? f->size : next;
    data &= ~(off_t)(SHARD_MERGED_ALIGN - 1);
    return (uint64_t)data > next ? (uint64_t)data : next;
}

/* Find the next block if there is none at offset. Zeros (a chunk that was
 * reserved and never begun) are not damage. */
static int find_block (struct tracefile *f, uint64_t offset, uint64_t *next)
{
    static const unsigned char zeros[SHARD_MERGED_ALIGN];
    uint64_t at = offset & ~(uint64_t)(SHARD_MERGED_ALIGN - 1);
    struct shard_block b;

    while (at + sizeof (b) <= f->size) {
        int rc = tracewindow_look (&f->window, f->fd, at, &b);

        if (rc < 0)
            return -1;
        if (rc == 0)
            break; /* the file became shorter */
        if (at > offset && plausible (f, &b, at)) {
            *next = at;
            return 0;
        }
        if (memcmp (&b, zeros, sizeof (zeros)) != 0) {
            f->health.bytes_skipped += sizeof (zeros);
            at += SHARD_MERGED_ALIGN;
        } else if (at % HOLE_LOOK_BYTES == 0)
            at = after_hole (f, at);
        else
            at += tracewindow_zeros (&f->window, at,
                                     HOLE_LOOK_BYTES - at % HOLE_LOOK_BYTES);
    }
    *next = f->size;
    return 0;
}

static int
take_block (struct tracefile *f, const struct shard_block *b, uint64_t offset)
{
    if (b->type == SHARD_BLOCK_NODE)
        return take_node (f, offset);
    if (b->type == SHARD_BLOCK_LINES)
        return 0;
    return b->type == SHARD_BLOCK_PROCESS
               ? traceproc_take (&f->procs, f->fd, b, offset)
               : tracefile_take_chunk (f, b, offset);
}

static int walk (struct tracefile *f)
{
    uint64_t offset = 0;

    while (offset < f->size) {
        struct shard_block b;
        int rc = tracewindow_head (&f->window, f->fd, offset, &b);

        if (rc > 0 && plausible (f, &b, offset)) {
            rc = take_block (f, &b, offset);
            if (offset + sizeof (b) + stored (&b) > f->size)
                f->health.cut = 1;
            offset += b.capacity;
        } else if (rc >= 0)
            rc = find_block (f, offset, &offset);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* --- what is there and what is missing -------------------------------- */

/* Shorter than the process made it. What ended before the space of a chunk was
 * there, with the process, leaves a place without one: then no chunk is
 * missing. */
static int traceaccount_is_cut (const struct tracefile *f,
                                const struct shard_process *p)
{
    uint64_t closed = p->file_bytes & SHARD_CLOSED;

    return p->file_bytes - closed > f->size &&
           (closed || f->chunks.count + f->profiles.count < p->chunks);
}

static void traceaccount_processes (struct tracefile *f, uint64_t *promised)
{
    struct trace_health *h = &f->health;

    for (size_t i = 0; i < f->procs.count; i++) {
        const struct shard_process *p = &f->procs.all[i].p;

        h->lost += p->lost_busy + p->lost_space;
        h->lost_names += p->lost_names;
        h->unfinished += !shard_in_order (p) && p->exec_ns == 0;
        *promised += p->events_sealed;
    }
    h->processes = (uint32_t)f->procs.count;
    if (f->node.version ? f->node.promised > f->size
                        : f->procs.count == 1 && !f->procs.paged &&
                              traceaccount_is_cut (f, &f->procs.all[0].p))
        h->cut = 1;
}

/* Fill f->health: data found, cut off, and promised but missing. */
static void tracefile_account (struct tracefile *f)
{
    struct trace_health *h = &f->health;
    uint64_t promised = 0, sealed = 0;

    h->bytes = f->size;
    h->chunks = f->chunks.count + f->profiles.count;
    traceaccount_processes (f, &promised);
    for (size_t i = 0; i < f->chunks.count; i++) {
        const struct trace_chunk *c = &f->chunks.all[i];

        if (c->present < c->used) {
            h->chunks_cut++;
            h->missing += c->events;
        } else
            h->events += c->events;
        if (c->head.flags & SHARD_SEALED)
            sealed += c->events;
    }
    for (size_t i = 0; i < f->profiles.count; i++)
        h->chunks_cut += f->profiles.all[i].present < f->profiles.all[i].used;
    if (promised > sealed)
        h->missing += promised - sealed;
}

/* --- lines of processes ---------------------------------------------- */

/* Append the payload of a block of lines at offset; 1: there is none. */
static int take_lines (int fd, uint64_t *offset, char **text, size_t *n)
{
    struct shard_block b;
    size_t used;
    char *more;

    if (traceproc_read (fd, &b, sizeof (b), *offset) != sizeof (b) ||
        b.magic != SHARD_MAGIC || b.type != SHARD_BLOCK_LINES ||
        b.check != shard_block_check (&b) || b.capacity > SHARD_CHUNK_MAX ||
        b.capacity < sizeof (b) || b.commit > b.capacity - sizeof (b))
        return 1;
    used = b.commit;
    if (!(more = realloc (*text, *n + used + 1)))
        return -1;
    *text = more;
    if (traceproc_read (fd, more + *n, used, *offset + sizeof (b)) !=
            (ssize_t)used ||
        b.checksum != shard_events_sum (&b, more + *n))
        return 1;
    *n += used;
    more[*n] = '\0';
    *offset += b.capacity;
    return 0;
}

char *tracefile_lines (const char *path, size_t *n)
{
    int fd = open (path, OPEN_FLAGS), rc = fd < 0;
    uint64_t offset = 0;
    char *text = NULL;

    *n = 0;
    while (rc == 0)
        rc = take_lines (fd, &offset, &text, n);
    if (fd >= 0)
        close (fd);
    if (*n)
        return text;
    free (text);
    return NULL;
}

/* --- open and close --------------------------------------------------- */

struct tracefile *
tracefile_openfd (int fd, const char *name, struct errtext *err)
{
    struct tracefile *f = NULL;
    struct stat st;

    if (fd < 0 || fstat (fd, &st) < 0) {
        errf (err, "%s: cannot open: %s", name, strerror (errno));
        goto error;
    }
    if (!S_ISREG (st.st_mode)) {
        errno = EINVAL;
        errf (err, "%s: not a regular file", name);
        goto error;
    }
    f = malloc (sizeof (*f));
    if (!f)
        goto error;
    memset (f, 0, offsetof (struct tracefile, window.data)); /* empty */
    f->fd = fd;
    fd = -1; /* f owns it now */
    f->size = st.st_size;
    if (walk (f) < 0) {
        if (f->procs.version)
            errf (err, "%s: format version %u: this program reads version %d",
                  name, (unsigned)f->procs.version, SHARD_VERSION);
        else
            errf (err, "%s: cannot read: %s", name, strerror (errno));
        goto error;
    }
    if (f->procs.count == 0) {
        errno = EBADMSG;
        errf (err, "%s: %s", name,
              f->size == 0 ? "empty: its process died before the first event"
              : f->node.version
                  ? "no process has written to it"
                  : "not a dftrace trace, or its head is damaged");
        goto error;
    }
    tracefile_account (f);
    return f;
error:
    if (fd >= 0) {
        int saved_errno = errno;

        close (fd);
        errno = saved_errno;
    }
    tracefile_close (f);
    return NULL;
}

struct tracefile *
tracefile_openat (int dirfd, const char *name, struct errtext *err)
{
    return tracefile_openfd (openat (dirfd, name, OPEN_FLAGS), name, err);
}

struct tracefile *tracefile_open (const char *path, struct errtext *err)
{
    return tracefile_openat (AT_FDCWD, path, err);
}

void tracefile_close (struct tracefile *f)
{
    int saved_errno = errno;

    if (!f)
        return;
    traceproc_free (&f->procs);
    free (f->chunks.all);
    free (f->profiles.all);
    free (f->path);
    if (f->fd >= 0)
        close (f->fd);
    free (f);
    errno = saved_errno;
}

/* --- made of what was read elsewhere ---------------------------------- */

struct tracefile *tracefile_create (uint64_t bytes)
{
    struct tracefile *f = TRY_ZEROED (f, 1);

    if (f) {
        f->fd = -1;
        f->size = bytes;
    }
    return f;
}

int tracefile_add_process (struct tracefile *f,
                           const struct shard_process *p,
                           const char *strings,
                           size_t n)
{
    return traceproc_add (&f->procs, p, strings, n);
}

void tracefile_set_chunks (struct tracefile *f,
                           struct trace_chunk *chunks,
                           size_t n,
                           tracefile_payload *payload,
                           const void *of)
{
    f->chunks = (struct trace_chunks){chunks, n, n};
    f->payload = payload;
    f->of = of;
    tracefile_account (f);
}

/* --- what is in it ---------------------------------------------------- */

int tracefile_is_shared (const struct tracefile *f)
{
    return f->procs.paged;
}

size_t tracefile_processes (const struct tracefile *f)
{
    return f->procs.count;
}

const struct trace_process *tracefile_process (const struct tracefile *f,
                                               size_t proc)
{
    return proc < f->procs.count ? &f->procs.all[proc] : NULL;
}

void tracefile_shift_clock (struct tracefile *f, size_t proc, int64_t ns)
{
    if (proc < f->procs.count)
        f->procs.all[proc].p.clock_offset += ns;
}

size_t tracefile_chunks (const struct tracefile *f)
{
    return f->chunks.count;
}

const struct trace_chunk *tracefile_chunk (const struct tracefile *f,
                                           size_t index)
{
    return index < f->chunks.count ? &f->chunks.all[index] : NULL;
}

size_t tracefile_profiles (const struct tracefile *f)
{
    return f->profiles.count;
}

const struct trace_chunk *tracefile_profile (const struct tracefile *f,
                                             size_t index)
{
    return index < f->profiles.count ? &f->profiles.all[index] : NULL;
}

size_t tracefile_stored (const struct trace_chunk *c)
{
    return c->head.type == SHARD_BLOCK_DENSE && c->present ? stored (&c->head)
                                                           : c->present;
}

size_t tracefile_room (const struct trace_chunk *c)
{
    return MAX (c->used, tracefile_stored (c));
}

int tracefile_park (struct tracefile *f, const char *path)
{
    struct stat st;

    if (f->fd < 0 || fstat (f->fd, &st) < 0 || !(f->path = strdup (path)))
        return -1;
    f->dev = st.st_dev;
    f->ino = st.st_ino;
    close (f->fd);
    f->fd = -1;
    return 0;
}

/* The file of a trace for one read. -1 and errno. */
static int tracefile_unpark (const struct tracefile *f)
{
    int fd = open (f->path, OPEN_FLAGS);
    struct stat st;

    if (fd < 0 ||
        (fstat (fd, &st) == 0 && st.st_dev == f->dev && st.st_ino == f->ino))
        return fd;
    close (fd);
    errno = ESTALE;
    return -1;
}

static ssize_t tracefile_pread (const struct tracefile *f,
                                unsigned char *buf,
                                size_t n,
                                uint64_t offset)
{
    int fd = f->path ? tracefile_unpark (f) : f->fd, saved;
    ssize_t got = fd < 0 && f->path ? -1 : traceproc_read (fd, buf, n, offset);

    saved = errno;
    if (f->path && fd >= 0)
        close (fd);
    errno = saved;
    return got;
}

ssize_t tracefile_read_stored (const struct tracefile *f,
                               const struct trace_chunk *c,
                               unsigned char *buf)
{
    size_t n = tracefile_stored (c);
    int dense = c->head.type == SHARD_BLOCK_DENSE;
    int whole = dense || (c->head.flags & SHARD_SEALED && n == c->used);
    ssize_t got;

    if (f->payload)
        return f->payload (f->of, c->offset, buf);
    got = tracefile_pread (f, buf, n, c->offset + sizeof (struct shard_block));
    if (got < 0 || (dense && !c->present))
        return got;
    if ((dense && (size_t)got != n) ||
        (whole && (size_t)got == n &&
         shard_events_sum (&c->head, buf) != c->head.checksum)) {
        errno = EBADMSG;
        return -1;
    }
    return got;
}

ssize_t tracefile_read (const struct tracefile *f,
                        const struct trace_chunk *c,
                        unsigned char *buf)
{
    unsigned char *dense;
    ssize_t got;

    if (c->head.type != SHARD_BLOCK_DENSE || !c->present)
        return tracefile_read_stored (f, c, buf);
    if (!(dense = malloc (tracefile_stored (c) + 1)))
        return -1;
    got = tracefile_read_stored (f, c, dense);
    if (got >= 0)
        got = dense_read_some (dense, got, buf, c->used);
    free (dense);
    return got;
}

const struct trace_health *tracefile_health (const struct tracefile *f)
{
    return &f->health;
}

/* --- blocks to be written --------------------------------------------- */

void tracefile_seal (struct shard_block *b, const void *payload, size_t n)
{
    b->magic = SHARD_MAGIC;
    b->flags |= SHARD_SEALED;
    b->capacity = (uint32_t)((sizeof (*b) + n + SHARD_MERGED_ALIGN - 1) /
                             SHARD_MERGED_ALIGN * SHARD_MERGED_ALIGN);
    b->checksum =
        b->type == SHARD_BLOCK_PROCESS
            ? shard_process_sum (payload, n - sizeof (struct shard_process))
            : shard_events_sum (b, payload);
    b->check = shard_block_check (b);
}

int tracefile_put (FILE *out,
                   const struct shard_block *b,
                   const void *payload,
                   size_t n)
{
    static const char zeros[SHARD_MERGED_ALIGN];
    size_t more = b->capacity - sizeof (*b) - n;

    return fwrite (b, sizeof (*b), 1, out) != 1 ||
                   (n && fwrite (payload, n, 1, out) != 1) ||
                   (more && fwrite (zeros, more, 1, out) != 1)
               ? -1
               : 0;
}

void tracefile_end_process (struct tracefile *f, size_t proc, uint64_t ns)
{
    struct shard_process *p;

    if (proc >= f->procs.count)
        return;
    p = &f->procs.all[proc].p;
    p->layers &= ~(uint32_t)LAYER_PROFILE;
    if (ns > p->start_ns)
        p->end_ns = ns;
}

void tracefile_note_end (struct tracefile *f,
                         size_t proc,
                         uint32_t ended,
                         uint64_t real_ns)
{
    struct shard_process *p;

    if (proc >= f->procs.count)
        return;
    p = &f->procs.all[proc].p;
    if (p->exec_ns || real_ns < p->start_real)
        return;
    if (!(p->ended & (SHARD_ENDED_EXIT | SHARD_ENDED_SIGNAL)) ||
        (ended & SHARD_ENDED_SIGNAL))
        p->ended = ended | (p->ended & SHARD_ENDED_ROOT);
    p->ended |= ended & SHARD_ENDED_ROOT;
    if (p->end_ns)
        return;
    p->end_ns = p->start_ns + (real_ns - p->start_real);
    if (shard_in_order (p) && f->health.unfinished)
        f->health.unfinished--;
}
