/* SPDX-License-Identifier: MIT
 *
 * paths.h - a path as a call has it -> absolute text
 *
 * Lexical: symbolic links are not followed, bytes are kept as they are. No
 * allocation; async-signal-safe; may change errno.
 */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/format/calls.h"
#include "lib/format/shard.h"
#include "lib/settings/settings.h"

/* -- a path as a call has it -> absolute text -- */

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

/* 1: dir is, or will be, in a file system that may be in memory, and what is
 * written there counts against a memory limit of this process, or that is not
 * known. */
int paths_use_limited_memory (const char *dir);

/* 1: descriptors are those of the calling thread (/proc/thread-self). */
extern int paths_of_thread __attribute__ ((visibility ("hidden")));

/* -- settings -> which files, calls and programs are recorded -- */

struct pathfilter {
    const struct settings *settings;
    const char *own_dir; /* job directory or stage */
    size_t own_length;   /* of it without '/' at its end */
    const char *include;
    int include_all;      /* no path is left out by include */
    const char *patterns; /* exclude list whose patterns count */
    const char *unwanted; /* and whose directories do */
};

/* s must stay. */
void pathfilter_start (struct pathfilter *f, const struct settings *s);

/* True when calls on this file are recorded. path need not end in NUL. What is
 * no file (pipe, socket, device, other) is recorded only when the word for its
 * class is in include. */
int pathfilter_wants (const struct pathfilter *f,
                      enum file_class class,
                      const char *path,
                      size_t length);

/* Why pathfilter_wants says no of this file. */
enum leftout pathfilter_reason (const struct pathfilter *f,
                                enum file_class class,
                                const char *path,
                                size_t length);

/* True when a program of this path is traced. */
int pathfilter_program (const struct pathfilter *f,
                        const char *exe,
                        size_t length);

/* Calls that are not recorded, or only from min_size on. */
enum { FILTER_RECORDED = 0, FILTER_DROPPED, FILTER_BY_SIZE };
void pathfilter_calls (const struct settings *s, unsigned char how[CALL_MAX]);

/* True when path, or its last component, is as one of the elements of a
 * colon list that begin with '*'. "*" stands for any bytes. */
int pathfilter_has_pattern (const char *list, const char *path, size_t length);

/* Return the class of a file by its path: /dev, pipe:[1], other absolute
 * paths. */
enum file_class pathfilter_class (const char *path, size_t length);
