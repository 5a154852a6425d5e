/* SPDX-License-Identifier: MIT
 *
 * filemove.h - a file to another directory, on whatever file system
 */
#ifndef DFT_EPILOG_FILEMOVE_H
#define DFT_EPILOG_FILEMOVE_H

/* A copy is on disk up to so many bytes before its end. */
enum { FILEMOVE_SYNC_BYTES = 64 * 1024 * 1024 };

/* rename, or copy under a temporary name, fsync, rename, unlink. Regular
 * files only, links are not followed. A copy that was killed goes on where it
 * was sure to be on disk. 0, or -1 with errno and the file where it was. */
int filemove (const char *from, const char *to, const char *name);

/* Count in *synced each FILEMOVE_SYNC_BYTES that a copy has put on disk. NULL:
 * no more. */
void filemove_count (unsigned *synced);

#endif
