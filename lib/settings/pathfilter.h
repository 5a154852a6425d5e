/* SPDX-License-Identifier: MIT
 *
 * pathfilter.h - settings -> which files, calls and programs are recorded
 *
 * The same for the library in a process and for the kernel's recorder. No
 * allocation, no state of its own; async-signal-safe.
 */
#ifndef DFT_CORE_PATHFILTER_H
#define DFT_CORE_PATHFILTER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/format/calls.h"
#include "lib/format/leftout.h"
#include "lib/settings/settings.h"
#include "lib/format/shard.h"

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

#endif
