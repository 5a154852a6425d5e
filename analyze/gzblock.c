/* SPDX-License-Identifier: MIT
 *
 * gzblock.c - lines -> gzip members of whole lines, and an index of them
 *
 * In:  JSON lines, from pfw.c
 * Out: combined.pfw.gz and combined.pfw.gz.idx
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

#include "analyze/gzblock.h"

enum {
    MEMBER_BYTES = 1 << 20, /* plain; a member ends with the line after it */
    LEVEL = 3,              /* three times as fast as 6, 10 % larger */
    GZIP = 15 + 16          /* window bits: largest, with a gzip head */
};

struct gzblock {
    FILE *out, *index, *member;
    char *text; /* of member */
    size_t bytes;
    uint64_t packed_offset, plain_offset; /* of this member */
    uint64_t first_line, lines;
    uint64_t first_time, last_time;
};

static int open_member (struct gzblock *g)
{
    g->lines = g->first_time = g->last_time = 0;
    g->member = open_memstream (&g->text, &g->bytes);
    return g->member ? 0 : -1;
}

struct gzblock *gzblock_create (FILE *out, FILE *index)
{
    struct gzblock *g = calloc (1, sizeof (*g));

    if (!g)
        return NULL;
    g->out = out;
    g->index = index;
    g->first_line = 1;
    if (open_member (g) < 0) {
        free (g);
        return NULL;
    }
    if (fputs ("# dftrace-gzblock 1: packed offset, packed bytes, plain "
               "offset, plain bytes, first line, lines, first us, last us\n",
               index) < 0) {
        (void)gzblock_destroy (g);
        return NULL;
    }
    return g;
}

FILE *gzblock_stream (struct gzblock *g)
{
    return g->member;
}

static unsigned char *pack (const char *text, size_t n, size_t *packed)
{
    z_stream z = {0};
    unsigned char *buf;
    size_t room;

    errno = ENOMEM;
    if (deflateInit2 (&z, LEVEL, Z_DEFLATED, GZIP, 9, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return NULL;
    room = deflateBound (&z, n);
    if ((buf = malloc (room))) {
        z.next_in = (unsigned char *)text;
        z.avail_in = (uInt)n;
        z.next_out = buf;
        z.avail_out = (uInt)room;
        (void)deflate (&z, Z_FINISH); /* the bound is large enough */
        *packed = room - z.avail_out;
    }
    (void)deflateEnd (&z);
    return buf;
}

static int write_member (struct gzblock *g)
{
    size_t packed = 0;
    unsigned char *buf = pack (g->text, g->bytes, &packed);
    int rc = -1;

    if (buf && fwrite (buf, packed, 1, g->out) == 1 &&
        fprintf (g->index,
                 "%" PRIu64 "\t%zu\t%" PRIu64 "\t%zu\t%" PRIu64 "\t%" PRIu64
                 "\t%" PRIu64 "\t%" PRIu64 "\n",
                 g->packed_offset, packed, g->plain_offset, g->bytes,
                 g->first_line, g->lines, g->first_time, g->last_time) > 0)
        rc = 0;
    free (buf);
    g->packed_offset += packed;
    g->plain_offset += g->bytes;
    g->first_line += g->lines;
    return rc;
}

static int close_member (struct gzblock *g)
{
    int rc = fclose (g->member) == 0 ? 0 : -1;

    g->member = NULL;
    if (rc == 0 && g->lines)
        rc = write_member (g);
    free (g->text);
    g->text = NULL;
    return rc;
}

int gzblock_line (struct gzblock *g, uint64_t time)
{
    g->lines++;
    if (time && (!g->first_time || time < g->first_time))
        g->first_time = time;
    if (time > g->last_time)
        g->last_time = time;
    if (ftell (g->member) < MEMBER_BYTES)
        return 0;
    return close_member (g) < 0 ? -1 : open_member (g);
}

int gzblock_destroy (struct gzblock *g)
{
    int rc = g->member ? close_member (g) : -1;

    free (g);
    return rc;
}
