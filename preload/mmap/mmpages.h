/* SPDX-License-Identifier: MIT
 *
 * mmpages.h - a range of addresses -> its pages that are there
 *
 * Asks the kernel; touches no page of the program.
 */
#ifndef DFT_PRELOAD_MMPAGES_H
#define DFT_PRELOAD_MMPAGES_H

#include <stddef.h>
#include <stdint.h>

#include "preload/record/usage.h"

/* Reserve buffers. 0 or -1. */
int mmpages_start (void);

/* The pagemap of the process, to be closed by the caller; -1. */
int mmpages_open (void);

/* Bytes of [start, end) in this process's page table. -1: cannot be known.
 * *source gets how (MM_PAGEMAP_SCAN or MM_PAGEMAP). */
int64_t
mmpages_present (int fd, uint64_t start, uint64_t end, unsigned *source);

/* Bytes in the node's page cache. True only of files that the user owns. */
int64_t mmpages_cached (uint64_t start, uint64_t end);
/* The same of a file, without a look at each page; 0 length: to its end. */
int64_t mmpages_of_file (int fd, uint64_t offset, uint64_t length);
int64_t mmpages_cached_now (uint64_t start, uint64_t end); /* any thread */

#endif
