/* SPDX-License-Identifier: MIT
 *
 * inflater.c - a gzip member -> its plain bytes: ISA-L, else zlib
 *
 * In:  packed bytes, from gzin.c
 * Out: plain bytes, as many as are good
 */
#include "config.h"

#include "lib/util/inflater.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
