/* SPDX-License-Identifier: MIT
 *
 * binreader.h - bytes of the .bin, through a mapping or by read ()
 *
 * direct does what CPython does for every part of a document: open, fstat,
 * lseek, read, close. mmap maps once and makes no call afterwards. mock has no
 * .bin at all: nobody comes here.
 */
#ifndef MINIGPT_BINREADER_H
#define MINIGPT_BINREADER_H

#include <stddef.h>
#include <stdint.h>

#include "etc/examples/minigpt/failure.h"

enum access_mode { ACCESS_MMAP = 0, ACCESS_DIRECT, ACCESS_MOCK };

struct binreader {
    const char *path; /* the caller's */
    enum access_mode access;
    uint64_t bytes;           /* of the file */
    const unsigned char *map; /* ACCESS_MMAP */
};

int binreader_open (struct binreader *b,
                    const char *path,
                    enum access_mode access,
                    struct failure *f);
void binreader_close (struct binreader *b); /* a zeroed one is fine */

/* The bytes at offset: a view of the mapping, or buf after they were read
 * into it. NULL with f on failure. The range must lie inside the file. */
const unsigned char *binreader_read (const struct binreader *b,
                                     uint64_t offset,
                                     size_t bytes,
                                     unsigned char *buf,
                                     struct failure *f);

#endif
