/* SPDX-License-Identifier: MIT
 *
 * gz.h - text that grows: bytes and whole numbers, fast
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* -- text that grows: bytes and whole numbers, fast -- */

/* All zero is empty. */
struct outbuf {
    char *p; /* owned */
    size_t n, room;
};

enum { OUTBUF_NUMBER = 20 }; /* bytes of the longest number */

/* Have room for n more bytes. */
void outbuf_grow (struct outbuf *b, size_t n);
void outbuf_clear (struct outbuf *b);

/* JSON's escapes of any bytes; a double, or null. */
void outbuf_escaped (struct outbuf *b, const char *text, size_t n);
void outbuf_double (struct outbuf *b, double d);

static inline void outbuf_need (struct outbuf *b, size_t n)
{
    if (b->room - b->n < n)
        outbuf_grow (b, n);
}

static inline void outbuf_put (struct outbuf *b, const char *text, size_t n)
{
    outbuf_need (b, n);
    if (n) {
        memcpy (b->p + b->n, text, n);
        b->n += n;
    }
}

/* A literal. */
#define OUTBUF_PUT(B, TEXT) outbuf_put (B, TEXT, sizeof (TEXT) - 1)

void outbuf_u64 (struct outbuf *b, uint64_t value);
void outbuf_i64 (struct outbuf *b, int64_t value);

/* -- a file, plain or gzip -> its plain bytes, as many as there are -- */

struct gzin;

/* Bytes read, and those that could not be inflated. */
struct gzin_account {
    uint64_t packed;      /* bytes read from the file */
    uint64_t packed_lost; /* of these: stepped over */
    uint64_t members_bad; /* gzip members with an error in them */
    int cut;              /* the file ends inside a member */
    int gzip;             /* it is gzip at all */
};

/* Read fd from where it is; it stays the caller's. NULL and errno: the library
 * that inflates cannot be loaded. */
struct gzin *gzin_create (int fd);
void gzin_destroy (struct gzin *g); /* NULL is fine */

/* Up to n (> 0) plain bytes: their number, 0 at the end, or -1: the file
 * cannot be read (errno). Damage is no error: what can be inflated before it
 * is given, then a newline, then the next whole member. */
ssize_t gzin_read (struct gzin *g, char *buf, size_t n);

const struct gzin_account *gzin_account (const struct gzin *g);

/* -- a gzip member -> its plain bytes, by the fastest library that configure
 * found -- */

struct inflater;

/* in may go back by up to 8 bytes of the calls before: keep them there. */
struct inflater_io {
    const unsigned char *in;
    unsigned char *out;
    size_t in_left, out_left;
};

enum inflater_result {
    INFLATER_MORE = 0, /* give more input, or room */
    INFLATER_END,      /* of the member; io->in is behind it */
    INFLATER_BAD       /* damaged, or its checksum is wrong */
};

struct inflater *inflater_create (void);    /* NULL: as gzin_create () */
void inflater_destroy (struct inflater *z); /* NULL is fine */
void inflater_reset (struct inflater *z);   /* before each member */
enum inflater_result inflater_run (struct inflater *z, struct inflater_io *io);

/* -- bytes -> one gzip member, by the fastest library that configure found --
 */

struct gzpack;

struct gzpack *gzpack_create (void);    /* NULL: as gzin_create () */
void gzpack_destroy (struct gzpack *z); /* NULL is fine */

/* The member of n bytes, in memory of z until the next call; its length in
 * *packed. The same bytes give the same member. NULL: more than 2 GiB, or the
 * library failed. */
const void *
gzpack_member (struct gzpack *z, const void *plain, size_t n, size_t *packed);

/* -- gzip members of whole lines -> a file, and an index of them -- */

struct gzblock {
    FILE *out, *index; /* the caller's */
    uint64_t packed_offset, plain_offset, first_line;
};

struct gzmember {
    const void *packed;
    size_t bytes, plain; /* of packed; what it inflates to */
    uint64_t lines;
    uint64_t first_time, last_time; /* us; 0 none of its lines has one */
};

/* Members go to out, a line for each to index: compressed offset and size,
 * plain offset and size, number of its first line (from 1), lines, and the
 * smallest and largest time. 0, or -1 with errno. */
int gzblock_open (struct gzblock *g, FILE *out, FILE *index);
int gzblock_put (struct gzblock *g, const struct gzmember *m);
