/* SPDX-License-Identifier: MIT
 *
 * gzin.h - a file, plain or gzip -> its plain bytes, as many as there are
 */
#ifndef DFT_UTIL_GZIN_H
#define DFT_UTIL_GZIN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* Read fd from where it is; it stays the caller's. NULL: ENOMEM. */
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

struct inflater *inflater_create (void);    /* NULL: ENOMEM */
void inflater_destroy (struct inflater *z); /* NULL is fine */
void inflater_reset (struct inflater *z);   /* before each member */
enum inflater_result inflater_run (struct inflater *z, struct inflater_io *io);

#endif
