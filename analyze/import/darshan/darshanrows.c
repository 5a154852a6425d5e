/* SPDX-License-Identifier: MIT
 *
 * darshanrows.c - counters of a file and rank -> rows of a profile
 *
 * In:  regions of POSIX, MPI-IO and STDIO; what DXT has of them
 * Out: struct profrow, one for each call that has a counter
 * Caveat: Darshan adds up the time of all metadata calls on a file, and the
 *         bytes and time of all kinds of MPI-IO: each stands at the first call
 *         that there was.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/import/darshan/darshanwork.h"

struct darshan_key {
    uint64_t module, id;
    int64_t rank;
};

struct darshan_known *darshan_find (const struct darshan_work *w,
                                    enum darshan_module module,
                                    uint64_t id,
                                    int64_t rank)
{
    struct darshan_key key = {module, id, rank};
    int64_t at = strmap_find (w->records, (char *)&key, sizeof (key));

    return at < 0 ? NULL : strmap_value (w->records, (size_t)at);
}

static int darshan_note (struct darshan_work *w,
                         enum darshan_module module,
                         const unsigned char *at)
{
    struct darshan_key key = {module, darshan_u64 (&w->log, at),
                              darshan_i64 (&w->log, at + 8)};
    int isnew;
    int64_t slot;
    struct darshan_known *k;

    if (key.rank < -1 || key.rank > INT32_MAX) {
        w->log.account->bad++;
        return 0;
    }
    slot = strmap_intern (w->records, (char *)&key, sizeof (key), &isnew);
    if (slot < 0 || !isnew) { /* the first one counts */
        w->log.account->bad += slot >= 0;
        return slot < 0 ? -1 : 0;
    }
    if (!(k = calloc (1, sizeof (*k))))
        return -1;
    k->at = at;
    k->module = module;
    strmap_set (w->records, (size_t)slot, k);
    return 0;
}

int darshan_read_counters (struct darshan_work *w, enum darshan_module module)
{
    struct darshan_log *l = &w->log;
    struct darshan_bytes *b = &w->region[module];
    size_t bytes = darshan_record_bytes (module, l->module_version[module]);
    int rc;

    if (!l->module[module].bytes)
        return 0;
    if (!bytes) {
        l->account->skipped++;
        return 0;
    }
    rc = darshan_log_unpack (l, &l->module[module], b);
    for (size_t at = 0; rc == 0 && at + bytes <= b->count; at += bytes)
        rc = darshan_note (w, module, b->at + at);
    l->account->bad += rc == 0 && b->count % bytes != 0;
    l->account->partial += l->partial >> module & 1;
    w->modules |= 1u << module;
    return rc;
}

/* --- rows ----------------------------------------------------------------- */

int darshan_put (struct darshan_target *to, const struct darshan_row *row)
{
    struct profrow *r;
    uint64_t ns = darshan_ns (row->s);

    if (row->calls <= 0)
        return 0;
    if (!(r = profrows_row (to->w->rows)))
        return -1;
    r->proc = to->proc;
    r->tid = 0;
    r->call = (uint16_t)row->call;
    r->name = to->name;
    r->name2 = to->object;
    r->unknown = (uint64_t)row->calls; /* until darshan_put_values */
    r->both = row->both != 0;
    r->n[PROFILE_calls] = (uint64_t)row->calls;
    r->n[PROFILE_bytes] = row->bytes > 0 ? (uint64_t)row->bytes : 0;
    r->n[PROFILE_asked] = r->n[PROFILE_bytes];
    r->n[PROFILE_time] = ns;
    r->n[PROFILE_most] = darshan_ns (row->longest);
    r->n[PROFILE_more] = row->collective;
    r->n[PROFILE_also] = row->independent;
    if (row->first > 0)
        r->n[PROFILE_first] = darshan_time (to->w, row->first) + 1;
    if (row->first > 0 && row->last >= row->first)
        r->n[PROFILE_last] = darshan_time (to->w, row->last);
    return 0;
}

int darshan_put_meta (struct darshan_target *to, enum call call, int64_t calls)
{
    struct darshan_row row = {.call = call,
                              .calls = calls,
                              .bytes = -1,
                              .s = to->meta,
                              .longest = -1,
                              .first = -1,
                              .last = -1};

    if (calls > 0)
        to->meta = 0;
    return darshan_put (to, &row);
}

struct darshan_row darshan_moved (enum call call,
                                  int64_t calls,
                                  int64_t bytes,
                                  const struct darshan_record *r,
                                  const struct darshan_seen *seen,
                                  int write)
{
    struct darshan_row row = {.call = call,
                              .calls = calls,
                              .bytes = bytes,
                              .s = r->t[DARSHAN_READ_TIME + write],
                              .longest = r->t[DARSHAN_MAX_READ + write],
                              .first = r->t[DARSHAN_READ_START + write],
                              .last = r->t[DARSHAN_READ_END + write]};

    row.calls -= (int64_t)seen->calls;
    row.bytes -= (int64_t)seen->bytes;
    row.s -= (double)seen->ns / 1e9;
    return row;
}

/* The four values of a kind that were most used by reads and writes together,
 * of a file whose calls are all in its counters. */
static int darshan_put_values (struct darshan_target *to,
                               const int64_t *n,
                               enum profvalue_kind kind)
{
    for (int i = 0; i < DARSHAN_COMMON; i++) {
        struct profvalue *v;

        if (n[i] < 0 || n[DARSHAN_COMMON + i] <= 0)
            continue;
        if (!(v = profrows_value (to->w->rows)))
            return -1;
        v->proc = to->proc;
        v->name = to->name;
        v->call = CALL_read;
        v->kind = (uint8_t)kind;
        v->bytes = (uint64_t)n[i];
        v->times = (uint64_t)n[DARSHAN_COMMON + i];
    }
    return 0;
}

static int darshan_posix_rows (struct darshan_target *to,
                               const struct darshan_record *r,
                               const struct darshan_known *k)
{
    const int64_t *n = r->n;
    int64_t aside = (n[POSIX_FILENOS] > 0 ? n[POSIX_FILENOS] : 0) +
                    (n[POSIX_DUPS] > 0 ? n[POSIX_DUPS] : 0);
    struct darshan_row read = darshan_moved (
        CALL_read, n[POSIX_READS], n[POSIX_BYTES_READ], r, &k->read, 0);
    struct darshan_row write = darshan_moved (
        CALL_write, n[POSIX_WRITES], n[POSIX_BYTES_WRITTEN], r, &k->write, 1);

    read.both = write.both = to->name && !k->read.calls && !k->write.calls;
    if (read.both &&
        (darshan_put_values (to, n + POSIX_ACCESS, PROFVALUE_SIZE_BOTH) < 0 ||
         darshan_put_values (to, n + POSIX_STRIDE, PROFVALUE_STRIDE_BOTH) < 0))
        return -1;
    if (darshan_put_meta (to, CALL_open, n[POSIX_OPENS] - aside) < 0 ||
        darshan_put_meta (to, CALL_stat, n[POSIX_STATS]) < 0 ||
        darshan_put_meta (to, CALL_lseek, n[POSIX_SEEKS]) < 0 ||
        darshan_put_meta (to, CALL_dup, n[POSIX_DUPS]) < 0 ||
        darshan_put_meta (to, CALL_rename, n[POSIX_RENAME_SOURCES]) < 0 ||
        darshan_put (to, &read) < 0 || darshan_put (to, &write) < 0)
        return -1;
    to->meta = 0;
    return darshan_put_meta (to, CALL_mmap, n[POSIX_MMAPS]) < 0 ||
                   darshan_put_meta (to, CALL_fsync, n[POSIX_FSYNCS]) < 0 ||
                   darshan_put_meta (to, CALL_fdatasync, n[POSIX_FDSYNCS]) < 0
               ? -1
               : 0;
}

static int darshan_stdio_rows (struct darshan_target *to,
                               const struct darshan_record *r,
                               const struct darshan_known *k)
{
    const int64_t *n = r->n;
    int64_t fdopens = n[STDIO_FDOPENS] > 0 ? n[STDIO_FDOPENS] : 0;
    struct darshan_row read = darshan_moved (
        CALL_fread, n[STDIO_READS], n[STDIO_BYTES_READ], r, &k->read, 0);
    struct darshan_row write = darshan_moved (
        CALL_fwrite, n[STDIO_WRITES], n[STDIO_BYTES_WRITTEN], r, &k->write, 1);

    read.longest = write.longest = -1;
    return darshan_put_meta (to, CALL_fopen, n[STDIO_OPENS] - fdopens) < 0 ||
                   darshan_put_meta (to, CALL_fdopen, fdopens) < 0 ||
                   darshan_put_meta (to, CALL_fseek, n[STDIO_SEEKS]) < 0 ||
                   darshan_put (to, &read) < 0 ||
                   darshan_put (to, &write) < 0 ||
                   darshan_put_meta (to, CALL_fflush, n[STDIO_FLUSHES]) < 0
               ? -1
               : 0;
}

/* Kinds of MPI-IO: bytes and time of the first that there was are those of
 * all. */
static int darshan_mpiio_moved (struct darshan_target *to,
                                const struct darshan_record *r,
                                const struct darshan_known *k,
                                int write)
{
    static const enum call calls[2][4] = {
        {CALL_MPI_File_read_all, CALL_MPI_File_read,
         CALL_MPI_File_read_all_begin, CALL_MPI_File_iread},
        {CALL_MPI_File_write_all, CALL_MPI_File_write,
         CALL_MPI_File_write_all_begin, CALL_MPI_File_iwrite}};
    const int counters[4] = {MPIIO_COLL_READS, MPIIO_INDEP_READS,
                             MPIIO_SPLIT_READS, MPIIO_NB_READS};
    const struct darshan_seen *seen = write ? &k->write : &k->read;
    int64_t bytes = r->n[MPIIO_BYTES_READ + write];
    int first = 1;

    for (int i = 0; i < 4; i++) {
        int64_t n = r->n[counters[i] + write];
        struct darshan_row row = {.call = calls[write][i],
                                  .calls = n,
                                  .bytes = -1,
                                  .longest = -1,
                                  .first = -1,
                                  .last = -1};

        if (n <= 0)
            continue;
        if (first)
            row = darshan_moved (calls[write][i], n, bytes, r, seen, write);
        first = 0;
        if (darshan_put (to, &row) < 0)
            return -1;
    }
    return 0;
}

static int darshan_mpiio_rows (struct darshan_target *to,
                               const struct darshan_record *r,
                               const struct darshan_known *k)
{
    const int64_t *n = r->n;

    return darshan_put_meta (to, CALL_MPI_File_open,
                             n[MPIIO_INDEP_OPENS] + n[MPIIO_COLL_OPENS]) < 0 ||
                   darshan_put_meta (to, CALL_MPI_File_set_view,
                                     n[MPIIO_VIEWS]) < 0 ||
                   darshan_mpiio_moved (to, r, k, 0) < 0 ||
                   darshan_mpiio_moved (to, r, k, 1) < 0 ||
                   darshan_put_meta (to, CALL_MPI_File_sync, n[MPIIO_SYNCS]) < 0
               ? -1
               : 0;
}

uint32_t darshan_row_name (struct darshan_work *w, int64_t index)
{
    struct darshan_name *name = &w->name[index - 1];
    struct profname like = {.kind = SHARD_NAME_FILE, .class = name->class};

    if (!name->row)
        name->row =
            profrows_name (w->rows, &like, name->text, strlen (name->text));
    return name->row;
}

static int darshan_rows_of (struct darshan_work *w,
                            const struct darshan_known *k)
{
    struct darshan_target to = {.w = w};
    struct darshan_record r;
    int64_t proc, name;

    darshan_record_read (&w->log, k->module, k->at, &r);
    if ((name = darshan_name_of (w, r.id)) < 0 ||
        (proc = darshan_process_of (w, r.rank)) < 0)
        return -1;
    to.proc = (uint32_t)proc;
    to.meta = r.t[DARSHAN_META_TIME];
    if (k->module == DARSHAN_H5D || k->module == DARSHAN_PNETCDF_VAR)
        return darshan_object_rows (&to, &r, k, name);
    if (name && !(to.name = darshan_row_name (w, name)))
        return -1;
    return k->module == DARSHAN_POSIX   ? darshan_posix_rows (&to, &r, k)
           : k->module == DARSHAN_STDIO ? darshan_stdio_rows (&to, &r, k)
           : k->module == DARSHAN_MPIIO ? darshan_mpiio_rows (&to, &r, k)
                                        : darshan_above_rows (&to, &r, k);
}

int darshan_make_rows (struct darshan_work *w)
{
    for (size_t i = 0; i < strmap_count (w->records); i++) {
        const struct darshan_known *k = strmap_value (w->records, i);

        if (k && darshan_rows_of (w, k) < 0)
            return -1;
    }
    return 0;
}
