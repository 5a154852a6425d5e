/* SPDX-License-Identifier: MIT
 *
 * gzin.h - a file, plain or gzip -> its plain bytes, as many as there are
 */
#ifndef DFT_ANALYZE_GZIN_H
#define DFT_ANALYZE_GZIN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gzin;

/* What could not be inflated. */
struct gzin_account {
    uint64_t packed;      /* bytes read from the file */
    uint64_t packed_lost; /* of these: stepped over */
    uint64_t members_bad; /* gzip members with an error in them */
    int cut;              /* the file ends inside a member */
    int gzip;             /* it is gzip at all */
};

/* Where a member begins: bytes of the file, plain bytes, that were read before
 * it. */
struct gzin_member {
    uint64_t packed, plain;
};

/* Read fd from where it is; it stays the caller's. NULL: ENOMEM. */
struct gzin *gzin_create (int fd);
void gzin_destroy (struct gzin *g); /* NULL is fine */

/* Up to n (> 0) plain bytes: their number, 0 at the end, or -1: the file
 * cannot be read (errno). Damage is no error: what can be inflated before it
 * is given, then a newline, then the next whole member. */
ssize_t gzin_read (struct gzin *g, char *buf, size_t n);

const struct gzin_account *gzin_account (const struct gzin *g);

/* All members so far, of a file without damage; valid until more is read. */
const struct gzin_member *gzin_members (const struct gzin *g, size_t *n);

#endif
