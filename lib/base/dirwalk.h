/* SPDX-License-Identifier: MIT
 *
 * dirwalk.h - an absolute path -> its directory, made where it is missing
 */
#ifndef DFT_CORE_DIRWALK_H
#define DFT_CORE_DIRWALK_H

/* Open the parent of path, whose directories are made (mode 0700) where they
 * are missing. path is absolute, without slashes at its end; *base points at
 * its last component. Symbolic links are followed where root or the caller
 * made them, in a directory where nobody else could swap them. A descriptor
 * (O_PATH, O_CLOEXEC), or -1 and errno: ELOOP for a link of somebody else. */
int dirwalk_parent (const char *path, const char **base);

#endif
