/* SPDX-License-Identifier: MIT
 *
 * textfile.h - directories -> the text of their files, in sorted order
 */
#ifndef MINIGPT_TEXTFILE_H
#define MINIGPT_TEXTFILE_H

#include <stddef.h>

enum {
    TEXT_MAX = 1024 * 1024, /* bytes of a document; more is cut */
    TEXT_MIN = 64           /* a shorter file is no document */
};

/* Call take (cookie, text, bytes) for every text file under dir (.gz ones
 * inflated), until it returns non-zero, which is then the result; 0 at the
 * end. Symbolic links are not followed, other file systems not entered;
 * what cannot be read or is no text is left out. */
int textfile_walk (const char *dir,
                   int (*take) (void *cookie, const char *text, size_t bytes),
                   void *cookie);

#endif
