/* SPDX-License-Identifier: MIT
 *
 * otfdir.h - a directory that appears whole under its name, or not at all
 */
#ifndef DFT_ANALYZE_OTFDIR_H
#define DFT_ANALYZE_OTFDIR_H

#include "lib/base/errtext.h"

/* A new directory beside path, mode 0700, in which it is made: malloc'd. path
 * must not be there, or be an empty directory. NULL with err. */
char *otfdir_begin (const char *path, struct errtext *err);

/* All of it to the disk, and rename it. temporary is freed in any case, and
 * removed with what is in it where this fails. 0, or -1 with err. */
int otfdir_commit (char *temporary, const char *path, struct errtext *err);

/* Remove it with all that is in it; frees it. NULL is fine. */
void otfdir_abort (char *temporary);

#endif
