/* SPDX-License-Identifier: MIT
 *
 * shardpath.h - where this process's shard is (private to the recorder)
 */
#ifndef DFT_CORE_SHARDPATH_H
#define DFT_CORE_SHARDPATH_H

#include <stddef.h>

#include "lib/core/record/shardfile.h"

/* Modes: of directories that are made, of the file. */
enum { SHARDPATH_DIR = 0700, SHARDPATH_FILE = 0600 };

/* Write DIR/shards/HOST-PID-TIME.dft to path (size bytes) and make the
 * directories if need be; whether they are there shows when the file is made.
 * 0, or -1 (ENAMETOOLONG: too long, or DIR is not absolute). */
int shardpath_make (char *path,
                    size_t size,
                    const char *dir,
                    const char *host,
                    const struct shardfile_start *start);

#endif
