/* SPDX-License-Identifier: MIT
 *
 * gzpack.h - bytes -> one gzip member, by the fastest library that configure
 *            found
 */
#ifndef DFT_ANALYZE_GZPACK_H
#define DFT_ANALYZE_GZPACK_H

#include <stddef.h>

struct gzpack;

struct gzpack *gzpack_create (void);    /* NULL: ENOMEM */
void gzpack_destroy (struct gzpack *z); /* NULL is fine */

/* The member of n bytes, in memory of z until the next call; its length in
 * *packed. The same bytes give the same member. NULL: ENOMEM. */
const void *
gzpack_member (struct gzpack *z, const void *plain, size_t n, size_t *packed);

#endif
