/* SPDX-License-Identifier: MIT
 *
 * tracefile.c - a trace on disk -> index of processes and chunks
 *
 * In:  a shard or a merged trace, whole, cut, damaged or still growing
 * Out: what can be read of it, and an account of what cannot
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/tracefile.h"

enum {
    PROCESS_MAX = 1 << 20, /* bytes of a process block */
    PROC_GAP = 1 << 22     /* more processes than that: damage */
};

struct tracefile {
    int fd;
    uint64_t size;
    struct trace_process *procs;
    char **proc_text; /* strings of each, owned */
    size_t nprocs, procs_room, texts_room;
    struct trace_chunk *chunks;
    size_t nchunks, chunks_room;
    struct trace_health health;
};

/* --- input ---------------------------------------------------------- */

static ssize_t read_at (int fd, void *buf, size_t n, uint64_t offset)
{
    size_t done = 0;

    while (done < n) {
        ssize_t rc =
            pread (fd, (char *)buf + done, n - done, (off_t)(offset + done));

        if (rc < 0 && errno == EINTR)
            continue;
        if (rc < 0)
            return -1;
        if (rc == 0)
            break;
        done += (size_t)rc;
    }
    return (ssize_t)done;
}

/* The array with room for one more element; NULL (ENOMEM) leaves it alone. */
static void *grown (void *array, size_t *room, size_t count, size_t size)
{
    size_t more = *room ? *room * 2 : 16;
    void *p;

    if (count < *room)
        return array;
    p = realloc (array, more * size);
    if (p)
        *room = more;
    return p;
}

/* --- process blocks ------------------------------------------------- */

/* Point at the strings; each missing one is "". */
static void split_strings (struct trace_process *p, char *text, size_t n)
{
    size_t at = 0;

    for (int i = 0; i < SHARD_STRING_COUNT; i++) {
        p->text[i] = at < n ? text + at : "";
        if (at < n)
            at += strlen (text + at) + 1;
    }
}

static int
checksum_fits (const struct shard_block *b, const char *payload, size_t strings)
{
    uint64_t sum = shard_checksum (payload, SHARD_PROCESS_LIVE, 0);

    return shard_checksum (payload + sizeof (struct shard_process), strings,
                           sum) == b->checksum;
}

/* payload has n bytes, of which it takes ownership. */
static int keep_process (struct tracefile *f,
                         const struct shard_block *b,
                         uint64_t offset,
                         char *payload,
                         size_t n)
{
    struct trace_process p = {.offset = offset};
    size_t strings = n - sizeof (p.p);
    char **texts =
        grown (f->proc_text, &f->texts_room, f->nprocs, sizeof (*texts));
    struct trace_process *procs;

    if (texts)
        f->proc_text = texts;
    procs = grown (f->procs, &f->procs_room, f->nprocs, sizeof (*procs));
    if (procs)
        f->procs = procs;
    if (!texts || !procs) {
        free (payload);
        return -1;
    }
    memcpy (&p.p, payload, sizeof (p.p));
    if (p.p.strings_bytes < strings)
        strings = p.p.strings_bytes;
    p.damaged =
        p.p.strings_bytes > strings || !checksum_fits (b, payload, strings);
    payload[sizeof (p.p) + strings] = '\0';
    split_strings (&p, payload + sizeof (p.p), strings);
    f->proc_text[f->nprocs] = payload;
    f->procs[f->nprocs++] = p;
    return 0;
}

static int
take_process (struct tracefile *f, const struct shard_block *b, uint64_t offset)
{
    size_t n = (uint32_t)b->commit;
    char *payload;
    ssize_t got;

    if (n < sizeof (struct shard_process) || n > PROCESS_MAX ||
        n > b->capacity - sizeof (*b) || b->proc != f->nprocs) {
        errno = EBADMSG;
        return -1;
    }
    payload = malloc (n + 1);
    if (!payload)
        return -1;
    got = read_at (f->fd, payload, n, offset + sizeof (*b));
    if (got < (ssize_t)sizeof (struct shard_process)) {
        free (payload);
        errno = EBADMSG;
        return -1;
    }
    return keep_process (f, b, offset, payload, (size_t)got);
}

/* --- event blocks --------------------------------------------------- */

static int
take_chunk (struct tracefile *f, const struct shard_block *b, uint64_t offset)
{
    struct trace_chunk c = {.head = *b, .offset = offset};
    uint64_t left = f->size - offset - sizeof (*b);
    struct trace_chunk *chunks;

    c.events = (uint32_t)(b->commit >> 32);
    c.used = (uint32_t)b->commit;
    if (c.used > b->capacity - sizeof (*b) || b->proc >= f->nprocs ||
        c.events > c.used) {
        errno = EBADMSG;
        return -1;
    }
    c.present = left < c.used ? (uint32_t)left : c.used;
    chunks = grown (f->chunks, &f->chunks_room, f->nchunks, sizeof (c));
    if (!chunks)
        return -1;
    f->chunks = chunks;
    f->chunks[f->nchunks++] = c;
    return 0;
}

/* --- the walk over the blocks ---------------------------------------- */

static int plausible (const struct shard_block *b)
{
    return b->magic == SHARD_MAGIC && b->capacity >= sizeof (*b) &&
           b->capacity <= SHARD_CHUNK_MAX && b->proc < PROC_GAP &&
           (b->type == SHARD_BLOCK_PROCESS || b->type == SHARD_BLOCK_EVENTS);
}

/* Where to look next when there is no block at offset: the next page. Zeros
 * (a chunk reserved, never begun) are no damage. */
static uint64_t skip (struct tracefile *f,
                      const struct shard_block *b,
                      size_t got,
                      uint64_t offset)
{
    static const struct shard_block nothing;
    uint64_t next = (offset / SHARD_ALIGN + 1) * SHARD_ALIGN;

    if (next > f->size)
        next = f->size;
    if (memcmp (b, &nothing, got) != 0)
        f->health.bytes_skipped += next - offset;
    return next;
}

static int
take_block (struct tracefile *f, const struct shard_block *b, uint64_t offset)
{
    return b->type == SHARD_BLOCK_PROCESS ? take_process (f, b, offset)
                                          : take_chunk (f, b, offset);
}

static int walk (struct tracefile *f)
{
    uint64_t offset = 0;

    while (offset < f->size) {
        struct shard_block b;
        ssize_t got = read_at (f->fd, &b, sizeof (b), offset);

        if (got < 0)
            return -1;
        if (got == 0)
            break;
        if ((size_t)got == sizeof (b) && plausible (&b)) {
            if (take_block (f, &b, offset) == 0) {
                offset += b.capacity;
                continue;
            }
            if (errno != EBADMSG)
                return -1;
        }
        offset = skip (f, &b, (size_t)got, offset);
    }
    return 0;
}

/* --- the account ------------------------------------------------------ */

static void account_processes (struct tracefile *f, uint64_t *promised)
{
    struct trace_health *h = &f->health;
    uint64_t end = 0;

    for (size_t i = 0; i < f->nprocs; i++) {
        const struct shard_process *p = &f->procs[i].p;

        h->lost += p->lost_busy + p->lost_space;
        h->lost_names += p->lost_names;
        h->unfinished += p->end_ns == 0;
        *promised += p->events_sealed;
        end = p->file_bytes;
    }
    h->processes = (uint32_t)f->nprocs;
    if (f->nprocs == 1 && end > f->size)
        h->cut = 1;
}

static void account (struct tracefile *f)
{
    struct trace_health *h = &f->health;
    uint64_t promised = 0, sealed = 0;

    h->bytes = f->size;
    h->chunks = f->nchunks;
    account_processes (f, &promised);
    for (size_t i = 0; i < f->nchunks; i++) {
        const struct trace_chunk *c = &f->chunks[i];

        if (c->present < c->used) {
            h->chunks_cut++;
            h->cut = 1;
            h->missing += c->events;
        } else
            h->events += c->events;
        if (c->head.flags & SHARD_SEALED)
            sealed += c->events;
    }
    if (promised > sealed)
        h->missing += promised - sealed;
}

/* --- open and close --------------------------------------------------- */

static struct tracefile *open_fd (int fd, const char *name, struct errtext *err)
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
    f = calloc (1, sizeof (*f));
    if (!f)
        goto error;
    f->fd = fd;
    fd = -1; /* f owns it now */
    f->size = (uint64_t)st.st_size;
    if (walk (f) < 0) {
        errf (err, "%s: cannot read: %s", name, strerror (errno));
        goto error;
    }
    if (f->nprocs == 0) {
        errno = EBADMSG;
        errf (err, "%s: %s", name,
              f->size == 0 ? "empty: its process died before the first event"
                           : "not a dftrace trace, or its head is damaged");
        goto error;
    }
    account (f);
    return f;
error:
    if (fd >= 0) {
        int saved_errno = errno;

        (void)close (fd);
        errno = saved_errno;
    }
    tracefile_close (f);
    return NULL;
}

struct tracefile *
tracefile_openat (int dirfd, const char *name, struct errtext *err)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

    return open_fd (openat (dirfd, name, flags), name, err);
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
    for (size_t i = 0; i < f->nprocs; i++)
        free (f->proc_text[i]);
    free (f->proc_text);
    free (f->procs);
    free (f->chunks);
    if (f->fd >= 0)
        (void)close (f->fd);
    free (f);
    errno = saved_errno;
}

/* --- what is in it ---------------------------------------------------- */

size_t tracefile_processes (const struct tracefile *f)
{
    return f->nprocs;
}

const struct trace_process *tracefile_process (const struct tracefile *f,
                                               size_t proc)
{
    return proc < f->nprocs ? &f->procs[proc] : NULL;
}

size_t tracefile_chunks (const struct tracefile *f)
{
    return f->nchunks;
}

const struct trace_chunk *tracefile_chunk (const struct tracefile *f,
                                           size_t index)
{
    return index < f->nchunks ? &f->chunks[index] : NULL;
}

ssize_t tracefile_read (const struct tracefile *f,
                        const struct trace_chunk *c,
                        unsigned char *buf)
{
    ssize_t got = read_at (f->fd, buf, c->present,
                           c->offset + sizeof (struct shard_block));

    if (got < 0)
        return -1;
    if (c->head.flags & SHARD_SEALED && (uint32_t)got == c->used &&
        shard_checksum (buf, c->used, 0) != c->head.checksum) {
        errno = EBADMSG;
        return -1;
    }
    return got;
}

const struct trace_health *tracefile_health (const struct tracefile *f)
{
    return &f->health;
}

uint64_t trace_ns (const struct trace_process *p, uint64_t tick)
{
    uint64_t hz = p->p.tick_hz ? p->p.tick_hz : 1000000000u;
    int64_t ticks = (int64_t)(tick - p->p.start_tick);

    if (hz == 1000000000u)
        return p->p.start_ns + (uint64_t)ticks;
    return p->p.start_ns +
           (uint64_t)(int64_t)((__int128)ticks * 1000000000 / (int64_t)hz);
}

uint64_t trace_real_ns (const struct trace_process *p, uint64_t tick)
{
    return p->p.start_real + (trace_ns (p, tick) - p->p.start_ns);
}
