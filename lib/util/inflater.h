/* SPDX-License-Identifier: MIT
 *
 * inflater.h - a gzip member -> its plain bytes, by the fastest library that
 *              configure found
 */
#ifndef DFT_ANALYZE_INFLATER_H
#define DFT_ANALYZE_INFLATER_H

#include <stddef.h>

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
