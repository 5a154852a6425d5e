/* SPDX-License-Identifier: MIT
 *
 * darshandxt.c - records of DXT -> segments; records of Lustre -> striping
 *
 *     DXT: number of the file u64, rank i64, shared i64, host 64 bytes, writes
 *          i64, reads i64; then these, writes first: offset i64, length i64,
 *          start and end f64 (s since the start of the job), since version 2
 *          of POSIX and 3 of MPI-IO the thread u64
 *     Lustre 2: file, rank, components i64, stripes i64; components of 7 i64
 *          (size, count, …) and 16 bytes; targets i64
 *     Lustre 1: file, rank, targets, servers, first one, size, count (all
 *          i64); targets i64
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/import/darshan/darshanwork.h"

enum {
    DXT_HEAD = 104,
    DXT_HOST = 64,
    COMPONENT_BYTES = 7 * 8 + 16,
    STRIPES_MAX = 1 << 16
};

/* --- DXT ------------------------------------------------------------------ */

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
    for (size_t i = 0; i < sizeof (kinds) / sizeof (kinds[0]); i++) {
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

static int
darshan_dxt_segment (struct darshan_dxt *d, const unsigned char *p, int write)
{
    struct darshan_work *w = d->w;
    const struct darshan_log *l = &w->log;
    enum call call = darshan_dxt_call (w, d->module, d->k, write);
    double start = darshan_f64 (l, p + 16), end = darshan_f64 (l, p + 24);
    int64_t length = darshan_i64 (l, p + 8);
    void *array = w->segment;
    struct darshan_segment *s;
    struct darshan_seen *seen;

    if (call == CALL_NONE) {
        l->account->mixed++;
        return 0;
    }
    if (length < 0 || length > DARSHAN_COUNT_MAX >> 16 || !(start >= 0) ||
        !(end >= start) || end > 4e9) {
        l->account->bad++;
        return 0;
    }
    s = darshan_append (&array, &w->segments, &w->segment_room, sizeof (*s));
    w->segment = array;
    if (!s)
        return -1;
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
    return 0;
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

/* The record at p, of which `left` bytes are there. Its bytes; 0: cut, -1:
 * ENOMEM. */
static int64_t
darshan_dxt_record (struct darshan_dxt *d, const unsigned char *p, size_t left)
{
    struct darshan_work *w = d->w;
    const struct darshan_log *l = &w->log;
    size_t step = d->threads ? 40 : 32;
    uint64_t id = darshan_u64 (l, p);
    int64_t rank = darshan_i64 (l, p + 8), proc, name;
    uint64_t writes = darshan_u64 (l, p + 88), reads = darshan_u64 (l, p + 96);
    uint64_t room = (left - DXT_HEAD) / step;

    if (writes > room || reads > room - writes || rank < -1 || rank > INT32_MAX)
        return 0;
    if ((proc = darshan_process_of (w, rank)) < 0 ||
        (name = darshan_name_of (w, id)) < 0)
        return -1;
    if (!w->process[proc].host &&
        !(w->process[proc].host = strndup ((const char *)p + 24, DXT_HOST - 1)))
        return -1;
    d->proc = (uint32_t)proc;
    d->name = (uint32_t)name;
    d->k = darshan_dxt_counters (d, id, rank);
    p += DXT_HEAD;
    for (uint64_t i = 0; i < writes + reads; i++)
        if (darshan_dxt_segment (d, p + i * step, i < writes) < 0)
            return -1;
    return (int64_t)(DXT_HEAD + (writes + reads) * step);
}

int darshan_read_dxt (struct darshan_work *w, enum darshan_module module)
{
    struct darshan_log *l = &w->log;
    uint32_t version = l->module_version[module];
    uint32_t last = module == DARSHAN_DXT_POSIX ? 2 : 3;
    struct darshan_dxt d = {
        .w = w, .module = module, .threads = version == last};
    struct darshan_bytes b;
    size_t at = 0;
    int64_t used = 1;

    if (!l->module[module].bytes)
        return 0;
    if (version < 1 || version > last) {
        l->account->skipped++;
        return 0;
    }
    if (darshan_log_unpack (l, &l->module[module], &b) < 0)
        return -1;
    for (; used > 0 && at + DXT_HEAD <= b.count; at += (size_t)used)
        used = darshan_dxt_record (&d, b.at + at, b.count - at);
    l->account->bad += used == 0 || (used > 0 && at < b.count);
    l->account->partial += l->partial >> module & 1;
    w->modules |= 1u << module;
    darshan_bytes_clear (&b);
    return used < 0 ? -1 : 0;
}

/* --- Lustre --------------------------------------------------------------- */

static int darshan_striped (struct darshan_work *w,
                            uint64_t id,
                            const struct darshan_striping *like)
{
    void *array = w->facts->striping;
    size_t room = w->facts->stripings, count = room;
    int64_t name = darshan_name_of (w, id);
    struct darshan_striping *s;

    if (name <= 0)
        return (int)name;
    if ((room & (room - 1)) == 0) { /* 0, 1, 2, 4, … are full */
        if (!(array = reallocarray (array, room ? 2 * room : 1,
                                    sizeof (*w->facts->striping))))
            return -1;
        w->facts->striping = array;
    }
    s = &w->facts->striping[count];
    *s = *like;
    if (!(s->path = strdup (w->name[name - 1].text)))
        return -1;
    w->facts->stripings++;
    return 0;
}

/* The record at p: its bytes; 0: cut, -1: ENOMEM. */
static int64_t
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
    return s.stripes && darshan_striped (w, darshan_u64 (l, p), &s) < 0
               ? -1
               : (int64_t)bytes;
}

static int64_t
darshan_lustre_1 (struct darshan_work *w, const unsigned char *p, size_t left)
{
    const struct darshan_log *l = &w->log;
    uint64_t stripes = left >= 56 ? darshan_u64 (l, p + 48) : UINT64_MAX;
    struct darshan_striping s = {.stripes = stripes, .components = 1};

    if (stripes > STRIPES_MAX || 56 + stripes * 8 > left)
        return 0;
    s.stripe_bytes = darshan_u64 (l, p + 40);
    return stripes && darshan_striped (w, darshan_u64 (l, p), &s) < 0
               ? -1
               : (int64_t)(56 + stripes * 8);
}

int darshan_read_lustre (struct darshan_work *w)
{
    struct darshan_log *l = &w->log;
    uint32_t version = l->module_version[DARSHAN_LUSTRE];
    struct darshan_bytes b;
    size_t at = 0;
    int64_t used = 1;

    if (!l->module[DARSHAN_LUSTRE].bytes)
        return 0;
    if (version < 1 || version > 2) {
        l->account->skipped++;
        return 0;
    }
    if (darshan_log_unpack (l, &l->module[DARSHAN_LUSTRE], &b) < 0)
        return -1;
    for (; used > 0 && at < b.count; at += (size_t)used)
        used = version == 1 ? darshan_lustre_1 (w, b.at + at, b.count - at)
                            : darshan_lustre_2 (w, b.at + at, b.count - at);
    l->account->bad += used == 0;
    darshan_bytes_clear (&b);
    return used < 0 ? -1 : 0;
}
