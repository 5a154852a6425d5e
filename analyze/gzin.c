/* SPDX-License-Identifier: MIT
 *
 * gzin.c - a file, plain or gzip -> its plain bytes, as many as there are
 *
 * In:  .pfw and .pfw.gz: one member or many, whole, cut or damaged
 * Out: bytes, to pfwread.c
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "analyze/gzin.h"

enum {
    INPUT_BYTES = 1 << 18,
    MAGIC_BYTES = 4,       /* 1f 8b 08 and flags */
    FLAGS_KNOWN = 0x1f,    /* of a gzip member */
    WINDOW_GZIP = 15 + 16, /* largest window, gzip heads only */
};

enum state { START, PLAIN, INSIDE, BETWEEN, SEEKING, END };

struct gzin {
    int fd, file_end;
    enum state state;
    z_stream z;
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
    if (inflateInit2 (&g->z, WINDOW_GZIP) != Z_OK) {
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
    (void)inflateEnd (&g->z);
    free (g);
    errno = saved;
}

const struct gzin_account *gzin_account (const struct gzin *g)
{
    return &g->account;
}

/* --- input ------------------------------------------------------------ */

/* Have `want` bytes of input at hand, or all there are. -1: errno. */
static int fill (struct gzin *g, size_t want)
{
    if (g->z.avail_in >= want || g->file_end)
        return 0;
    if (g->z.avail_in)
        memmove (g->input, g->z.next_in, g->z.avail_in);
    g->z.next_in = g->input;
    while (g->z.avail_in < want && !g->file_end) {
        ssize_t got = read (g->fd, g->input + g->z.avail_in,
                            sizeof (g->input) - g->z.avail_in);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        g->file_end = got == 0;
        g->z.avail_in += (unsigned)got;
        g->account.packed += (uint64_t)got;
    }
    return 0;
}

static int at_member (const struct gzin *g)
{
    const unsigned char *p = g->z.next_in;

    return g->z.avail_in >= MAGIC_BYTES && p[0] == 0x1f && p[1] == 0x8b &&
           p[2] == Z_DEFLATED && p[3] <= FLAGS_KNOWN;
}

static void skip (struct gzin *g, size_t n)
{
    g->z.next_in += n;
    g->z.avail_in -= (unsigned)n;
}

/* --- states ----------------------------------------------------------- */

static int start (struct gzin *g)
{
    if (fill (g, MAGIC_BYTES) < 0)
        return -1;
    g->account.gzip = at_member (g);
    g->state = g->account.gzip ? INSIDE : PLAIN;
    return 0;
}

/* After a member: the next one, zeros that fill a block, or neither. */
static int between (struct gzin *g)
{
    do {
        if (fill (g, MAGIC_BYTES) < 0)
            return -1;
        while (g->z.avail_in && *g->z.next_in == 0)
            skip (g, 1);
    } while (g->z.avail_in < MAGIC_BYTES && !g->file_end);
    if (!g->z.avail_in) {
        g->state = END;
        return 0;
    }
    g->state = SEEKING;
    if (at_member (g)) {
        (void)inflateReset (&g->z);
        g->state = INSIDE;
    }
    return 0;
}

static int seek (struct gzin *g)
{
    if (fill (g, MAGIC_BYTES) < 0)
        return -1;
    while (g->z.avail_in >= MAGIC_BYTES && !at_member (g)) {
        skip (g, 1);
        g->account.packed_lost++;
    }
    if (at_member (g)) {
        (void)inflateReset (&g->z);
        g->state = INSIDE;
    } else if (g->file_end) {
        g->account.packed_lost += g->z.avail_in;
        g->state = END;
    }
    return 0;
}

static size_t plain (struct gzin *g, char *buf, size_t n)
{
    if (n > g->z.avail_in)
        n = g->z.avail_in;
    if (n)
        memcpy (buf, g->z.next_in, n);
    skip (g, n);
    if (!g->z.avail_in && g->file_end)
        g->state = END;
    return n;
}

/* Bytes of the member at hand; a newline where it breaks off. */
static size_t inside (struct gzin *g, char *buf, size_t n)
{
    size_t got;
    int rc;

    g->z.next_out = (unsigned char *)buf;
    g->z.avail_out = (unsigned)(n < UINT32_MAX ? n : UINT32_MAX);
    rc = inflate (&g->z, Z_NO_FLUSH);
    got = (size_t)((char *)g->z.next_out - buf);
    if (rc == Z_STREAM_END)
        g->state = BETWEEN;
    else if (rc == Z_BUF_ERROR || rc == Z_OK) {
        if (got || g->z.avail_in || !g->file_end)
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
            rc = start (g);
            break;
        case PLAIN:
            if ((rc = fill (g, 1)) == 0)
                got = plain (g, buf, n);
            break;
        case INSIDE:
            if ((rc = fill (g, 1)) == 0)
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
