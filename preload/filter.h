/* SPDX-License-Identifier: MIT
 *
 * filter.h - which files are recorded
 */
#ifndef DFT_PRELOAD_FILTER_H
#define DFT_PRELOAD_FILTER_H

#include <stddef.h>

#include "lib/settings/paths.h"
#include "preload/record/recorder.h"
#include "lib/format/shard.h"

/* Remember include, exclude and where our own files are. s must stay. */
void filter_start (const struct settings *s);

/* True when calls on this file are recorded. path need not end in NUL.
 * What is no file (pipe, socket, device, other) is recorded only when the
 * word for its class is in include. Thread safe, async-signal-safe. */
int filter_wants (enum file_class class, const char *path, size_t length);

/* Why filter_wants says no of this file. */
enum leftout
filter_reason (enum file_class class, const char *path, size_t length);

/* True when this program is traced at all. Of a shell, less is recorded. After
 * filter_start; argv ends with NULL. */
int filter_start_program (const char *exe,
                          size_t length,
                          const char *const *argv);

/* True when a program of this path would be traced; after filter_start. */
int filter_wants_program (const char *exe, size_t length);

/* Calls that are not recorded, or only from a size on: FILTER_*. */
extern unsigned char filter_calls[CALL_MAX]
    __attribute__ ((visibility ("hidden")));
extern uint64_t filter_min_size;

static inline int filter_drops (const struct record *r)
{
    unsigned char how = filter_calls[r->call];

    return __builtin_expect (how, 0) &&
           (how == FILTER_DROPPED || r->size < filter_min_size);
}

#endif
