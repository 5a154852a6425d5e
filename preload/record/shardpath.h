/* SPDX-License-Identifier: MIT
 *
 * shardpath.h - where this process's shard is (private to the recorder)
 */
#pragma once

#include <sys/stat.h>

#include "lib/settings/settings.h"
#include "preload/record/shardfile.h"

/* -- where this process's shard is (private to the recorder) -- */

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

/* -- JOBDIR/shards -> a descriptor that nobody can swap -- */

/* Missing directories may be made (1, as it is without that), or not: whoever
 * started us has made them, so that where they are missing we are in a
 * container, and what we made would go with it. */
void shardplace_start (int may_make);

/* Return the directory for shards: that of the job, or the staging directory.
 */
const char *shardplace_dir (const struct settings *s);

/* Work in that directory, called with its descriptor dir (O_PATH), which is
 * closed afterwards. Return 0, or -1 with errno. */
typedef int (*shardplace_f) (int dir, const struct stat *place, void *cookie);

/* Call step in the directory of an absolute path and return its result, with
 * its errno. make: where it is missing it is made, and all above it; links on
 * the way are followed then where root or the user made them and nobody else
 * could. -1 and errno: ENOENT, or EPERM where nobody can trust it. */
int shardplace_step (const char *path,
                     int make,
                     shardplace_f step,
                     void *cookie);

/* Whether a file that this process has made there shows that the directory is
 * to be trusted: it is our own or root's, or the file system gives what we
 * make to its owner (root on a file system that squashes root). */
int shardplace_holds (const struct stat *place, const struct stat *file);

/* That of a file that was made there now; and its mode, whatever the umask is.
 * 0, or -1 and errno. */
int shardplace_file (const struct stat *place, int fd, struct stat *file);
