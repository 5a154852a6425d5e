/* SPDX-License-Identifier: MIT
 *
 * mergeprofile.h - blocks of profiles of a job -> blocks of a merged trace
 */
#ifndef DFT_ANALYZE_MERGEPROFILE_H
#define DFT_ANALYZE_MERGEPROFILE_H

#include "analyze/trace/mergepiece.h"

/* Who writes a block of a process. 0, or -1 with errno. */
typedef int (*mergeprofile_f) (void *cookie,
                               size_t proc,
                               const struct merge_piece *p);

/* All blocks, by process, in the order of the file; *bad counts those that
 * cannot be read, which are left out. 0, or -1 with errno. */
int mergeprofile (const struct parts *parts,
                  mergeprofile_f put,
                  void *cookie,
                  uint64_t *bad);

#endif
