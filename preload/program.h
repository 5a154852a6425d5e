/* SPDX-License-Identifier: MIT
 *
 * program.h - a program that is about to be started -> can it be traced?
 *
 * Looks at the file as the kernel will: #! lines, the path, the bits. Keeps
 * errno, touches no state of ours; fit for a child of vfork.
 */
#ifndef DFT_PRELOAD_PROGRAM_H
#define DFT_PRELOAD_PROGRAM_H

#include <stddef.h>

enum program_kind {
    PROGRAM_UNKNOWN = 0, /* nothing speaks against it, or it does not start */
    PROGRAM_STATIC,      /* no dynamic loader: nothing is preloaded */
    PROGRAM_SECURE,      /* setuid or setgid: the loader leaves us out */
    PROGRAM_FOREIGN,     /* another libc, another machine */
    PROGRAM_NO_LIBRARY   /* we are not where LD_PRELOAD says: a container */
};

/* Learn from LD_PRELOAD where we are. */
void program_start (void);

/* Why it cannot be traced, in a word or two. */
const char *program_reason (enum program_kind kind);

/* The program of a path (relative to dirfd), or, with search, of a name that
 * is looked for as execvp does. */
enum program_kind program_kind_at (int dirfd, const char *path);
enum program_kind program_kind_of (const char *file, int search);

/* That name's path into path[size]; "" when none is executable. */
void program_search (const char *file, char *path, size_t size);

#endif
