/* SPDX-License-Identifier: MIT
 *
 * darshanlog.c - header and regions of a log of Darshan
 *
 *     since 3.41                        before
 *     0 version, 8 bytes of text        the same
 *     8 magic i64                       the same
 *     16 packing u8                     the same
 *     24 partial u64                    20 partial u32
 *     32 names: offset, bytes           24
 *     48 64 modules: offset, bytes      40 16 modules
 *     1072 their versions, u32          296
 *     1328 the job's region             360
 */
#include "config.h"

#include <byteswap.h>
#include <zlib.h>

#include "analyze/import/darshan/darshanlog.h"
#include "lib/util/xalloc.h"

#ifdef HAVE_BZIP2
#include <bzlib.h>

#include "lib/util/fsutil.h"

/* bz2.NAME is BZ2_NAME. */
static struct {
    __typeof__ (BZ2_bzDecompress) *bzDecompress;
    __typeof__ (BZ2_bzDecompressEnd) *bzDecompressEnd;
    __typeof__ (BZ2_bzDecompressInit) *bzDecompressInit;
} bz2;

static int bz2_load (struct errtext *err)
{
    static const char *const names[] = {"BZ2_bzDecompress",
                                        "BZ2_bzDecompressEnd",
                                        "BZ2_bzDecompressInit", NULL};

    return lazylib_load (BZIP2_FILE, names, &bz2, err);
}
#endif

enum {
    MAGIC = 6567223,
    PACKED_ZLIB = 0,
    PACKED_BZIP2 = 1,
    PACKED_NOT = 2,
    HEAD = 1328,
    HEAD_BEFORE = 360,
    MODULES_BEFORE = 16,
    IN_BYTES = 1 << 16,
    OUT_FIRST = 1 << 16
};

int darshan_is_name (const char *name)
{
    static const char end[] = ".darshan", partial[] = ".darshan_partial";
    size_t n = strlen (name);

    return (n >= sizeof (end) &&
            strcmp (name + n - (sizeof (end) - 1), end) == 0) ||
           (n >= sizeof (partial) &&
            strcmp (name + n - (sizeof (partial) - 1), partial) == 0);
}

/* --- numbers -------------------------------------------------------------- */

uint64_t darshan_u64 (const struct darshan_log *l, const unsigned char *p)
{
    uint64_t v;

    memcpy (&v, p, sizeof (v));
    return l->swap ? bswap_64 (v) : v;
}

uint32_t darshan_u32 (const struct darshan_log *l, const unsigned char *p)
{
    uint32_t v;

    memcpy (&v, p, sizeof (v));
    return l->swap ? bswap_32 (v) : v;
}

double darshan_f64 (const struct darshan_log *l, const unsigned char *p)
{
    uint64_t bits = darshan_u64 (l, p);
    double v;

    memcpy (&v, &bits, sizeof (v));
    return v;
}

/* --- header --------------------------------------------------------------- */

static int darshan_version (const unsigned char *head)
{
    static const struct {
        const char *text;
        int number;
    } known[] = {{"3.00", 300},
                 {"3.10", 310},
                 {"3.20", 320},
                 {"3.21", 321},
                 {"3.41", 341}};

    for (size_t i = 0; i < ITEMS (known); i++)
        if (memcmp (head, known[i].text, 5) == 0)
            return known[i].number;
    return 0;
}

static struct darshan_region darshan_region_at (const struct darshan_log *l,
                                                const unsigned char *p)
{
    return (struct darshan_region){darshan_u64 (l, p), darshan_u64 (l, p + 8)};
}

/* The number that a module has since 3.41: two came in between, H5D in 3.20 and
 * variables of PnetCDF. */
static int darshan_module_now (const struct darshan_log *l, int number)
{
    number += l->version < 320 && number >= DARSHAN_H5D;
    number += l->version < 341 && number >= DARSHAN_PNETCDF_VAR;
    return number;
}

/* The job's region ends at the next region, or with the file. */
static void darshan_place_job (struct darshan_log *l)
{
    struct stat st;
    uint64_t end = fstat (l->fd, &st) == 0 ? (uint64_t)st.st_size : 0;

    if (l->names.offset > l->job.offset && l->names.offset < end)
        end = l->names.offset;
    for (int i = 0; i < DARSHAN_MODULES; i++)
        if (l->module[i].offset > l->job.offset && l->module[i].offset < end)
            end = l->module[i].offset;
    l->job.bytes = end > l->job.offset ? end - l->job.offset : 0;
}

static void darshan_fill (struct darshan_log *l, const unsigned char *head)
{
    int wide = l->version >= 341;
    const unsigned char *p = head + (wide ? 32 : 24);
    int modules = wide ? DARSHAN_MODULES : MODULES_BEFORE;
    uint64_t partial =
        wide ? darshan_u64 (l, head + 24) : darshan_u32 (l, head + 20);

    l->packing = head[16];
    l->names = darshan_region_at (l, p);
    p += 16;
    for (int i = 0; i < modules; i++, p += 16)
        l->module[darshan_module_now (l, i)] = darshan_region_at (l, p);
    for (int i = 0; i < modules; i++, p += 4)
        l->module_version[darshan_module_now (l, i)] = darshan_u32 (l, p);
    for (int i = 0; i < modules; i++)
        l->partial |= (partial >> i & 1) << darshan_module_now (l, i);
    l->job.offset = wide ? HEAD : HEAD_BEFORE;
    darshan_place_job (l);
}

int darshan_log_begin (struct darshan_log *l,
                       int fd,
                       struct darshan_account *account,
                       const char *name,
                       struct errtext *err)
{
    unsigned char head[HEAD] = {0};
    ssize_t n = pread (fd, head, sizeof (head), 0);

    memset (l, 0, sizeof (*l));
    l->fd = fd;
    l->account = account;
    errno = n < 0 ? errno : EBADMSG;
    if (n < 0)
        return errf (err, "%s: cannot read: %s", name, strerror (errno));
    if (n == 0)
        return errf (err, "%s: empty: nothing was recorded", name);
    l->version = darshan_version (head);
    if (!l->version && n >= 8 && head[0] >= '2' && head[0] <= '9' &&
        head[1] == '.')
        return errf (err,
                     "%s: a log of Darshan %.7s: versions 3.00 to 3.41 are "
                     "read; darshan-convert of that version may make one",
                     name, (const char *)head);
    if (!l->version || n < HEAD_BEFORE || (l->version >= 341 && n < HEAD))
        return errf (err, "%s: not a log of Darshan 3, or cut in its header",
                     name);
    if (darshan_i64 (l, head + 8) != MAGIC)
        l->swap = 1;
    if (darshan_i64 (l, head + 8) != MAGIC)
        return errf (err, "%s: not a log of Darshan: its header is damaged",
                     name);
    darshan_fill (l, head);
#ifndef HAVE_BZIP2
    if (l->packing == PACKED_BZIP2)
        return errf (err,
                     "%s: packed by bzip2, which this build cannot read: "
                     "darshan-convert without --bzip2, or build with libbz2",
                     name);
#else
    if (l->packing == PACKED_BZIP2 && bz2_load (err) < 0)
        return -1;
#endif
    if (l->packing > PACKED_NOT)
        return errf (err, "%s: packed in an unknown way (%u)", name,
                     l->packing);
    return 0;
}

/* --- regions -------------------------------------------------------------- */

struct darshan_input {
    const struct darshan_log *l;
    uint64_t offset, left;
    unsigned char bytes[IN_BYTES];
};

/* The next bytes of the region; 0: its end, or that of the file. */
static unsigned darshan_more (struct darshan_input *in)
{
    size_t want = in->left < IN_BYTES ? (size_t)in->left : IN_BYTES;
    ssize_t n = want && in->offset <= INT64_MAX
                    ? pread (in->l->fd, in->bytes, want, (off_t)in->offset)
                    : 0;

    if (n <= 0)
        return 0;
    in->offset += (uint64_t)n;
    in->left -= (uint64_t)n;
    return (unsigned)n;
}

/* Room for more behind b->count. -1: it is too much. */
static int darshan_room (struct darshan_bytes *b, size_t *room)
{
    if (b->count < *room)
        return 0;
    if (*room >= DARSHAN_REGION_MAX)
        return -1;
    *room = *room ? 2 * *room : OUT_FIRST;
    b->at = xreallocarray (b->at, *room, 1);
    return 0;
}

/* 0: all of it, else: too large, damaged or cut. */
static int darshan_plain (struct darshan_input *in, struct darshan_bytes *b)
{
    size_t room = 0;
    unsigned n;

    while ((n = darshan_more (in)) > 0) {
        while (n > 0) {
            size_t fits;

            if (darshan_room (b, &room) < 0)
                return -1;
            fits = room - b->count < n ? room - b->count : n;
            memcpy (b->at + b->count, in->bytes, fits);
            b->count += fits;
            n -= (unsigned)fits;
            memmove (in->bytes, in->bytes + fits, n);
        }
    }
    return in->left > 0;
}

static int darshan_inflate (struct darshan_input *in, struct darshan_bytes *b)
{
    z_stream z = {.avail_in = 0};
    size_t room = 0;
    int rc = Z_OK, bad = 0;

    if (inflateInit (&z) != Z_OK)
        xalloc_die ();
    for (;;) {
        if (z.avail_in == 0) {
            if ((z.avail_in = darshan_more (in)) == 0)
                break;
            z.next_in = in->bytes;
        }
        if (rc == Z_STREAM_END && inflateReset (&z) != Z_OK)
            break;
        if ((bad = darshan_room (b, &room)) < 0)
            break;
        z.next_out = b->at + b->count;
        z.avail_out = (unsigned)(room - b->count);
        rc = inflate (&z, Z_NO_FLUSH);
        b->count = room - z.avail_out;
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
            break;
    }
    inflateEnd (&z);
    return bad ? bad : rc != Z_STREAM_END || in->left > 0;
}

#ifdef HAVE_BZIP2
static int darshan_bunzip2 (struct darshan_input *in, struct darshan_bytes *b)
{
    bz_stream z = {.avail_in = 0};
    size_t room = 0;
    int rc = BZ_STREAM_END, open = 0, bad = 0;

    for (;;) {
        if (z.avail_in == 0) {
            if ((z.avail_in = darshan_more (in)) == 0)
                break;
            z.next_in = (char *)in->bytes;
        }
        if (rc == BZ_STREAM_END) { /* another one begins */
            char *next = z.next_in;
            unsigned left = z.avail_in;

            if (open)
                (void)bz2.bzDecompressEnd (&z);
            memset (&z, 0, sizeof (z));
            if (bz2.bzDecompressInit (&z, 0, 0) != BZ_OK)
                xalloc_die ();
            open = 1;
            z.next_in = next;
            z.avail_in = left;
        }
        if ((bad = darshan_room (b, &room)) < 0)
            break;
        z.next_out = (char *)b->at + b->count;
        z.avail_out = (unsigned)(room - b->count);
        rc = bz2.bzDecompress (&z);
        b->count = room - z.avail_out;
        if (rc != BZ_OK && rc != BZ_STREAM_END)
            break;
    }
    if (open)
        (void)bz2.bzDecompressEnd (&z);
    return bad ? bad : rc != BZ_STREAM_END || in->left > 0;
}
#endif

static int darshan_unpack_by (const struct darshan_log *l,
                              struct darshan_input *in,
                              struct darshan_bytes *b)
{
    switch (l->packing) {
    case PACKED_ZLIB:
        return darshan_inflate (in, b);
#ifdef HAVE_BZIP2
    case PACKED_BZIP2:
        return darshan_bunzip2 (in, b);
#endif
    default:
        return darshan_plain (in, b);
    }
}

void darshan_log_unpack (const struct darshan_log *l,
                         const struct darshan_region *r,
                         struct darshan_bytes *b)
{
    struct darshan_input *in = ZEROED (in, 1);

    memset (b, 0, sizeof (*b));
    in->l = l;
    in->offset = r->offset;
    in->left = r->bytes;
    l->account->cut += r->bytes && darshan_unpack_by (l, in, b) != 0;
    free (in);
}

void darshan_bytes_clear (struct darshan_bytes *b)
{
    free (b->at);
    memset (b, 0, sizeof (*b));
}

/* --- records: bytes of any version -> counters by number ----------------- */

#define BITS(FIRST, COUNT) ((((uint64_t)1 << (COUNT)) - 1) << (FIRST))

/* Layouts of records by version. A record begins with the number of the file
 * (u64) and the rank (i64; -1: all ranks, added up). Counters and times are
 * those of the latest version, of which a record lacks the sets `missing` (bit
 * n for number n); these are -1. `others` counters that later versions no
 * longer have stand before number `others_at`; one before number 0 is the
 * number of the file in which a dataset or variable is. */
static const struct darshan_layout {
    enum darshan_module module;
    uint32_t version;
    int counters, times;
    uint64_t missing, missing_times;
    int others_at, others;
} layouts[] = {
    {DARSHAN_POSIX, 1, 69, 17, BITS (1, 2) | BITS (10, 3), BITS (3, 2), 8, 4},
    {DARSHAN_POSIX, 2, 69, 17, BITS (1, 2) | BITS (10, 3), BITS (3, 2), 0, 0},
    {DARSHAN_POSIX, 3, 69, 17, BITS (1, 2) | BITS (10, 3), 0, 0, 0},
    {DARSHAN_POSIX, 4, 69, 17, 0, 0, 0, 0},
    {DARSHAN_MPIIO, 1, 51, 17, 0, BITS (3, 2), 0, 0},
    {DARSHAN_MPIIO, 2, 51, 17, 0, BITS (3, 2), 0, 0},
    {DARSHAN_MPIIO, 3, 51, 17, 0, 0, 0, 0},
    {DARSHAN_STDIO, 1, 14, 15, BITS (1, 1), 0, 0, 0},
    {DARSHAN_STDIO, 2, 14, 15, 0, 0, 0, 0},
    {DARSHAN_H5F, 1, 3, 5, BITS (1, 2), BITS (1, 2) | BITS (4, 1), 0, 0},
    {DARSHAN_H5F, 2, 3, 5, BITS (1, 2), BITS (4, 1), 0, 0},
    {DARSHAN_H5F, 3, 3, 5, 0, 0, 0, 0},
    {DARSHAN_H5D, 1, 94, 17, 0, 0, 0, 0},
    {DARSHAN_H5D, 2, 94, 17, 0, 0, 0, 1},
    {DARSHAN_PNETCDF_FILE, 1, 9, 8, BITS (2, 7), BITS (1, 3) | BITS (5, 3), 0,
     0},
    {DARSHAN_PNETCDF_FILE, 2, 9, 8, BITS (2, 7), BITS (2, 1) | BITS (5, 3), 0,
     0},
    {DARSHAN_PNETCDF_FILE, 3, 9, 8, 0, 0, 0, 0},
    {DARSHAN_PNETCDF_VAR, 1, 120, 17, 0, 0, 0, 1},
};

/* Times of a record in the order of the file, as numbers of enum darshan_times.
 */
static const int stdio_time[] = {
    DARSHAN_META_TIME,   DARSHAN_WRITE_TIME,  DARSHAN_READ_TIME,
    DARSHAN_OPEN_START,  DARSHAN_CLOSE_START, DARSHAN_WRITE_START,
    DARSHAN_READ_START,  DARSHAN_OPEN_END,    DARSHAN_CLOSE_END,
    DARSHAN_WRITE_END,   DARSHAN_READ_END,    DARSHAN_FASTEST_TIME,
    DARSHAN_SLOWEST_TIME};
static const int h5f_time[] = {DARSHAN_OPEN_START, DARSHAN_CLOSE_START,
                               DARSHAN_OPEN_END, DARSHAN_CLOSE_END,
                               DARSHAN_META_TIME};
static const int pnetcdf_time[] = {DARSHAN_OPEN_START, DARSHAN_CLOSE_START,
                                   DARSHAN_READ_START, DARSHAN_OPEN_END,
                                   DARSHAN_CLOSE_END,  DARSHAN_READ_END,
                                   DARSHAN_META_TIME,  DARSHAN_READ_TIME};

#define TIMES(OF) OF, (int)(ITEMS (OF))

/* -1: nobody asks for it. */
static int darshan_time_at (enum darshan_module module, int i)
{
    static const struct {
        enum darshan_module module;
        const int *at;
        int count;
    } orders[] = {{DARSHAN_STDIO, TIMES (stdio_time)},
                  {DARSHAN_H5F, TIMES (h5f_time)},
                  {DARSHAN_PNETCDF_FILE, TIMES (pnetcdf_time)}};

    for (size_t k = 0; k < ITEMS (orders); k++)
        if (orders[k].module == module)
            return i < orders[k].count ? orders[k].at[i] : -1;
    return i;
}

static const struct darshan_layout *
darshan_layout_of (enum darshan_module module, uint32_t version)
{
    for (size_t i = 0; i < ITEMS (layouts); i++)
        if (layouts[i].module == module && layouts[i].version == version)
            return &layouts[i];
    return NULL;
}

size_t darshan_record_bytes (enum darshan_module module, uint32_t version)
{
    const struct darshan_layout *y = darshan_layout_of (module, version);

    if (!y)
        return 0;
    return 8 * (size_t)(2 + y->counters + y->times + y->others -
                        __builtin_popcountll (y->missing) -
                        __builtin_popcountll (y->missing_times));
}

static int darshan_lacks (uint64_t missing, int i)
{
    return i < 64 && (missing >> i & 1);
}

/* A count that no job reaches becomes -1, not known. */
static int64_t darshan_count (int64_t n)
{
    return n >= 0 && n <= DARSHAN_COUNT_MAX ? n : -1;
}

void darshan_record_read (const struct darshan_log *l,
                          enum darshan_module module,
                          const unsigned char *p,
                          struct darshan_record *r)
{
    const struct darshan_layout *y =
        darshan_layout_of (module, l->module_version[module]);

    for (int i = 0; i < DARSHAN_COUNTERS; i++)
        r->n[i] = -1;
    for (int i = 0; i < DARSHAN_TIMES; i++)
        r->t[i] = -1;
    r->id = darshan_u64 (l, p);
    r->rank = darshan_i64 (l, p + 8);
    p += 16;
    r->file = y->others == 1 ? darshan_u64 (l, p) : 0;
    for (int i = 0; i < y->counters; i++) {
        if (y->others && i == y->others_at)
            p += 8 * y->others;
        if (darshan_lacks (y->missing, i))
            continue;
        r->n[i] = darshan_count (darshan_i64 (l, p));
        p += 8;
    }
    for (int i = 0; i < y->times; i++) {
        int at = darshan_time_at (module, i);

        if (darshan_lacks (y->missing_times, i))
            continue;
        if (at >= 0)
            r->t[at] = darshan_f64 (l, p);
        p += 8;
    }
}
