/* SPDX-License-Identifier: MIT
 *
 * shardplace.h - JOBDIR/shards -> a descriptor that nobody can swap
 *
 * Files are made and opened relative to it. Another user who can put a link
 * above the job directory must not lead us to a place of his own: the
 * directory belongs to us or to root, and who else may write there cannot
 * remove what is ours. Async-signal-safe, no state.
 */
#ifndef DFT_CORE_SHARDPLACE_H
#define DFT_CORE_SHARDPLACE_H

#include <stddef.h>
#include <sys/stat.h>

#include "lib/settings/settings.h"

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

#endif
