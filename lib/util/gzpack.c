/* SPDX-License-Identifier: MIT
 *
 * gzpack.c - bytes -> one gzip member: ISA-L, else libdeflate, else zlib
 *
 * In:  lines, from pfw.c
 * Out: members and their index, to a file
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/gzpack.h"

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
    struct gzpack *z = calloc (1, sizeof (*z));

    if (z && !(z->codec = codec_create ())) {
        free (z);
        errno = ENOMEM;
        return NULL;
    }
    return z;
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
    unsigned char *out;

    errno = ENOMEM;
    if (n > INT_MAX) /* more than the libraries count */
        return NULL;
    if (want > z->room) {
        if (!(out = realloc (z->out, want)))
            return NULL;
        z->out = out;
        z->room = want;
    }
    *packed = gzpack_pack (z->codec, plain, n, z->out, z->room);
    return *packed ? z->out : NULL;
}

#if defined HAVE_ISAL

#include <isa-l/igzip_lib.h>

struct isal {
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
    return malloc (sizeof (struct isal));
}

static void codec_destroy (void *codec)
{
    free (codec);
}

/* Blocks that are stored have 5 bytes for each 64 KiB; more is never used. */
static size_t bound (void *codec, size_t n)
{
    (void)codec;
    return n + n / 8 + MEMBER_MORE;
}

/* 0, or -1 when not all of it was taken. */
static int isal_put (struct isal *i, size_t n, int last)
{
    i->z.avail_in = (uint32_t)n;
    i->z.end_of_stream = (uint16_t)last;
    i->z.flush = last ? NO_FLUSH : SYNC_FLUSH;
    return isal_deflate (&i->z) == COMP_OK && i->z.avail_in == 0 ? 0 : -1;
}

static size_t gzpack_pack (
    void *codec, const void *in, size_t n, unsigned char *out, size_t room)
{
    struct isal *i = codec;
    size_t begin = n > BEGIN ? BEGIN : 0;

    isal_deflate_init (&i->z);
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
    return libdeflate_alloc_compressor (LEVEL);
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
    z_stream *z = calloc (1, sizeof (*z));

    if (z && deflateInit2 (z, LEVEL, Z_DEFLATED, GZIP, 9, Z_DEFAULT_STRATEGY) !=
                 Z_OK) {
        free (z);
        return NULL;
    }
    return z;
}

static void codec_destroy (void *codec)
{
    (void)deflateEnd (codec);
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

    (void)deflateReset (z);
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
