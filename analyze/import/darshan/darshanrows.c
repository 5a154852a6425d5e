/* SPDX-License-Identifier: MIT
 *
 * darshanrows.c - counters of a file and rank -> rows of a profile
 *
 * In:  regions of POSIX, MPI-IO and STDIO; records of files (H5F,
 *      PNETCDF_FILE) and of objects in them (H5D, PNETCDF_VAR), which have
 *      names like FILE:OBJECT; what DXT has of them
 * Out: struct profrow, one for each call that has a counter
 * Caveat: Darshan adds up the time of all metadata calls on a file, and the
 *         bytes and time of all kinds of MPI-IO: each stands at the first call
 *         that there was.
 */
#include "config.h"

#include "analyze/import/darshan/darshanwork.h"
#include "lib/util/xalloc.h"

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

static void darshan_note (struct darshan_work *w,
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
        return;
    }
    slot = strmap_intern (w->records, (char *)&key, sizeof (key), &isnew);
    if (!isnew) { /* the first one counts */
        w->log.account->bad++;
        return;
    }
    NEW (k, 1);
    k->at = at;
    k->module = module;
    strmap_set (w->records, (size_t)slot, k);
}

void darshan_read_counters (struct darshan_work *w, enum darshan_module module)
{
    struct darshan_log *l = &w->log;
    struct darshan_bytes *b = &w->region[module];
    size_t bytes = darshan_record_bytes (module, l->module_version[module]);

    if (!l->module[module].bytes)
        return;
    if (!bytes) {
        l->account->skipped++;
        return;
    }
    darshan_log_unpack (l, &l->module[module], b);
    for (size_t at = 0; at + bytes <= b->count; at += bytes)
        darshan_note (w, module, b->at + at);
    l->account->bad += b->count % bytes != 0;
    l->account->partial += l->partial >> module & 1;
    w->modules |= 1u << module;
}

struct darshan_row {
    enum call call;
    int64_t calls;
    int64_t bytes;                    /* -1: none */
    double s, longest;                /* -1: not known */
    double first, last;               /* the same */
    uint64_t collective, independent; /* calls, where a module says it */
    int both; /* its sizes and strides are among those of reads and writes */
};

struct darshan_target {
    struct darshan_work *w;
    uint32_t proc, name;
    uint32_t object; /* of a file: a dataset, a variable; 0: none */
    double meta;     /* s that no call has had yet */
};

/* --- rows ----------------------------------------------------------------- */

/* Append the row of a call, where there were any. */
static void darshan_put (struct darshan_target *to,
                         const struct darshan_row *row)
{
    struct profrow *r;
    uint64_t ns = darshan_ns (row->s);

    if (row->calls <= 0)
        return;
    r = profrows_row (to->w->rows);
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
}

/* A call that is of metadata: the first one has the time of them all. */
static void
darshan_put_meta (struct darshan_target *to, enum call call, int64_t calls)
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
    darshan_put (to, &row);
}

/* Reads or writes, less what DXT has of them. */
static struct darshan_row darshan_moved (enum call call,
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

/* The number of a name (index plus 1) among those of the rows. */
static uint32_t darshan_row_name (struct darshan_work *w, uint32_t index)
{
    struct darshan_name *name = &w->name[index - 1];
    struct profname like = {.kind = SHARD_NAME_FILE, .class = name->class};

    if (!name->row)
        name->row =
            profrows_name (w->rows, &like, name->text, strlen (name->text));
    return name->row;
}

/* The four values of a kind that were most used by reads and writes together,
 * of a file whose calls are all in its counters. */
static void darshan_put_values (struct darshan_target *to,
                                const int64_t *n,
                                enum profvalue_kind kind)
{
    for (int i = 0; i < DARSHAN_COMMON; i++) {
        struct profvalue *v;

        if (n[i] < 0 || n[DARSHAN_COMMON + i] <= 0)
            continue;
        v = profrows_value (to->w->rows);
        v->proc = to->proc;
        v->name = to->name;
        v->call = CALL_read;
        v->kind = (uint8_t)kind;
        v->bytes = (uint64_t)n[i];
        v->times = (uint64_t)n[DARSHAN_COMMON + i];
    }
}

static int64_t darshan_some (int64_t n)
{
    return n > 0 ? n : 0;
}

static void darshan_posix_rows (struct darshan_target *to,
                                const struct darshan_record *r,
                                const struct darshan_known *k)
{
    const int64_t *n = r->n;
    int64_t aside =
        darshan_some (n[POSIX_FILENOS]) + darshan_some (n[POSIX_DUPS]);
    struct darshan_row read = darshan_moved (
        CALL_read, n[POSIX_READS], n[POSIX_BYTES_READ], r, &k->read, 0);
    struct darshan_row write = darshan_moved (
        CALL_write, n[POSIX_WRITES], n[POSIX_BYTES_WRITTEN], r, &k->write, 1);

    read.both = write.both = to->name && !k->read.calls && !k->write.calls;
    if (read.both) {
        darshan_put_values (to, n + POSIX_ACCESS, PROFVALUE_SIZE_BOTH);
        darshan_put_values (to, n + POSIX_STRIDE, PROFVALUE_STRIDE_BOTH);
    }
    darshan_put_meta (to, CALL_open, n[POSIX_OPENS] - aside);
    darshan_put_meta (to, CALL_stat, n[POSIX_STATS]);
    darshan_put_meta (to, CALL_lseek, n[POSIX_SEEKS]);
    darshan_put_meta (to, CALL_dup, n[POSIX_DUPS]);
    darshan_put_meta (to, CALL_rename, n[POSIX_RENAME_SOURCES]);
    darshan_put (to, &read);
    darshan_put (to, &write);
    to->meta = 0;
    darshan_put_meta (to, CALL_mmap, n[POSIX_MMAPS]);
    darshan_put_meta (to, CALL_fsync, n[POSIX_FSYNCS]);
    darshan_put_meta (to, CALL_fdatasync, n[POSIX_FDSYNCS]);
}

static void darshan_stdio_rows (struct darshan_target *to,
                                const struct darshan_record *r,
                                const struct darshan_known *k)
{
    const int64_t *n = r->n;
    int64_t fdopens = darshan_some (n[STDIO_FDOPENS]);
    struct darshan_row read = darshan_moved (
        CALL_fread, n[STDIO_READS], n[STDIO_BYTES_READ], r, &k->read, 0);
    struct darshan_row write = darshan_moved (
        CALL_fwrite, n[STDIO_WRITES], n[STDIO_BYTES_WRITTEN], r, &k->write, 1);

    read.longest = write.longest = -1;
    darshan_put_meta (to, CALL_fopen, n[STDIO_OPENS] - fdopens);
    darshan_put_meta (to, CALL_fdopen, fdopens);
    darshan_put_meta (to, CALL_fseek, n[STDIO_SEEKS]);
    darshan_put (to, &read);
    darshan_put (to, &write);
    darshan_put_meta (to, CALL_fflush, n[STDIO_FLUSHES]);
}

/* Kinds of MPI-IO: bytes and time of the first that there was are those of
 * all. */
static void darshan_mpiio_moved (struct darshan_target *to,
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
        darshan_put (to, &row);
    }
}

static void darshan_mpiio_rows (struct darshan_target *to,
                                const struct darshan_record *r,
                                const struct darshan_known *k)
{
    const int64_t *n = r->n;

    darshan_put_meta (to, CALL_MPI_File_open,
                      n[MPIIO_INDEP_OPENS] + n[MPIIO_COLL_OPENS]);
    darshan_put_meta (to, CALL_MPI_File_set_view, n[MPIIO_VIEWS]);
    darshan_mpiio_moved (to, r, k, 0);
    darshan_mpiio_moved (to, r, k, 1);
    darshan_put_meta (to, CALL_MPI_File_sync, n[MPIIO_SYNCS]);
}

static const struct darshan_seen darshan_nothing = {0, 0, 0};

/* --- files ---------------------------------------------------------------- */

static void darshan_h5f_rows (struct darshan_target *to,
                              const struct darshan_record *r)
{
    darshan_put_meta (to, CALL_H5Fopen, r->n[H5F_OPENS]);
    darshan_put_meta (to, CALL_H5Fflush, r->n[H5F_FLUSHES]);
}

static void darshan_pnetcdf_rows (struct darshan_target *to,
                                  const struct darshan_record *r)
{
    const int64_t *n = r->n;
    struct darshan_row wait = {.call = CALL_ncmpi_wait,
                               .calls =
                                   darshan_some (n[PNETCDF_FILE_INDEP_WAITS]) +
                                   darshan_some (n[PNETCDF_FILE_COLL_WAITS]),
                               .bytes = -1,
                               .s = r->t[DARSHAN_READ_TIME],
                               .longest = -1,
                               .first = r->t[DARSHAN_READ_START],
                               .last = r->t[DARSHAN_READ_END]};

    if (to->w->log.module_version[DARSHAN_PNETCDF_FILE] < 3) {
        darshan_put_meta (to, CALL_ncmpi_open,
                          darshan_some (n[PNETCDF_FILE_CREATES]) +
                              darshan_some (n[PNETCDF_FILE_OPENS]));
        return;
    }
    darshan_put_meta (to, CALL_ncmpi_create, n[PNETCDF_FILE_CREATES]);
    darshan_put_meta (to, CALL_ncmpi_open, n[PNETCDF_FILE_OPENS]);
    darshan_put_meta (to, CALL_ncmpi_sync, n[PNETCDF_FILE_SYNCS]);
    darshan_put (to, &wait);
}

/* --- datasets, variables -------------------------------------------------- */

static void darshan_h5d_rows (struct darshan_target *to,
                              const struct darshan_record *r)
{
    const int64_t *n = r->n;
    struct darshan_row read = darshan_moved (
        CALL_H5Dread, n[H5D_READS], n[H5D_BYTES_READ], r, &darshan_nothing, 0);
    struct darshan_row write =
        darshan_moved (CALL_H5Dwrite, n[H5D_WRITES], n[H5D_BYTES_WRITTEN], r,
                       &darshan_nothing, 1);

    darshan_put_meta (to, CALL_H5Dopen, n[H5D_OPENS]);
    darshan_put (to, &read);
    darshan_put (to, &write);
    darshan_put_meta (to, CALL_H5Dflush, n[H5D_FLUSHES]);
}

/* Bytes and time are one sum of calls that block and posts: they stand at the
 * first kind that there was. */
static void darshan_var_moved (struct darshan_target *to,
                               const struct darshan_record *r,
                               int write)
{
    static const enum call calls[] = {CALL_ncmpi_get, CALL_ncmpi_put};
    static const enum call posts[] = {CALL_ncmpi_iget, CALL_ncmpi_iput};
    const int64_t *n = r->n + write;
    int64_t independent = darshan_some (n[PNETCDF_VAR_INDEP_READS]);
    int64_t collective = darshan_some (n[PNETCDF_VAR_COLL_READS]);
    struct darshan_row row =
        darshan_moved (calls[write], independent + collective,
                       n[PNETCDF_VAR_BYTES_READ], r, &darshan_nothing, write);
    struct darshan_row post = {.longest = -1, .first = -1, .last = -1};

    if (row.calls == 0)
        post = row;
    row.independent = (uint64_t)independent;
    row.collective = (uint64_t)collective;
    post.call = posts[write];
    post.calls = n[PNETCDF_VAR_NB_READS];
    darshan_put (to, &row);
    darshan_put (to, &post);
}

/* FILE and OBJECT of the name of a record; the file's own name, where that is
 * known, says where the colon is. */
static void
darshan_split (struct darshan_work *w, struct darshan_name *name, uint32_t file)
{
    const char *text = name->text, *colon = strrchr (text, ':');
    struct profname like = {.kind = SHARD_NAME_FILE, .class = name->class};
    size_t n = file ? strlen (w->name[file - 1].text) : 0;

    if (file && strncmp (text, w->name[file - 1].text, n) == 0 &&
        text[n] == ':')
        colon = text + n;
    if (file)
        name->file = darshan_row_name (w, file);
    else
        name->file =
            profrows_name (w->rows, &like, text,
                           colon ? (size_t)(colon - text) : strlen (text));
    text = colon ? colon + 1 : text;
    name->object = profrows_name (w->rows, &like, text, strlen (text));
}

/* Rows of a dataset or variable, whose record has this name (index plus 1; 0:
 * none). */
static void darshan_object_rows (struct darshan_target *to,
                                 const struct darshan_record *r,
                                 const struct darshan_known *k,
                                 uint32_t name)
{
    struct darshan_work *w = to->w;
    int64_t at =
        r->file ? strmap_find (w->ids, (const char *)&r->file, sizeof (r->file))
                : -1;
    uint32_t file = at >= 0 && w->name[at].text && w->name[at].text[0]
                        ? (uint32_t)at + 1
                        : 0;

    if (name) {
        struct darshan_name *own = &w->name[name - 1];

        if (!own->object)
            darshan_split (w, own, file);
        to->name = own->file;
        to->object = own->object;
    }
    if (k->module == DARSHAN_H5D) {
        darshan_h5d_rows (to, r);
        return;
    }
    darshan_var_moved (to, r, 0);
    darshan_var_moved (to, r, 1);
}

/* --- records ----------------------------------------------------------------
 */

static void darshan_rows_of (struct darshan_work *w,
                             const struct darshan_known *k)
{
    struct darshan_target to = {.w = w};
    struct darshan_record r;
    uint32_t name;

    darshan_record_read (&w->log, k->module, k->at, &r);
    name = darshan_name_of (w, r.id);
    to.proc = darshan_process_of (w, r.rank);
    to.meta = r.t[DARSHAN_META_TIME];
    if (k->module == DARSHAN_H5D || k->module == DARSHAN_PNETCDF_VAR) {
        darshan_object_rows (&to, &r, k, name);
        return;
    }
    to.name = name ? darshan_row_name (w, name) : 0;
    if (k->module == DARSHAN_POSIX)
        darshan_posix_rows (&to, &r, k);
    else if (k->module == DARSHAN_STDIO)
        darshan_stdio_rows (&to, &r, k);
    else if (k->module == DARSHAN_MPIIO)
        darshan_mpiio_rows (&to, &r, k);
    else if (k->module == DARSHAN_H5F)
        darshan_h5f_rows (&to, &r);
    else
        darshan_pnetcdf_rows (&to, &r);
}

void darshan_make_rows (struct darshan_work *w)
{
    for (size_t i = 0; i < strmap_count (w->records); i++)
        darshan_rows_of (w, strmap_value (w->records, i));
}

/* --- heat maps --------------------------------------------------------------
 */

enum { HEAT_HEAD = 48, HEAT_WIDTHS = 64 };

#define HEAT_WIDTH_MAX 1e8 /* s */

/* The slices of one width, of all records. */
struct darshan_heat {
    uint64_t width;  /* ns */
    uint64_t slices; /* of the longest record */
    uint64_t read[PROFILE_BINS_MAX], written[PROFILE_BINS_MAX];
};

struct darshan_heats {
    struct darshan_work *w;
    struct darshan_heat *of; /* owned; HEAT_WIDTHS */
    size_t widths, taken;
    int posix; /* some of them are of POSIX */
};

static struct darshan_heat *darshan_heat_of (struct darshan_heats *h,
                                             uint64_t width)
{
    for (size_t i = 0; i < h->widths; i++)
        if (h->of[i].width == width)
            return &h->of[i];
    if (h->widths == HEAT_WIDTHS)
        return NULL;
    h->of[h->widths].width = width;
    return &h->of[h->widths++];
}

/* Is it of POSIX, or of streams? Others do not count. */
static int
darshan_heat_counts (const struct darshan_work *w, uint64_t id, int *posix)
{
    int64_t at = strmap_find (w->ids, (char *)&id, sizeof (id));
    const char *name = at < 0 ? NULL : w->name[at].text;

    *posix = name && strcmp (name, "heatmap:POSIX") == 0;
    return *posix || (name && strcmp (name, "heatmap:STDIO") == 0);
}

static uint64_t darshan_heat_bytes (const struct darshan_log *l,
                                    const unsigned char *p)
{
    int64_t n = darshan_i64 (l, p);

    if (n >= 0 && n <= DARSHAN_COUNT_MAX)
        return (uint64_t)n;
    l->account->bad++;
    return 0;
}

static void darshan_heat_take (struct darshan_heats *h,
                               const unsigned char *p,
                               uint64_t slices)
{
    const struct darshan_log *l = &h->w->log;
    double s = darshan_f64 (l, p + 16);
    struct darshan_heat *heat;
    int posix;

    if (!darshan_heat_counts (h->w, darshan_u64 (l, p), &posix))
        return;
    if (!(s >= 1e-6 && s <= HEAT_WIDTH_MAX) || slices > PROFILE_BINS_MAX ||
        !(heat = darshan_heat_of (h, (uint64_t)llround (s * 1e9)))) {
        l->account->bad++;
        return;
    }
    h->taken++;
    h->posix |= posix;
    heat->slices = slices > heat->slices ? slices : heat->slices;
    for (uint64_t i = 0; i < slices; i++) {
        const unsigned char *at = p + HEAT_HEAD + 8 * i;

        heat->written[i] += darshan_heat_bytes (l, at);
        heat->read[i] += darshan_heat_bytes (l, at + 8 * slices);
    }
}

static void darshan_heat_bins (struct darshan_heats *h)
{
    for (size_t k = 0; k < h->widths; k++)
        for (uint64_t i = 0; i < h->of[k].slices; i++) {
            const struct darshan_heat *heat = &h->of[k];
            struct profbin *b;

            if (!heat->read[i] && !heat->written[i] && i > 0 &&
                i + 1 < heat->slices) /* the first and the last: from where
                                         to where it is known */
                continue;
            b = profrows_bin (h->w->rows);
            b->start = h->w->start + i * heat->width;
            b->width = heat->width;
            b->n[PROFILE_BIN_read_bytes] = heat->read[i];
            b->n[PROFILE_BIN_write_bytes] = heat->written[i];
        }
}

static void darshan_heat_records (struct darshan_heats *h,
                                  const struct darshan_bytes *b)
{
    struct darshan_account *account = h->w->log.account;
    size_t at = 0, records = 0;

    while (b->count - at >= HEAT_HEAD) {
        uint64_t slices = darshan_u64 (&h->w->log, b->at + at + 24);

        if (slices > (b->count - at - HEAT_HEAD) / 16)
            break;
        darshan_heat_take (h, b->at + at, slices);
        at += HEAT_HEAD + 16 * (size_t)slices;
        records++;
    }
    account->bad += at != b->count;
    account->skipped += records && !h->taken; /* hidden names */
}

void darshan_read_heat (struct darshan_work *w)
{
    const struct darshan_log *l = &w->log;
    struct darshan_heats h = {.w = w};
    struct darshan_bytes b;

    if (!l->module[DARSHAN_HEATMAP].bytes)
        return;
    if (l->module_version[DARSHAN_HEATMAP] != 1) {
        l->account->skipped++;
        return;
    }
    darshan_log_unpack (l, &l->module[DARSHAN_HEATMAP], &b);
    NEW (h.of, HEAT_WIDTHS);
    darshan_heat_records (&h, &b);
    darshan_heat_bins (&h);
    w->rows->bins_have_events = h.posix; /* segments of DXT_POSIX */
    l->account->partial += l->partial >> DARSHAN_HEATMAP & 1;
    darshan_bytes_clear (&b);
    free (h.of);
}
