/* SPDX-License-Identifier: MIT
 *
 * merge.c - traces of a job -> one trace
 *
 * In:  struct parts, from parts.c
 * Out: a merged trace (lib/format/shard.h), e.g. DIR/trace.dft: the lines of
 *      processes, the processes, then the chunks of all threads in the order of
 *      time
 *
 * Workers read and pack chunks while one writes, each in its turn: any number
 * of them gives the same bytes. Of each worker one chunk is in memory.
 */
#include "config.h"

#include "analyze/trace/merge.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/pool.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

void merge_piece_open (struct merge_piece *p)
{
    ZERO (p);
    p->dense = xalloc_checked (dense_writer_create ());
}

void merge_piece_close (struct merge_piece *p)
{
    decoder_end (&p->decoder);
    dense_writer_destroy (p->dense);
    free (p->payload);
    free (p->check);
    ZERO (p);
}

/* Bytes and events of the payload that can be decoded. */
static void decodable (struct merge_piece *p, const struct trace_chunk *c)
{
    struct event ev;
    size_t good = 0;
    int rc;

    decoder_begin (&p->decoder, &c->head, p->payload, p->used);
    while ((rc = decoder_next (&p->decoder, &ev)) > 0)
        good = (size_t)(p->decoder.p - p->payload);
    if (rc < 0 && errno == ENOMEM)
        xalloc_die ();
    p->used = good;
    p->events = p->decoder.events;
}

/* In fewer bytes, if what comes out of them is what went in. */
static void make_dense (struct merge_piece *p)
{
    const unsigned char *dense;
    size_t n;

    errno = 0;
    dense = dense_write (p->dense, p->payload, p->used, &n);
    if (!dense || dense_read (dense, n, p->check, p->used) < 0) {
        if (errno == ENOMEM)
            xalloc_die ();
        return;
    }
    if (memcmp (p->check, p->payload, p->used) != 0)
        return; /* numbers longer than they need to be */
    p->b.type = SHARD_BLOCK_DENSE;
    p->bytes = dense;
    p->used = n;
}

static void seal (struct merge_piece *p, uint32_t proc)
{
    size_t more = -p->used % SHARD_MERGED_ALIGN;

    p->b.proc = proc;
    if (p->b.type == SHARD_BLOCK_DENSE && more) { /* all of it counts */
        memcpy (p->check, p->bytes, p->used);
        memset (p->check + p->used, 0, more);
        p->bytes = p->check;
        p->used += more;
    }
    tracefile_seal (&p->b, p->bytes, p->used);
}

/* Dense records that are more than their header says: whoever reads them as
 * columns gets all, so they are copied as they are. -1: they cannot be read. */
static int keep_dense (struct merge_piece *p,
                       const struct tracefile *f,
                       const struct trace_chunk *c)
{
    ssize_t got = tracefile_read_stored (f, c, p->payload);

    if (got < 0)
        return -1;
    p->b = c->head;
    p->bytes = p->payload;
    p->used = (size_t)got;
    p->events = c->events;
    return 0;
}

void merge_piece_make (struct merge_piece *p,
                       const struct part *part,
                       const struct trace_chunk *c,
                       uint32_t proc,
                       enum merge_pack pack)
{
    size_t room = tracefile_room (c) + SHARD_MERGED_ALIGN;
    ssize_t got;
    int whole;

    GROW (p->payload, p->payload_room, room);
    GROW (p->check, p->check_room, room);
    got = tracefile_read (part->file, c, p->payload);
    whole = c->head.flags & SHARD_SEALED && got >= (ssize_t)c->used;
    if (got < 0 && errno == EOVERFLOW && keep_dense (p, part->file, c) == 0) {
        seal (p, proc);
        return;
    }
    p->b = c->head;
    p->b.type = SHARD_BLOCK_EVENTS;
    p->bytes = p->payload;
    p->used = got > 0 ? (size_t)got : 0;
    p->events = c->events;
    if (got < 0 || !whole)
        decodable (p, c);
    p->b.commit = p->events << 32 | p->used;
    if (p->events && pack == MERGE_DENSE)
        make_dense (p);
    seal (p, proc);
}

/* A chunk in the order of writing. */
struct item {
    size_t proc; /* index of its part */
    const struct trace_chunk *chunk;
    uint64_t ns; /* CLOCK_REALTIME of its begin */
};

static int merge_by_time (const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return ORDER (x->ns, y->ns)
           ?: ORDER (x->proc, y->proc)
           ?: ORDER (x->chunk->offset, y->chunk->offset);
}

enum {
    MERGE_MODE = 0600,
    MERGE_CHUNKS_MIN = 4, /* for which a thread is worth its start */
    MERGE_LINES_BYTES = 1 << 20
};

/* Sums of the blocks written for a process. */
struct sums {
    uint64_t events, chunks, lost;
};

struct merge {
    const struct parts *parts;
    enum merge_pack pack;
    FILE *out;
    struct merge_report *report;
    struct sums *sums; /* of each part */
    long head;         /* where the processes begin */
    struct item *item;
    size_t items;
    size_t taken; /* items */
};

/* A chunk on its way. */
struct merge_item {
    struct merge_piece piece;
    const struct item *of;
};

/* --- blocks ----------------------------------------------------------- */

/* The block's bytes of the texts; 0: they are too many. */
static size_t strings_bytes (const struct trace_process *who)
{
    size_t n = 0;

    for (int i = 0; i < SHARD_STRING_COUNT; i++)
        n += strlen (who->text[i]) + 1;
    return n > SHARD_CHUNK_MAX / 2 ? 0 : n;
}

/* The block of a process, with the totals as they are now. A block whose
 * checksum was wrong keeps a wrong one. */
static int put_process (struct merge *m, size_t proc)
{
    const struct trace_process *who = m->parts->item[proc].who;
    struct shard_block b = {.type = SHARD_BLOCK_PROCESS,
                            .proc = (uint32_t)proc};
    struct shard_process p = who->p;
    size_t n = strings_bytes (who);
    char *buf = xmalloc (sizeof (p) + n), *to = buf + sizeof (p);
    int rc;

    for (int i = 0; n && i < SHARD_STRING_COUNT; i++)
        to = stpcpy (to, who->text[i]) + 1;
    p.strings_bytes = (uint32_t)n;
    p.events_sealed = m->sums[proc].events;
    p.chunks = m->sums[proc].chunks;
    p.file_bytes = 0;
    p.lost_space += m->sums[proc].lost;
    memcpy (buf, &p, sizeof (p));
    b.commit = sizeof (p) + n;
    tracefile_seal (&b, buf, sizeof (p) + n);
    if (who->damaged)
        b.checksum++;
    rc = tracefile_put (m->out, &b, buf, sizeof (p) + n);
    free (buf);
    return rc;
}

/* The text goes on from block to block. */
static int merge_put_lines (struct merge *m)
{
    const char *text = m->parts->lines;
    size_t all = text ? m->parts->lines_bytes : 0, n;
    int rc = 0;

    for (size_t at = 0; rc == 0 && at < all; at += n) {
        struct shard_block b = {.type = SHARD_BLOCK_LINES};

        n = all - at < MERGE_LINES_BYTES ? all - at : MERGE_LINES_BYTES;
        b.commit = n;
        tracefile_seal (&b, text + at, n);
        rc = tracefile_put (m->out, &b, text + at, n);
    }
    m->head = ftell (m->out);
    return m->head < 0 ? -1 : rc;
}

/* They go out twice: their totals are known only after the chunks. */
static int merge_put_processes (struct merge *m)
{
    int rc = fseek (m->out, m->head, SEEK_SET);

    for (size_t i = 0; rc == 0 && i < m->parts->count; i++)
        rc = put_process (m, i);
    return rc;
}

/* --- chunks ----------------------------------------------------------- */

static int merge_put (void *cookie, void *one)
{
    struct merge *m = cookie;
    const struct merge_piece *p = &((struct merge_item *)one)->piece;
    const struct item *item = ((struct merge_item *)one)->of;
    struct sums *s = &m->sums[item->proc];
    uint32_t lost = p->events < item->chunk->events
                        ? item->chunk->events - (uint32_t)p->events
                        : 0;

    m->report->chunks_bad += lost > 0;
    s->lost += lost;
    s->events += p->events;
    progress_add (item->chunk->used);
    if (!p->events)
        return 0;
    s->chunks++;
    m->report->bytes += p->b.capacity;
    return tracefile_put (m->out, &p->b, p->bytes, p->used);
}

/* --- all of them ------------------------------------------------------ */

static int merge_take (void *cookie, void *one)
{
    struct merge *m = cookie;

    if (m->taken == m->items)
        return 0;
    ((struct merge_item *)one)->of = &m->item[m->taken++];
    return 1;
}

static int merge_make (void *cookie, void *one)
{
    const struct merge *m = cookie;
    struct merge_item *i = one;

    if (!i->piece.dense)
        merge_piece_open (&i->piece);
    merge_piece_make (&i->piece, &m->parts->item[i->of->proc], i->of->chunk,
                      (uint32_t)i->of->proc, m->pack);
    return 0;
}

static void merge_clear (void *one)
{
    merge_piece_close (&((struct merge_item *)one)->piece);
}

/* All chunks by their begin; those of a thread stay in their order. */
static void sort_items (struct merge *m)
{
    size_t n = 0, next;

    for (size_t i = 0; i < m->parts->count; i++)
        n += m->parts->item[i].chunks;
    m->sums = xcalloc (m->parts->count + 1, sizeof (*m->sums));
    m->item = xcalloc (n + 1, sizeof (*m->item));
    for (size_t i = 0; i < m->parts->count; i++) {
        const struct part *part = &m->parts->item[i];

        m->sums[i].lost = part->missing;
        for (size_t c = 0; c < part->chunks; c = next) {
            uint64_t last = 0;

            for (next = part_thread_end (part, c); c < next; c++) {
                uint64_t ns =
                    trace_real_ns (part->who, part->chunk[c]->head.base_ns);

                last = ns > last ? ns : last;
                m->item[m->items++] = (struct item){i, part->chunk[c], last};
            }
        }
    }
    qsort (m->item, m->items, sizeof (*m->item), merge_by_time);
}

static uint64_t bytes_of (const struct merge *m)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < m->items; i++)
        bytes += m->item[i].chunk->used;
    return bytes;
}

static void add_up (struct merge *m)
{
    struct merge_report *r = m->report;

    for (size_t i = 0; i < m->parts->count; i++) {
        const struct shard_process *p = &m->parts->item[i].who->p;

        r->processes++;
        r->events += m->sums[i].events;
        r->chunks += m->sums[i].chunks;
        r->lost += m->sums[i].lost + p->lost_busy + p->lost_space;
    }
}

/* The blocks of profiles of the processes, as they are. */
static int merge_put_profiles (struct merge *m)
{
    const struct parts *parts = m->parts;
    unsigned char *buf = NULL;
    size_t room = 0;
    int rc = 0;

    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->item[i];

        for (size_t k = 0; rc == 0 && k < tracefile_profiles (part->file);
             k++) {
            const struct trace_chunk *c = tracefile_profile (part->file, k);
            struct shard_block b = c->head;
            ssize_t got;

            if (tracefile_process (part->file, b.proc) != part->who)
                continue;
            GROW (buf, room, tracefile_room (c) + 1);
            got = tracefile_read (part->file, c, buf);
            m->report->chunks_bad += got < (ssize_t)c->used;
            if (got <= 0)
                continue;
            b.commit = (size_t)got;
            b.proc = (uint32_t)i;
            tracefile_seal (&b, buf, (size_t)got);
            m->sums[i].chunks++;
            m->report->bytes += b.capacity;
            rc = tracefile_put (m->out, &b, buf, (size_t)got);
        }
    }
    free (buf);
    return rc;
}

static int copy_all (struct merge *m)
{
    static const struct pool_line line = {merge_take, merge_make, merge_put,
                                          merge_clear,
                                          sizeof (struct merge_item)};
    size_t threads;
    long begin;
    int error;

    sort_items (m);
    if (merge_put_lines (m) < 0 || merge_put_processes (m) < 0 ||
        (begin = ftell (m->out)) < 0)
        return -1;
    threads = (size_t)pool_threads ();
    if (threads > m->items / MERGE_CHUNKS_MIN)
        threads = m->items / MERGE_CHUNKS_MIN + 1;
    m->report->bytes = (uint64_t)begin;
    progress_start ("merge", bytes_of (m), "bytes");
    error = pool_line (&line, (int)threads, m);
    progress_end ();
    errno = error;
    if (error || merge_put_profiles (m) < 0 || merge_put_processes (m) < 0)
        return -1;
    add_up (m);
    return 0;
}

int merge_write (const struct parts *parts,
                 const char *path,
                 int strict,
                 enum merge_pack pack,
                 struct merge_report *report,
                 struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, MERGE_MODE, err);
    struct merge m = {.parts = parts, .pack = pack, .report = report};
    int rc = -1;

    memset (report, 0, sizeof (*report));
    if (!a)
        return -1;
    m.out = atomic_stream (a);
    if (copy_all (&m) < 0) {
        errf (err, "%s: cannot write: %s", path, strerror (errno));
        atomic_abort (a);
    } else if (strict && (report->lost || report->chunks_bad)) {
        errf (err,
              "%s: not written: --strict and the traces are not "
              "whole",
              path);
        atomic_abort (a);
    } else
        rc = atomic_commit (a, err);
    free (m.sums);
    free (m.item);
    return rc;
}
