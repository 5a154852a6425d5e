/* SPDX-License-Identifier: MIT
 *
 * filespace.h - room in a file, mapped or to be written (private to the
 * recorder)
 *
 * All are async-signal-safe. 0 or a pointer; -1 or NULL with errno.
 */
#ifndef DFT_CORE_FILESPACE_H
#define DFT_CORE_FILESPACE_H

#include <stddef.h>
#include <stdint.h>

/* Whether a file may have end bytes: by max (0: any number) and by the
 * process's limit, beyond which the kernel answers with a signal. */
int filespace_allowed (uint64_t end, uint64_t max);

/* A store to space that the file system has promised succeeds, also after the
 * page was written back: elsewhere (copy on write, network) it may end the
 * process. Only there may more be stored than events need. Of the file that
 * this process writes to. */
extern int filespace_kept;
void filespace_look (int fd);
int filespace_keeps (int fd);             /* that of any file or directory */
int filespace_keeps_type (unsigned type); /* of statfs */

/* The space from offset on is promised. */
int filespace_promise (int fd, uint64_t offset, size_t size);

/* Map size bytes of the file at offset, with their space promised; memory
 * instead (*mapped becomes 0) where the file system has no promises to give: at
 * offset 0 such that children of fork have it, too. */
void *
filespace_map (int fd, uint64_t offset, size_t size, uint64_t max, int *mapped);

/* Write all n bytes. */
int filespace_write (int fd, const void *data, size_t n, uint64_t offset);

#endif
