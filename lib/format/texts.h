/* SPDX-License-Identifier: MIT
 *
 * texts.h - memory for texts that are put together while a chunk is read
 *
 * For the tools. What was given out stays where it is until texts_reset.
 */
#ifndef DFT_CORE_TEXTS_H
#define DFT_CORE_TEXTS_H

#include <stddef.h>

struct texts_block;

/* Zero it before first use. Not shared by threads. */
struct texts {
    struct texts_block *first, *now;
    size_t used; /* bytes of now */
};

/* n bytes, at most TEXTS_MAX, or NULL (ENOMEM, EINVAL). */
enum { TEXTS_MAX = 1 << 16 };
char *texts_room (struct texts *t, size_t n);

/* Begin anew in the same memory. */
void texts_reset (struct texts *t);

void texts_free (struct texts *t);

#endif
