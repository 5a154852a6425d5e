/* SPDX-License-Identifier: MIT
 *
 * filemove.h - a file to another directory, on whatever file system
 */
#ifndef DFT_EPILOG_FILEMOVE_H
#define DFT_EPILOG_FILEMOVE_H

/* rename, or copy under a temporary name, fsync, rename, unlink. Regular
 * files only, links are not followed. 0, or -1 with errno and the file where
 * it was. */
int filemove (const char *from, const char *to, const char *name);

#endif
