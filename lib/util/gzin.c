/* SPDX-License-Identifier: MIT
 *
 * gzin.c - a file, plain or gzip -> its plain bytes, as many as there are
 *
 * In:  .pfw and .pfw.gz: one member or many, whole, cut or damaged
 * Out: bytes, to pfwread.c
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/gzin.h"

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
    struct gzin *g = malloc (sizeof (*g));

    if (!g)
        return NULL;
    memset (g, 0, offsetof (struct gzin, input));
    g->fd = fd;
    if (!(g->z = inflater_create ())) {
        free (g);
        errno = ENOMEM;
        return NULL;
    }
    return g;
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
    size_t taken = g->io.in ? (size_t)(g->io.in - g->input) : 0;
    size_t tail = taken < UNREAD_MAX ? taken : UNREAD_MAX;

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
        g->io.in_left += (size_t)got;
        g->account.packed += (uint64_t)got;
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

struct inflater {
    struct inflate_state z;
};

struct inflater *inflater_create (void)
{
    struct inflater *z = malloc (sizeof (*z));

    if (z)
        isal_inflate_init (&z->z);
    return z;
}

void inflater_destroy (struct inflater *z)
{
    free (z);
}

void inflater_reset (struct inflater *z)
{
    isal_inflate_reset (&z->z);
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
    rc = isal_inflate (&z->z);
    taken = bytes_taken (in, z->z.avail_in);
    io->in += taken;
    io->in_left -= (size_t)taken;
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
    struct inflater *z = calloc (1, sizeof (*z));

    if (z && inflateInit2 (&z->z, WINDOW_GZIP) != Z_OK) {
        free (z);
        errno = ENOMEM;
        return NULL;
    }
    return z;
}

void inflater_destroy (struct inflater *z)
{
    if (!z)
        return;
    (void)inflateEnd (&z->z);
    free (z);
}

void inflater_reset (struct inflater *z)
{
    (void)inflateReset (&z->z);
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
