/* SPDX-License-Identifier: MIT
 *
 * npy.h - array of 32-bit numbers <-> numpy's .npy file, version 1.0
 */
#ifndef MINIGPT_NPY_H
#define MINIGPT_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "etc/examples/minigpt/failure.h"

/* A file mapped read-only; columns is 1 for a one-dimensional array. */
struct npy {
    const uint32_t *item;
    uint64_t rows, columns;
    void *map;
    size_t bytes;
};

/* Write under a temporary name, fsync, rename. sign is 'i' or 'u'. */
int npy_save (const char *path,
              const uint32_t *item,
              uint64_t rows,
              uint64_t columns,
              char sign,
              struct failure *f);

/* 0; -1 with errno (ENOENT: not there yet) and f. */
int npy_load (struct npy *a, const char *path, struct failure *f);
void npy_close (struct npy *a); /* a zeroed one is fine */

#endif
