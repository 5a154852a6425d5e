/* SPDX-License-Identifier: MIT
 *
 * gz.c - text that grows: bytes and whole numbers
 *
 * In:  pieces of lines, from pfw.c and pfwline.c
 * Out: memory that holds them
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/gz.h"
#include "lib/util/json.h"
#include "lib/util/xalloc.h"

enum { FIRST_ROOM = 4096 };

void outbuf_grow (struct outbuf *b, size_t n)
{
    size_t room = b->room ? b->room : FIRST_ROOM;

    while (room - b->n < n)
        room *= 2;
    b->p = xreallocarray (b->p, room, 1);
    b->room = room;
}

void outbuf_clear (struct outbuf *b)
{
    free (b->p);
    ZERO (b);
}

void outbuf_escaped (struct outbuf *b, const char *text, size_t n)
{
    outbuf_need (b, JSON_ESCAPE_MAX * n);
    b->n += json_escape_to (b->p + b->n, text, n);
}

void outbuf_double (struct outbuf *b, double d)
{
    char number[32];
    const char *text = json_number (number, sizeof (number), d);

    outbuf_put (b, text, strlen (text));
}

/* Digits of values below 100, two for each. */
static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353"
    "6373839404142434445464748495051525354555657585960616263646566676869707172"
    "737475767778798081828384858687888990919293949596979899";

void outbuf_u64 (struct outbuf *b, uint64_t value)
{
    char digits[OUTBUF_NUMBER], *p = digits + sizeof (digits);

    while (value >= 100) {
        p -= 2;
        memcpy (p, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        p -= 2;
        memcpy (p, pairs + value * 2, 2);
    } else
        *--p = (char)('0' + value);
    outbuf_put (b, p, digits + sizeof (digits) - p);
}

void outbuf_i64 (struct outbuf *b, int64_t value)
{
    if (value < 0)
        OUTBUF_PUT (b, "-");
    outbuf_u64 (b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* ---- a file, plain or gzip -> its plain bytes, as many as there are ---- */

enum {
    INPUT_BYTES = 1 << 18,
    UNREAD_MAX = 8,  /* bytes of a bit buffer of 64 bits */
    MAGIC_BYTES = 4, /* 1f 8b 08 and flags */
    METHOD_DEFLATE = 8,
    FLAGS_KNOWN = 0x1f /* of a gzip member */
};

enum state { START, PLAIN, INSIDE, BETWEEN, SEEKING, END };

struct gzin {
    int fd, file_end;
    enum state state;
    struct inflater *z;
    struct inflater_io io;
    struct gzin_account account;
    unsigned char input[INPUT_BYTES];
};

struct gzin *gzin_create (int fd)
{
    struct gzin *g = xmalloc (sizeof (*g));

    memset (g, 0, offsetof (struct gzin, input));
    g->fd = fd;
    if ((g->z = inflater_create ()))
        return g;
    free (g);
    return NULL;
}

void gzin_destroy (struct gzin *g)
{
    int saved = errno;

    if (!g)
        return;
    inflater_destroy (g->z);
    free (g);
    errno = saved;
}

const struct gzin_account *gzin_account (const struct gzin *g)
{
    return &g->account;
}

/* --- input ------------------------------------------------------------ */

/* ISA-L gives back what its bit buffer holds, perhaps of the call before: the
 * last bytes that it took must still be there, and stay in front. */
static void keep_tail (struct gzin *g)
{
    size_t taken = g->io.in ? (g->io.in - g->input) : 0;
    size_t tail = MIN (taken, UNREAD_MAX);

    if (g->io.in)
        memmove (g->input + UNREAD_MAX - tail, g->io.in - tail,
                 tail + g->io.in_left);
    g->io.in = g->input + UNREAD_MAX;
}

/* Have `want` bytes of input at hand, or all there are. -1: errno. */
static int gzin_fill (struct gzin *g, size_t want)
{
    if (g->io.in_left >= want || g->file_end)
        return 0;
    keep_tail (g);
    while (g->io.in_left < want && !g->file_end) {
        ssize_t got = read (g->fd, g->input + UNREAD_MAX + g->io.in_left,
                            sizeof (g->input) - UNREAD_MAX - g->io.in_left);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        g->file_end = got == 0;
        g->io.in_left += got;
        g->account.packed += got;
    }
    return 0;
}

static int at_member (const struct gzin *g)
{
    const unsigned char *p = g->io.in;

    return g->io.in_left >= MAGIC_BYTES && p[0] == 0x1f && p[1] == 0x8b &&
           p[2] == METHOD_DEFLATE && p[3] <= FLAGS_KNOWN;
}

static void gzin_skip (struct gzin *g, size_t n)
{
    g->io.in += n;
    g->io.in_left -= n;
}

/* Here a member begins. */
static void gzin_begin (struct gzin *g)
{
    inflater_reset (g->z);
    g->state = INSIDE;
}

/* --- states ----------------------------------------------------------- */

static int gzin_start (struct gzin *g)
{
    if (gzin_fill (g, MAGIC_BYTES) < 0)
        return -1;
    g->account.gzip = at_member (g);
    g->state = PLAIN;
    if (g->account.gzip)
        gzin_begin (g);
    return 0;
}

/* After a member: the next one, zeros that fill a block, or neither. */
static int between (struct gzin *g)
{
    do {
        if (gzin_fill (g, MAGIC_BYTES) < 0)
            return -1;
        while (g->io.in_left && *g->io.in == 0)
            gzin_skip (g, 1);
    } while (g->io.in_left < MAGIC_BYTES && !g->file_end);
    if (!g->io.in_left) {
        g->state = END;
        return 0;
    }
    g->state = SEEKING;
    if (at_member (g))
        gzin_begin (g);
    return 0;
}

static int seek (struct gzin *g)
{
    if (gzin_fill (g, MAGIC_BYTES) < 0)
        return -1;
    while (g->io.in_left >= MAGIC_BYTES && !at_member (g)) {
        gzin_skip (g, 1);
        g->account.packed_lost++;
    }
    if (at_member (g))
        gzin_begin (g);
    else if (g->file_end) {
        g->account.packed_lost += g->io.in_left;
        g->state = END;
    }
    return 0;
}

static size_t gzin_plain (struct gzin *g, char *buf, size_t n)
{
    if (n > g->io.in_left)
        n = g->io.in_left;
    if (n)
        memcpy (buf, g->io.in, n);
    gzin_skip (g, n);
    if (!g->io.in_left && g->file_end)
        g->state = END;
    return n;
}

/* Bytes of the member at hand; a newline where it breaks off. */
static size_t inside (struct gzin *g, char *buf, size_t n)
{
    enum inflater_result rc;
    size_t got;

    g->io.out = (unsigned char *)buf;
    g->io.out_left = n;
    rc = inflater_run (g->z, &g->io);
    got = n - g->io.out_left;
    if (rc == INFLATER_END)
        g->state = BETWEEN;
    else if (rc == INFLATER_MORE) {
        if (got || g->io.in_left || !g->file_end)
            return got;
        g->account.cut = 1;
        g->state = END;
        buf[got++] = '\n';
    } else {
        g->account.members_bad++;
        g->state = SEEKING;
        if (got < n)
            buf[got++] = '\n';
    }
    return got;
}

ssize_t gzin_read (struct gzin *g, char *buf, size_t n)
{
    size_t got = 0;
    int rc = 0;

    while (got == 0 && g->state != END && rc == 0)
        switch (g->state) {
        case START:
            rc = gzin_start (g);
            break;
        case PLAIN:
            if ((rc = gzin_fill (g, 1)) == 0)
                got = gzin_plain (g, buf, n);
            break;
        case INSIDE:
            if ((rc = gzin_fill (g, 1)) == 0)
                got = inside (g, buf, n);
            break;
        case BETWEEN:
            rc = between (g);
            break;
        case SEEKING:
            rc = seek (g);
            break;
        case END:
            break;
        }
    return rc < 0 ? -1 : (ssize_t)got;
}

/* ---- a gzip member -> its plain bytes: ISA-L, else zlib ---- */

#ifdef HAVE_ISAL

#include <isa-l/igzip_lib.h>

#include "lib/util/fsutil.h"

/* isal.NAME is isal_NAME. */
static struct {
    __typeof__ (isal_deflate) *deflate;
    __typeof__ (isal_deflate_init) *deflate_init;
    __typeof__ (isal_inflate) *inflate;
    __typeof__ (isal_inflate_init) *inflate_init;
    __typeof__ (isal_inflate_reset) *inflate_reset;
} isal;

static int isal_load (void)
{
    static const char *const names[] = {
        "isal_deflate",      "isal_deflate_init",  "isal_inflate",
        "isal_inflate_init", "isal_inflate_reset", NULL};

    return lazylib_load (ISAL_FILE, names, &isal, NULL);
}

struct inflater {
    struct inflate_state z;
};

struct inflater *inflater_create (void)
{
    struct inflater *z;

    if (isal_load () < 0)
        return NULL;
    z = xmalloc (sizeof (*z));
    isal.inflate_init (&z->z);
    return z;
}

void inflater_destroy (struct inflater *z)
{
    free (z);
}

void inflater_reset (struct inflater *z)
{
    isal.inflate_reset (&z->z);
    z->z.crc_flag = ISAL_GZIP;
}

static uint32_t part (size_t n)
{
    return n < INT32_MAX ? (uint32_t)n : INT32_MAX;
}

/* Less than nothing when bytes of the call before come back. In a damaged
 * member ISA-L may count more bytes than there were. */
static ptrdiff_t bytes_taken (uint32_t in, uint32_t left)
{
    ptrdiff_t taken = (ptrdiff_t)in - (int32_t)left;

    return taken > (ptrdiff_t)in ? (ptrdiff_t)in : taken;
}

enum inflater_result inflater_run (struct inflater *z, struct inflater_io *io)
{
    uint32_t in = part (io->in_left), out = part (io->out_left);
    ptrdiff_t taken;
    int rc;

    z->z.next_in = (uint8_t *)(uintptr_t)io->in; /* which it does not change */
    z->z.avail_in = in;
    z->z.next_out = io->out;
    z->z.avail_out = out;
    rc = isal.inflate (&z->z);
    taken = bytes_taken (in, z->z.avail_in);
    io->in += taken;
    io->in_left -= taken;
    io->out += out - z->z.avail_out;
    io->out_left -= out - z->z.avail_out;
    if (rc < 0)
        return INFLATER_BAD;
    return z->z.block_state == ISAL_BLOCK_FINISH ? INFLATER_END : INFLATER_MORE;
}

#else

#include <zlib.h>

enum { WINDOW_GZIP = 15 + 16 /* largest window, gzip heads only */ };

struct inflater {
    z_stream z;
};

struct inflater *inflater_create (void)
{
    struct inflater *z = ZEROED (z, 1);

    if (inflateInit2 (&z->z, WINDOW_GZIP) != Z_OK)
        xalloc_die ();
    return z;
}

void inflater_destroy (struct inflater *z)
{
    if (!z)
        return;
    inflateEnd (&z->z);
    free (z);
}

void inflater_reset (struct inflater *z)
{
    inflateReset (&z->z);
}

static uInt part (size_t n)
{
    return n < UINT32_MAX ? (uInt)n : UINT32_MAX;
}

enum inflater_result inflater_run (struct inflater *z, struct inflater_io *io)
{
    uInt in = part (io->in_left), out = part (io->out_left);
    int rc;

    z->z.next_in = (unsigned char *)(uintptr_t)io->in;
    z->z.avail_in = in;
    z->z.next_out = io->out;
    z->z.avail_out = out;
    rc = inflate (&z->z, Z_NO_FLUSH);
    io->in += in - z->z.avail_in;
    io->in_left -= in - z->z.avail_in;
    io->out += out - z->z.avail_out;
    io->out_left -= out - z->z.avail_out;
    if (rc == Z_STREAM_END)
        return INFLATER_END;
    return rc == Z_OK || rc == Z_BUF_ERROR ? INFLATER_MORE : INFLATER_BAD;
}

#endif

/* ---- bytes -> one gzip member: ISA-L, else libdeflate, else zlib ---- */

struct gzpack {
    void *codec;
    unsigned char *out;
    size_t room;
};

/* Each library: make a codec, bound, gzpack_pack (returns 0 when it did not
 * fit). */
static void *codec_create (void);
static void codec_destroy (void *codec);
static size_t bound (void *codec, size_t n);
static size_t gzpack_pack (
    void *codec, const void *in, size_t n, unsigned char *out, size_t room);

struct gzpack *gzpack_create (void)
{
    struct gzpack *z = ZEROED (z, 1);

    if ((z->codec = codec_create ()))
        return z;
    free (z);
    return NULL;
}

void gzpack_destroy (struct gzpack *z)
{
    if (!z)
        return;
    codec_destroy (z->codec);
    free (z->out);
    free (z);
}

const void *
gzpack_member (struct gzpack *z, const void *plain, size_t n, size_t *packed)
{
    size_t want = bound (z->codec, n);

    errno = EFBIG;
    if (n > INT_MAX) /* more than the libraries count */
        return NULL;
    GROW (z->out, z->room, want);
    *packed = gzpack_pack (z->codec, plain, n, z->out, z->room);
    return *packed ? z->out : NULL;
}

#if defined HAVE_ISAL

struct packer {
    struct isal_zstream z;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
};

/* The function of ISA-L (2.30 to 2.32) for all but short inputs takes the hash
 * of the third position of a stream from a register that holds the address of
 * its state: what it packs depends on where that lies.  The function for short
 * inputs does not, so a stream begins with one, in a block of its own. */
enum {
    LEVEL = 1,
    BEGIN = 8,       /* bytes; from 4 to 16, more goes to the wrong function */
    MEMBER_MORE = 64 /* head, block of the first bytes, tail */
};

static void *codec_create (void)
{
    return isal_load () < 0 ? NULL : xmalloc (sizeof (struct packer));
}

static void codec_destroy (void *codec)
{
    free (codec);
}

/* Blocks that are stored have 5 bytes for each 64 KiB; more is never used. */
static size_t bound (void *codec, size_t n)
{
    return n + n / 8 + MEMBER_MORE;
}

/* 0, or -1 when not all of it was taken. */
static int isal_put (struct packer *i, size_t n, int last)
{
    i->z.avail_in = (uint32_t)n;
    i->z.end_of_stream = (uint16_t)last;
    i->z.flush = last ? NO_FLUSH : SYNC_FLUSH;
    return isal.deflate (&i->z) == COMP_OK && i->z.avail_in == 0 ? 0 : -1;
}

static size_t gzpack_pack (
    void *codec, const void *in, size_t n, unsigned char *out, size_t room)
{
    struct packer *i = codec;
    size_t begin = n > BEGIN ? BEGIN : 0;

    isal.deflate_init (&i->z);
    i->z.level = LEVEL;
    i->z.level_buf = i->level;
    i->z.level_buf_size = sizeof (i->level);
    i->z.gzip_flag = IGZIP_GZIP;
    i->z.next_in = (uint8_t *)(uintptr_t)in; /* which it does not change */
    i->z.next_out = out;
    i->z.avail_out = room > UINT32_MAX ? UINT32_MAX : (uint32_t)room;
    if ((begin && isal_put (i, begin, 0) < 0) ||
        isal_put (i, n - begin, 1) < 0 ||
        i->z.internal_state.state != ZSTATE_END)
        return 0;
    return i->z.total_out;
}

#elif defined HAVE_LIBDEFLATE

#include <libdeflate.h>

enum { LEVEL = 1 };

static void *codec_create (void)
{
    return xalloc_checked (libdeflate_alloc_compressor (LEVEL));
}

static void codec_destroy (void *codec)
{
    libdeflate_free_compressor (codec);
}

static size_t bound (void *codec, size_t n)
{
    return libdeflate_gzip_compress_bound (codec, n);
}

static size_t gzpack_pack (
    void *codec, const void *in, size_t n, unsigned char *out, size_t room)
{
    return libdeflate_gzip_compress (codec, in, n, out, room);
}

#else

#include <zlib.h>

enum {
    LEVEL = 1,     /* of half the time of 3, and 15 % larger */
    GZIP = 15 + 16 /* window bits: largest, with a gzip head */
};

static void *codec_create (void)
{
    z_stream *z = ZEROED (z, 1);

    if (deflateInit2 (z, LEVEL, Z_DEFLATED, GZIP, 9, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        xalloc_die ();
    return z;
}

static void codec_destroy (void *codec)
{
    deflateEnd (codec);
    free (codec);
}

static size_t bound (void *codec, size_t n)
{
    return deflateBound (codec, n);
}

static size_t gzpack_pack (
    void *codec, const void *in, size_t n, unsigned char *out, size_t room)
{
    z_stream *z = codec;

    deflateReset (z);
    z->next_in = (unsigned char *)(uintptr_t)in;
    z->avail_in = (uInt)n;
    z->next_out = out;
    z->avail_out = room > UINT_MAX ? UINT_MAX : (uInt)room;
    return deflate (z, Z_FINISH) == Z_STREAM_END ? room - z->avail_out : 0;
}

#endif

/* ---- gzip members of whole lines -> a file, and an index of them ---- */

int gzblock_open (struct gzblock *g, FILE *out, FILE *index)
{
    *g = (struct gzblock){.out = out, .index = index, .first_line = 1};
    return fputs ("# dftrace-gzblock 1: packed offset, packed bytes, plain "
                  "offset, plain bytes, first line, lines, first us, last "
                  "us\n",
                  index) < 0
               ? -1
               : 0;
}

int gzblock_put (struct gzblock *g, const struct gzmember *m)
{
    if (fwrite (m->packed, m->bytes, 1, g->out) != 1 ||
        fprintf (g->index,
                 "%" PRIu64 "\t%zu\t%" PRIu64 "\t%zu\t%" PRIu64 "\t%" PRIu64
                 "\t%" PRIu64 "\t%" PRIu64 "\n",
                 g->packed_offset, m->bytes, g->plain_offset, m->plain,
                 g->first_line, m->lines, m->first_time, m->last_time) < 0)
        return -1;
    g->packed_offset += m->bytes;
    g->plain_offset += m->plain;
    g->first_line += m->lines;
    return 0;
}
