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

/* --- plans: which rows a record becomes ----------------------------------- */

enum darshan_way {
    DARSHAN_META, /* the first that there was has the time of all of them */
    DARSHAN_LATE, /* of metadata, too, but without a time */
    /* the first that there was has the bytes and the times of all of them, less
     * those that DXT has */
    DARSHAN_READS,
    DARSHAN_WRITES
};

/* A row for a call, where its counter is above 0. Counters that need not be
 * there are numbers plus 1; 0: none. */
struct darshan_plan {
    enum darshan_module module;
    enum darshan_way way;
    enum call call;
    int calls, bytes;
    int plus, minus[2];    /* calls of these belong to it, or do not */
    uint32_t since, until; /* versions of the module; 0: all */
};

#define OPTIONAL(NUMBER) (NUMBER) + 1
#define PLAN(MODULE, WAY, CALL, COUNTER, ...)                                  \
    {                                                                          \
        .module = DARSHAN_##MODULE, .way = DARSHAN_##WAY, .call = CALL_##CALL, \
        .calls = COUNTER, __VA_ARGS__                                          \
    }
#define MOVES(MODULE, WAY, CALL, COUNTER, BYTES, ...) \
    PLAN (MODULE, WAY, CALL, COUNTER, .bytes = OPTIONAL (BYTES), __VA_ARGS__)

static const struct darshan_plan plans[] = {
    PLAN (POSIX,
          META,
          open,
          POSIX_OPENS,
          .minus = {OPTIONAL (POSIX_FILENOS), OPTIONAL (POSIX_DUPS)}),
    PLAN (POSIX, META, stat, POSIX_STATS),
    PLAN (POSIX, META, lseek, POSIX_SEEKS),
    PLAN (POSIX, META, dup, POSIX_DUPS),
    PLAN (POSIX, META, rename, POSIX_RENAME_SOURCES),
    MOVES (POSIX, READS, read, POSIX_READS, POSIX_BYTES_READ),
    MOVES (POSIX, WRITES, write, POSIX_WRITES, POSIX_BYTES_WRITTEN),
    PLAN (POSIX, LATE, mmap, POSIX_MMAPS),
    PLAN (POSIX, LATE, fsync, POSIX_FSYNCS),
    PLAN (POSIX, LATE, fdatasync, POSIX_FDSYNCS),
    PLAN (STDIO, META, fopen, STDIO_OPENS, .minus = {OPTIONAL (STDIO_FDOPENS)}),
    PLAN (STDIO, META, fdopen, STDIO_FDOPENS),
    PLAN (STDIO, META, fseek, STDIO_SEEKS),
    MOVES (STDIO, READS, fread, STDIO_READS, STDIO_BYTES_READ),
    MOVES (STDIO, WRITES, fwrite, STDIO_WRITES, STDIO_BYTES_WRITTEN),
    PLAN (STDIO, META, fflush, STDIO_FLUSHES),
    PLAN (MPIIO,
          META,
          MPI_File_open,
          MPIIO_INDEP_OPENS,
          .plus = OPTIONAL (MPIIO_COLL_OPENS)),
    PLAN (MPIIO, META, MPI_File_set_view, MPIIO_VIEWS),
    MOVES (MPIIO, READS, MPI_File_read_all, MPIIO_COLL_READS, MPIIO_BYTES_READ),
    MOVES (MPIIO, READS, MPI_File_read, MPIIO_INDEP_READS, MPIIO_BYTES_READ),
    MOVES (MPIIO,
           READS,
           MPI_File_read_all_begin,
           MPIIO_SPLIT_READS,
           MPIIO_BYTES_READ),
    MOVES (MPIIO, READS, MPI_File_iread, MPIIO_NB_READS, MPIIO_BYTES_READ),
    MOVES (MPIIO,
           WRITES,
           MPI_File_write_all,
           MPIIO_COLL_WRITES,
           MPIIO_BYTES_WRITTEN),
    MOVES (
        MPIIO, WRITES, MPI_File_write, MPIIO_INDEP_WRITES, MPIIO_BYTES_WRITTEN),
    MOVES (MPIIO,
           WRITES,
           MPI_File_write_all_begin,
           MPIIO_SPLIT_WRITES,
           MPIIO_BYTES_WRITTEN),
    MOVES (
        MPIIO, WRITES, MPI_File_iwrite, MPIIO_NB_WRITES, MPIIO_BYTES_WRITTEN),
    PLAN (MPIIO, META, MPI_File_sync, MPIIO_SYNCS),
    PLAN (H5F, META, H5Fopen, H5F_OPENS),
    PLAN (H5F, META, H5Fflush, H5F_FLUSHES),
    PLAN (H5D, META, H5Dopen, H5D_OPENS),
    MOVES (H5D, READS, H5Dread, H5D_READS, H5D_BYTES_READ),
    MOVES (H5D, WRITES, H5Dwrite, H5D_WRITES, H5D_BYTES_WRITTEN),
    PLAN (H5D, META, H5Dflush, H5D_FLUSHES),
    PLAN (PNETCDF_FILE, META, ncmpi_create, PNETCDF_FILE_CREATES, .since = 3),
    PLAN (PNETCDF_FILE, META, ncmpi_open, PNETCDF_FILE_OPENS, .since = 3),
    PLAN (PNETCDF_FILE,
          META,
          ncmpi_open,
          PNETCDF_FILE_CREATES,
          .plus = OPTIONAL (PNETCDF_FILE_OPENS),
          .until = 2),
    PLAN (PNETCDF_FILE, META, ncmpi_sync, PNETCDF_FILE_SYNCS),
    PLAN (PNETCDF_FILE,
          READS,
          ncmpi_wait,
          PNETCDF_FILE_INDEP_WAITS,
          .plus = OPTIONAL (PNETCDF_FILE_COLL_WAITS)),
    MOVES (PNETCDF_VAR,
           READS,
           ncmpi_get,
           PNETCDF_VAR_INDEP_READS,
           PNETCDF_VAR_BYTES_READ,
           .plus = OPTIONAL (PNETCDF_VAR_COLL_READS)),
    MOVES (PNETCDF_VAR,
           READS,
           ncmpi_iget,
           PNETCDF_VAR_NB_READS,
           PNETCDF_VAR_BYTES_READ),
    MOVES (PNETCDF_VAR,
           WRITES,
           ncmpi_put,
           PNETCDF_VAR_INDEP_READS + 1,
           PNETCDF_VAR_BYTES_READ + 1,
           .plus = OPTIONAL (PNETCDF_VAR_COLL_READS + 1)),
    MOVES (PNETCDF_VAR,
           WRITES,
           ncmpi_iput,
           PNETCDF_VAR_NB_READS + 1,
           PNETCDF_VAR_BYTES_READ + 1),
};

struct darshan_target {
    struct darshan_work *w;
    const struct darshan_known *known;
    struct darshan_record record;
    uint32_t proc, name;
    uint32_t object; /* of a file: a dataset, a variable; 0: none */
    double meta;     /* s that no call has had yet */
    int moved[2];    /* reads, writes have had their bytes and times */
    int both;        /* sizes and strides are those of reads and writes */
};

/* --- rows ----------------------------------------------------------------- */

/* A counter that need not be there, or is not known: 0. */
static int64_t darshan_some (const struct darshan_target *to, int optional)
{
    int64_t n = optional ? to->record.n[optional - 1] : 0;

    return n > 0 ? n : 0;
}

/* Bytes and times of all reads or writes of the record, less those that DXT
 * has. */
static void darshan_move (const struct darshan_target *to,
                          const struct darshan_plan *p,
                          struct profrow *r)
{
    int write = p->way == DARSHAN_WRITES;
    const struct darshan_seen *seen =
        write ? &to->known->write : &to->known->read;
    const double *t = to->record.t;
    int64_t bytes = darshan_some (to, p->bytes) - (int64_t)seen->bytes;
    double first = t[DARSHAN_READ_START + write],
           last = t[DARSHAN_READ_END + write];

    r->n[PROFILE_calls] -= seen->calls;
    r->n[PROFILE_bytes] = bytes > 0 ? (uint64_t)bytes : 0;
    r->n[PROFILE_time] =
        darshan_ns (t[DARSHAN_READ_TIME + write] - (double)seen->ns / 1e9);
    r->n[PROFILE_most] = darshan_ns (t[DARSHAN_MAX_READ + write]);
    if (first > 0)
        r->n[PROFILE_first] = darshan_time (to->w, first) + 1;
    if (first > 0 && last >= first)
        r->n[PROFILE_last] = darshan_time (to->w, last);
}

/* Append the row of a plan, where there were such calls. */
static void darshan_put (struct darshan_target *to,
                         const struct darshan_plan *p)
{
    int64_t calls = to->record.n[p->calls];
    struct profrow row = {.proc = to->proc,
                          .call = (uint16_t)p->call,
                          .name = to->name,
                          .name2 = to->object};

    calls = (p->plus ? darshan_some (to, OPTIONAL (p->calls)) : calls) +
            darshan_some (to, p->plus) - darshan_some (to, p->minus[0]) -
            darshan_some (to, p->minus[1]);
    if (calls <= 0)
        return;
    row.n[PROFILE_calls] = (uint64_t)calls;
    if (p->way == DARSHAN_META)
        row.n[PROFILE_time] = darshan_ns (to->meta);
    if (p->way <= DARSHAN_LATE)
        to->meta = 0;
    else if (!to->moved[p->way == DARSHAN_WRITES]++)
        darshan_move (to, p, &row);
    if ((int64_t)row.n[PROFILE_calls] <= 0)
        return;
    row.unknown = row.n[PROFILE_calls]; /* until darshan_put_values */
    row.both = p->way >= DARSHAN_READS && to->both;
    row.n[PROFILE_asked] = row.n[PROFILE_bytes];
    if (p->module == DARSHAN_PNETCDF_VAR && p->plus) {
        row.n[PROFILE_more] = (uint64_t)darshan_some (to, p->plus);
        row.n[PROFILE_also] = (uint64_t)calls - row.n[PROFILE_more];
    }
    *profrows_row (to->w->rows) = row;
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

/* --- datasets, variables -------------------------------------------------- */

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

/* The names of a dataset or variable, whose record has this name (index plus 1;
 * 0: none). */
static void darshan_name_object (struct darshan_target *to, uint32_t name)
{
    struct darshan_work *w = to->w;
    const uint64_t *id = &to->record.file;
    int64_t at =
        *id ? strmap_find (w->ids, (const char *)id, sizeof (*id)) : -1;
    uint32_t file = at >= 0 && w->name[at].text && w->name[at].text[0]
                        ? (uint32_t)at + 1
                        : 0;
    struct darshan_name *own = name ? &w->name[name - 1] : NULL;

    if (!own)
        return;
    if (!own->object)
        darshan_split (w, own, file);
    to->name = own->file;
    to->object = own->object;
}

/* --- records ----------------------------------------------------------------
 */

static void darshan_rows_of (struct darshan_work *w,
                             const struct darshan_known *k)
{
    struct darshan_target to = {.w = w, .known = k};
    const struct darshan_record *r = &to.record;
    uint32_t name, version = w->log.module_version[k->module];

    darshan_record_read (&w->log, k->module, k->at, &to.record);
    name = darshan_name_of (w, r->id);
    to.proc = darshan_process_of (w, r->rank);
    to.meta = r->t[DARSHAN_META_TIME];
    if (k->module == DARSHAN_H5D || k->module == DARSHAN_PNETCDF_VAR)
        darshan_name_object (&to, name);
    else
        to.name = name ? darshan_row_name (w, name) : 0;
    to.both = k->module == DARSHAN_POSIX && to.name && !k->read.calls &&
              !k->write.calls;
    if (to.both) {
        darshan_put_values (&to, r->n + POSIX_ACCESS, PROFVALUE_SIZE_BOTH);
        darshan_put_values (&to, r->n + POSIX_STRIDE, PROFVALUE_STRIDE_BOTH);
    }
    for (size_t i = 0; i < ITEMS (plans); i++)
        if (plans[i].module == k->module && plans[i].since <= version &&
            (!plans[i].until || plans[i].until >= version))
            darshan_put (&to, &plans[i]);
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
