/* SPDX-License-Identifier: MIT
 *
 * shardpath.h - where this process's shard is (private to the recorder)
 */
#ifndef DFT_CORE_SHARDPATH_H
#define DFT_CORE_SHARDPATH_H

#include <stddef.h>

#include "preload/record/shardfile.h"

/* Modes: of directories that are made, of the file. */
enum { SHARDPATH_DIR = 0700, SHARDPATH_FILE = 0600 };

/* DIR/shards/HOST-0-KEY.dft, the same for all processes of a node: KEY says
 * which directory it was made in, as shards of several may come into one, and
 * the number of the file. And a name that nobody else uses, to make it under.
 * 0, or -1 as below. */
int shardpath_shared (char *path,
                      size_t size,
                      const char *dir,
                      const char *host,
                      uint32_t number);
int shardpath_temporary (char *path,
                         size_t size,
                         const char *dir,
                         const char *host);

/* DIR/shards, in memory that stays; "" when it is too long or DIR is not
 * absolute. And what follows the last slash of a path. */
const char *shardpath_place (const char *dir);
const char *shardpath_base (const char *path);

/* Write DIR/shards/HOST-PID-TIME.dft to path (size bytes). 0, or -1
 * (ENAMETOOLONG: too long, or DIR is not absolute). */
int shardpath_make (char *path,
                    size_t size,
                    const char *dir,
                    const char *host,
                    const struct shardfile_start *start);

#endif
