/* SPDX-License-Identifier: MIT
 *
 * paths.h - a path as a call has it -> absolute text
 *
 * Lexical: symbolic links are not followed, bytes are kept as they are. No
 * allocation; async-signal-safe; may change errno.
 */
#ifndef DFT_CORE_PATHS_H
#define DFT_CORE_PATHS_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

enum {
    PATHS_SMALL = 512,       /* bytes: most paths; kind to signal stacks */
    PATHS_BIG = 2 * PATH_MAX /* base and path, each as long as allowed */
};

/* Append the components of path to the n bytes of absolute text in out,
 * dropping "." and empty ones and resolving "..". Not NUL-terminated; the
 * root itself is 0 bytes. Returns the new length, or -1 (ERANGE) when it
 * does not fit into room. */
ssize_t paths_append (char *out, size_t n, size_t room, const char *path);

/* The working directory, 0 bytes for the root; -1 on failure (ERANGE: longer
 * than room). Of one that has been removed, its last path; of one in no mounted
 * file system any more, "/(unreachable)" and its path there; of one whose path
 * is longer than the kernel tells, "/(too long)/" and its inode number. */
ssize_t paths_cwd (char *out, size_t room);

/* Read the link /proc/self/fd/FD, which may hold any bytes. Return its length,
 * or -1: no such descriptor, or (ERANGE) longer than room. */
ssize_t paths_of_fd (int fd, char *out, size_t room);

/* 1: descriptors are those of the calling thread (/proc/thread-self). */
extern int paths_of_thread __attribute__ ((visibility ("hidden")));

#endif
