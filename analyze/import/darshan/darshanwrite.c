/* SPDX-License-Identifier: MIT
 *
 * darshanwrite.c - ranks and segments -> a trace of ours, in memory
 *
 * In:  processes of a log, its regions of DXT and Lustre
 * Out: a struct tracefile that is read like any other one, so that nothing
 *      behind this knows where the events came from
 */
#include "config.h"

#include <sys/mman.h>

#include "analyze/import/darshan/darshanwork.h"
#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/format/calls.h"
#include "lib/util/xalloc.h"

enum {
    CHUNK_BYTES = 1 << 18,
    EVENT_ROOM = DARSHAN_NAME_MAX + EVENT_BYTES_MAX + 64,
    STRINGS_MAX = 3 * DARSHAN_NAME_MAX
};

struct darshan_writer {
    struct darshan_work *w;
    FILE *out;
    uint32_t *id;     /* of each name: its id in the chunk at hand; owned */
    uint32_t *epoch;  /* chunk for which that holds; owned */
    uint64_t *sealed; /* events of each process; owned */
    uint32_t chunk;
    struct shard_block head;
    struct event_state st;
    unsigned char *payload; /* owned */
    size_t used;
    uint32_t events;
};

/* --- processes ------------------------------------------------------------ */

static unsigned darshan_layers (const struct darshan_work *w)
{
    unsigned posix = 1u << DARSHAN_POSIX | 1u << DARSHAN_DXT_POSIX;
    unsigned mpiio = 1u << DARSHAN_MPIIO | 1u << DARSHAN_DXT_MPIIO;

    unsigned hdf5 = 1u << DARSHAN_H5F | 1u << DARSHAN_H5D;
    unsigned pnetcdf = 1u << DARSHAN_PNETCDF_FILE | 1u << DARSHAN_PNETCDF_VAR;

    return (w->modules & posix ? LAYER_POSIX : 0) |
           (w->modules & mpiio ? LAYER_MPIIO : 0) |
           (w->modules & hdf5 ? LAYER_HDF5 : 0) |
           (w->modules & pnetcdf ? LAYER_PNETCDF : 0) |
           (w->modules & 1u << DARSHAN_STDIO ? LAYER_STDIO : 0) |
           (w->rows->rows ? LAYER_PROFILE : 0);
}

/* A log has no process ids: ranks have theirs from 1, what belongs to no rank
 * the one behind them. */
static uint32_t darshan_pid (const struct darshan_work *w, size_t process)
{
    int64_t rank = w->process[process].rank;

    if (rank < 0)
        rank = w->nprocs < INT32_MAX ? (int64_t)w->nprocs : INT32_MAX - 1;
    return (uint32_t)rank + 1;
}

static size_t
darshan_strings (const struct darshan_work *w, size_t process, char *to)
{
    const char *host = w->process[process].host;
    size_t n = strcspn (w->exe, " ");
    int at = snprintf (to, STRINGS_MAX, "%s%c%.*s%c%c%c%.*s",
                       host && *host ? host : "-", 0,
                       (int)(n < DARSHAN_NAME_MAX ? n : DARSHAN_NAME_MAX),
                       w->exe, 0, 0, 0, DARSHAN_NAME_MAX, w->exe);

    for (int i = at - 1; i > 0 && to[i]; i--)
        if (to[i] == ' ')
            to[i] = '\x1f';
    return (size_t)at + 1;
}

/* The number of ranks whose sum this process is: those that are no process. */
static uint32_t darshan_ranks (const struct darshan_work *w, size_t process)
{
    uint64_t known = w->processes - 1;

    if (w->process[process].rank >= 0)
        return 0;
    return w->nprocs > known && w->nprocs < INT32_MAX
               ? (uint32_t)(w->nprocs - known)
               : (uint32_t)(known == 0);
}

static void darshan_put_process (struct darshan_writer *x, size_t process)
{
    const struct darshan_work *w = x->w;
    struct shard_block b = {.type = SHARD_BLOCK_PROCESS,
                            .proc = (uint32_t)process};
    struct shard_process p = {
        .version = SHARD_VERSION,
        .pid = darshan_pid (w, process),
        .uid = (uint32_t)w->uid,
        .rank = (int32_t)w->process[process].rank,
        .local_rank = w->process[process].rank < 0 ? SHARD_ADDED_UP : -1,
        .ranks = darshan_ranks (w, process),
        .job_id = w->jobid,
        .array_task_id = -1,
        .step_id = -1,
        .clock = SHARD_CLOCK_MONOTONIC,
        .tick_hz = 1000000000u,
        .layers = darshan_layers (w)};
    unsigned char payload[sizeof (p) + STRINGS_MAX] = {0};
    size_t n = darshan_strings (w, process, (char *)payload + sizeof (p));

    p.start_real = p.start_ns = p.start_tick = w->start;
    p.end_ns = w->end > w->start ? w->end : 0;
    p.strings_bytes = (uint32_t)n;
    p.events_sealed = x->sealed[process];
    memcpy (payload, &p, sizeof (p));
    b.commit = sizeof (p) + n;
    tracefile_seal (&b, payload, sizeof (p) + n);
    (void)tracefile_put (x->out, &b, payload, sizeof (p) + n);
}

/* --- events --------------------------------------------------------------- */

static int darshan_by_thread (const void *a, const void *b)
{
    const struct darshan_segment *x = a, *y = b;

    return ORDER (x->proc, y->proc)
           ?: ORDER (x->thread, y->thread)
           ?: ORDER (x->end, y->end)
           ?: ORDER (y->start, x->start) /* what is inside ends first */
           ?: ORDER (x->name, y->name)
           ?: ORDER (x->offset, y->offset);
}

static void darshan_begin_chunk (struct darshan_writer *x,
                                 const struct darshan_segment *s,
                                 uint32_t tid,
                                 uint32_t seq)
{
    x->head = (struct shard_block){.type = SHARD_BLOCK_EVENTS,
                                   .proc = s->proc,
                                   .tid = tid,
                                   .seq = seq,
                                   .base = x->w->start,
                                   .base_ns = s->start};
    event_state_init (&x->st, x->w->start);
    x->used = 0;
    x->events = 0;
    x->chunk++;
}

static void darshan_end_chunk (struct darshan_writer *x)
{
    struct shard_block *b = &x->head;

    if (!x->events)
        return;
    b->commit = (uint64_t)x->events << 32 | x->used;
    tracefile_seal (b, x->payload, x->used);
    (void)tracefile_put (x->out, b, x->payload, x->used);
    x->events = 0;
}

static uint32_t darshan_id (struct darshan_writer *x, uint32_t name)
{
    const struct darshan_name *n = &x->w->name[name - 1];

    if (!name)
        return 0;
    if (x->epoch[name] != x->chunk) {
        x->used += event_encode_name (&x->st, SHARD_NAME_FILE,
                                      (enum file_class)n->class, n->text,
                                      strlen (n->text), x->payload + x->used);
        x->epoch[name] = x->chunk;
        x->id[name] = x->st.names;
    }
    return x->id[name];
}

static void darshan_put_event (struct darshan_writer *x,
                               const struct darshan_segment *s)
{
    struct event ev = {.start = s->start,
                       .end = s->end,
                       .call = s->call,
                       .fd = -1,
                       .size = s->length,
                       .offset = s->offset,
                       .ret = (int64_t)s->length};

    ev.file = s->name ? darshan_id (x, s->name) : 0;
    x->used += event_encode (&x->st, &ev, x->payload + x->used);
    x->events++;
}

static void darshan_put_events (struct darshan_writer *x)
{
    struct darshan_work *w = x->w;
    uint32_t tid = 0, seq = 0;

    if (w->segments)
        qsort (w->segment, w->segments, sizeof (*w->segment),
               darshan_by_thread);
    for (size_t i = 0; i < w->segments; i++) {
        const struct darshan_segment *s = &w->segment[i], *before = s - 1;

        if (i == 0 || before->proc != s->proc) {
            darshan_end_chunk (x);
            tid = darshan_pid (w, s->proc);
            seq = 0;
            darshan_begin_chunk (x, s, tid, seq);
        } else if (before->thread != s->thread) {
            darshan_end_chunk (x);
            darshan_begin_chunk (x, s, ++tid, seq = 0);
        } else if (x->used + EVENT_ROOM > CHUNK_BYTES) {
            darshan_end_chunk (x);
            darshan_begin_chunk (x, s, tid, ++seq);
        }
        darshan_put_event (x, s);
    }
    darshan_end_chunk (x);
}

/* --- the file ------------------------------------------------------------- */

static int darshan_write_all (struct darshan_writer *x, int fd)
{
    struct darshan_work *w = x->w;
    int bad;

    if (!(x->out = fdopen (fd, "w")))
        return -1;
    for (size_t i = 0; i < w->segments; i++)
        x->sealed[w->segment[i].proc]++;
    for (size_t i = 0; i < w->processes; i++)
        darshan_put_process (x, i);
    darshan_put_events (x);
    bad = ferror (x->out) || fflush (x->out) != 0;
    if (bad)
        errno = EIO;
    return bad ? -1 : 0;
}

struct tracefile *
darshan_write (struct darshan_work *w, const char *path, struct errtext *err)
{
    struct darshan_writer x = {.w = w};
    int fd = memfd_create ("darshan", MFD_CLOEXEC);
    int own = fd < 0 ? -1 : dup (fd);
    struct tracefile *f = NULL;

    NEW (x.id, w->names + 1);
    NEW (x.epoch, w->names + 1);
    NEW (x.sealed, w->processes);
    NEW (x.payload, CHUNK_BYTES);
    if (own >= 0 && darshan_write_all (&x, fd) == 0) {
        f = tracefile_openfd (own, path, err);
        own = -1;
    } else
        errf (err, "%s: cannot be kept in memory: %s", path, strerror (errno));
    if (x.out)
        fclose (x.out);
    else if (fd >= 0)
        close (fd);
    if (own >= 0)
        close (own);
    free (x.id);
    free (x.epoch);
    free (x.sealed);
    free (x.payload);
    return f;
}

enum {
    DXT_HEAD = 104,
    DXT_HOST = 64,
    COMPONENT_BYTES = 7 * 8 + 16,
    STRIPES_MAX = 1 << 16
};

/* --- DXT
 * ----------------------------------------------------------------------
 *
 * A record: number of the file u64, rank i64, shared i64, host 64 bytes, writes
 * i64, reads i64; then these, writes first: offset i64, length i64, start and
 * end f64 (s since the start of the job), since version 2 of POSIX and 3 of
 * MPI-IO the thread u64.
 */

/* The call that a read or write of this record is; CALL_NONE: several are
 * possible, or nothing is known. */
static enum call darshan_dxt_call (const struct darshan_work *w,
                                   enum darshan_module module,
                                   const struct darshan_known *k,
                                   int write)
{
    static const struct {
        int counter;
        enum call call[2];
    } kinds[] = {
        {MPIIO_COLL_READS, {CALL_MPI_File_read_all, CALL_MPI_File_write_all}},
        {MPIIO_INDEP_READS, {CALL_MPI_File_read, CALL_MPI_File_write}}};
    enum call call = CALL_NONE;
    struct darshan_record r;

    if (module == DARSHAN_DXT_POSIX)
        return write ? CALL_write : CALL_read;
    if (!k)
        return CALL_NONE;
    darshan_record_read (&w->log, DARSHAN_MPIIO, k->at, &r);
    if (r.n[MPIIO_SPLIT_READS + write] > 0 || r.n[MPIIO_NB_READS + write] > 0)
        return CALL_NONE;
    for (size_t i = 0; i < ITEMS (kinds); i++) {
        if (r.n[kinds[i].counter + write] <= 0)
            continue;
        if (call != CALL_NONE)
            return CALL_NONE;
        call = kinds[i].call[write];
    }
    return call;
}

struct darshan_dxt {
    struct darshan_work *w;
    struct darshan_known *k; /* counters of the same; NULL: none */
    enum darshan_module module;
    uint32_t proc, name;
    int threads; /* it has their numbers */
};

static void
darshan_dxt_segment (struct darshan_dxt *d, const unsigned char *p, int write)
{
    struct darshan_work *w = d->w;
    const struct darshan_log *l = &w->log;
    enum call call = darshan_dxt_call (w, d->module, d->k, write);
    double start = darshan_f64 (l, p + 16), end = darshan_f64 (l, p + 24);
    int64_t length = darshan_i64 (l, p + 8);
    struct darshan_segment *s;
    struct darshan_seen *seen;

    if (call == CALL_NONE) {
        l->account->mixed++;
        return;
    }
    if (length < 0 || length > DARSHAN_COUNT_MAX >> 16 || !(start >= 0) ||
        !(end >= start) || end > 4e9) {
        l->account->bad++;
        return;
    }
    s = APPEND (w->segment, w->segments, w->segment_room);
    *s = (struct darshan_segment){.proc = d->proc,
                                  .name = d->name,
                                  .start = darshan_time (w, start),
                                  .end = darshan_time (w, end),
                                  .offset = darshan_i64 (l, p),
                                  .length = (uint64_t)length,
                                  .call = (uint16_t)call};
    if (d->threads)
        s->thread = darshan_u64 (l, p + 32);
    if (d->module == DARSHAN_DXT_MPIIO &&
        l->module_version[DARSHAN_DXT_MPIIO] == 1)
        s->offset = -1;
    if (s->offset < -1)
        s->offset = -1;
    if (d->k) {
        seen = write ? &d->k->write : &d->k->read;
        seen->calls++;
        seen->bytes += s->length;
        seen->ns += s->end - s->start;
    }
}

/* The counters of the same file: of its rank, or of all. */
static struct darshan_known *
darshan_dxt_counters (const struct darshan_dxt *d, uint64_t id, int64_t rank)
{
    enum darshan_module of =
        d->module == DARSHAN_DXT_POSIX ? DARSHAN_POSIX : DARSHAN_MPIIO;
    struct darshan_known *k = darshan_find (d->w, of, id, rank);

    return k ? k : darshan_find (d->w, of, id, -1);
}

/* The record at p, of which `left` bytes are there. Its bytes; 0: cut. */
static size_t
darshan_dxt_record (void *cookie, const unsigned char *p, size_t left)
{
    struct darshan_dxt *d = cookie;
    struct darshan_work *w = d->w;
    const struct darshan_log *l = &w->log;
    size_t step = d->threads ? 40 : 32;
    uint64_t id = darshan_u64 (l, p);
    int64_t rank = darshan_i64 (l, p + 8);
    uint64_t writes = darshan_u64 (l, p + 88), reads = darshan_u64 (l, p + 96);
    uint64_t room = (left - DXT_HEAD) / step;

    if (writes > room || reads > room - writes || rank < -1 || rank > INT32_MAX)
        return 0;
    d->proc = darshan_process_of (w, rank);
    d->name = darshan_name_of (w, id);
    if (!w->process[d->proc].host)
        w->process[d->proc].host =
            xstrndup ((const char *)p + 24, DXT_HOST - 1);
    d->k = darshan_dxt_counters (d, id, rank);
    p += DXT_HEAD;
    for (uint64_t i = 0; i < writes + reads; i++)
        darshan_dxt_segment (d, p + i * step, i < writes);
    return DXT_HEAD + (writes + reads) * step;
}

/* Records of a module, which versions 1 to last have. read: bytes of the record
 * at p; 0: it makes no sense. No record is shorter than least. Returns 1 if
 * there were any. */
static int darshan_records (struct darshan_work *w,
                            enum darshan_module module,
                            uint32_t last,
                            size_t least,
                            size_t (*read) (void *cookie,
                                            const unsigned char *p,
                                            size_t left),
                            void *cookie)
{
    struct darshan_log *l = &w->log;
    uint32_t version = l->module_version[module];
    struct darshan_bytes b;
    size_t at = 0, used = 1;

    if (!l->module[module].bytes)
        return 0;
    if (version < 1 || version > last) {
        l->account->skipped++;
        return 0;
    }
    darshan_log_unpack (l, &l->module[module], &b);
    for (; used && at + least <= b.count; at += used)
        used = read (cookie, b.at + at, b.count - at);
    l->account->bad += !used || at < b.count;
    darshan_bytes_clear (&b);
    return 1;
}

void darshan_read_dxt (struct darshan_work *w, enum darshan_module module)
{
    struct darshan_log *l = &w->log;
    uint32_t last = module == DARSHAN_DXT_POSIX ? 2 : 3;
    struct darshan_dxt d = {
        .w = w, .module = module, .threads = l->module_version[module] == last};

    if (darshan_records (w, module, last, DXT_HEAD, darshan_dxt_record, &d)) {
        l->account->partial += l->partial >> module & 1;
        w->modules |= 1u << module;
    }
}

/* --- Lustre
 * -------------------------------------------------------------------
 *
 * Version 2: file, rank, components i64, stripes i64; components of 7 i64
 * (size, count, …) and 16 bytes; targets i64. Version 1: file, rank, targets,
 * servers, first one, size, count (all i64); targets i64.
 */

static void darshan_striped (struct darshan_work *w,
                             uint64_t id,
                             const struct darshan_striping *like)
{
    struct darshan_facts *f = w->facts;
    uint32_t name = darshan_name_of (w, id);
    struct darshan_striping *s;

    if (!name)
        return;
    s = APPEND (f->striping, f->stripings, f->striping_room);
    *s = *like;
    s->path = xstrdup (w->name[name - 1].text);
}

/* The record at p: its bytes; 0: cut. */
static size_t
darshan_lustre_2 (struct darshan_work *w, const unsigned char *p, size_t left)
{
    const struct darshan_log *l = &w->log;
    uint64_t components = left >= 32 ? darshan_u64 (l, p + 16) : 0;
    uint64_t stripes = left >= 32 ? darshan_u64 (l, p + 24) : 0;
    struct darshan_striping s = {.components = 0};
    uint64_t bytes = 32 + components * COMPONENT_BYTES + stripes * 8;

    if (left < 32 || components > STRIPES_MAX || stripes > STRIPES_MAX ||
        bytes > left)
        return 0;
    for (uint64_t i = 0; i < components; i++) {
        const unsigned char *c = p + 32 + i * COMPONENT_BYTES;
        int64_t size = darshan_i64 (l, c), count = darshan_i64 (l, c + 8);

        if (size < 0) /* no more are in use */
            break;
        s.components++;
        if (count > 0 && count <= STRIPES_MAX && (uint64_t)count > s.stripes) {
            s.stripes = (uint64_t)count;
            s.stripe_bytes = (uint64_t)size;
        }
    }
    if (s.stripes)
        darshan_striped (w, darshan_u64 (l, p), &s);
    return bytes;
}

static size_t
darshan_lustre_1 (struct darshan_work *w, const unsigned char *p, size_t left)
{
    const struct darshan_log *l = &w->log;
    uint64_t stripes = left >= 56 ? darshan_u64 (l, p + 48) : UINT64_MAX;
    struct darshan_striping s = {.stripes = stripes, .components = 1};

    if (stripes > STRIPES_MAX || 56 + stripes * 8 > left)
        return 0;
    s.stripe_bytes = darshan_u64 (l, p + 40);
    if (stripes)
        darshan_striped (w, darshan_u64 (l, p), &s);
    return 56 + stripes * 8;
}

static size_t
darshan_lustre_record (void *cookie, const unsigned char *p, size_t left)
{
    struct darshan_work *w = cookie;

    return w->log.module_version[DARSHAN_LUSTRE] == 1
               ? darshan_lustre_1 (w, p, left)
               : darshan_lustre_2 (w, p, left);
}

void darshan_read_lustre (struct darshan_work *w)
{
    darshan_records (w, DARSHAN_LUSTRE, 2, 1, darshan_lustre_record, w);
}
