/* SPDX-License-Identifier: MIT
 *
 * tbufmem.h - the pages that buffers of threads lie in
 *
 * Private to tbuf.c. The kernel wipes them in a child with a copy of our
 * memory, where it can.
 */
#ifndef DFT_CORE_TBUFMEM_H
#define DFT_CORE_TBUFMEM_H

#include "preload/record/recorder.h"
#include "lib/format/shard.h"

/* Bytes of a buffer. The first one shares its page with struct
 * recorder_wiped. */
enum { TBUFMEM_BYTES = SHARD_ALIGN - sizeof (struct recorder_wiped) };

struct tbuf;

/* TBUFMEM_BYTES zeros, or NULL. *wiped: they are in a child. Thread safe. */
struct tbuf *tbufmem_take (int *wiped);
void tbufmem_free (struct tbuf *t);

/* madvise, for all that is wiped with it. */
void tbufmem_advise (struct tbuf *t, int advice);

/* In a child of fork, of the thread that has t: the others' have no owner. */
void tbufmem_forked (const struct tbuf *t);

#endif
