/* SPDX-License-Identifier: MIT
 *
 * idxfile.h - PREFIX.idx: where in PREFIX.bin each document is
 *
 *   offset  bytes
 *        0      9  "MMIDIDX" NUL NUL
 *        9      8  version, 1
 *       17      1  type of a token: 4 int32, 8 uint16
 *       18      8  S, number of sequences
 *       26      8  D, number of document indices (documents + 1)
 *       34    4*S  int32 tokens of each sequence
 *           + 8*S  int64 where each begins in the .bin, in bytes
 *           + 8*D  int64 first sequence of each document
 *
 * All little-endian, as Megatron writes it.
 */
#ifndef MINIGPT_IDXFILE_H
#define MINIGPT_IDXFILE_H

#include <stddef.h>
#include <stdint.h>

#include "etc/examples/minigpt/failure.h"

enum { IDX_INT32 = 4, IDX_UINT16 = 8 };

struct idxfile {
    const unsigned char *map; /* of the whole file, shared */
    size_t bytes;
    int type;
    uint64_t sequences, documents; /* documents: of the array, one more */
    uint64_t tokens;               /* of all sequences */
};

/* Map and check PREFIX.idx; every length and pointer must lie inside the
 * PREFIX.bin of bin_bytes. 0, or -1 with f. */
int idxfile_open (struct idxfile *x,
                  const char *path,
                  uint64_t bin_bytes,
                  struct failure *f);
void idxfile_close (struct idxfile *x); /* a zeroed one is fine */

/* Bytes of a token. */
int idxfile_width (const struct idxfile *x);
int32_t idxfile_length (const struct idxfile *x, uint64_t sequence);
int64_t idxfile_pointer (const struct idxfile *x, uint64_t sequence);

/* Write an index of n uint16 sequences, one document each, to fd. */
int idxfile_write (int fd,
                   const int32_t *length,
                   uint64_t n,
                   struct failure *f);

#endif
