/* SPDX-License-Identifier: MIT
 *
 * program.h - a program that is about to be started -> can it be traced?
 *
 * Looks at the file as the kernel will: #! lines, the path, the bits. Keeps
 * errno, touches no state of ours; fit for a child of vfork.
 */
#ifndef DFT_PRELOAD_PROGRAM_H
#define DFT_PRELOAD_PROGRAM_H

enum program_kind {
    PROGRAM_UNKNOWN = 0, /* nothing speaks against it, or it does not start */
    PROGRAM_STATIC,      /* no dynamic loader: nothing is preloaded */
    PROGRAM_SECURE,      /* setuid or setgid: the loader leaves us out */
    PROGRAM_FOREIGN      /* another libc, another machine */
};

/* The program of a path (relative to dirfd), or, with search, of a name that
 * is looked for as execvp does. */
enum program_kind program_kind_at (int dirfd, const char *path);
enum program_kind program_kind_of (const char *file, int search);

#endif
