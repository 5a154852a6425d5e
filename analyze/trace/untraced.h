/* SPDX-License-Identifier: MIT
 *
 * untraced.h - JOBDIR/shards/untraced.HOST -> programs that were not traced
 */
#ifndef DFT_ANALYZE_UNTRACED_H
#define DFT_ANALYZE_UNTRACED_H

#include <stddef.h>
#include <stdint.h>

#include "lib/core/errtext.h"

/* A program on a host, as often as it was noted there. */
struct untraced_program {
    char *host, *exe, *reason;
    size_t exe_length; /* any bytes but NUL */
    uint32_t pid;      /* of the first; 0 not known */
    uint64_t count;
};

struct untraced {
    struct untraced_program *item; /* sorted by host; owned */
    size_t count, room;
};

/* All of a job directory (NULL: none). Lines that make no sense are passed
 * over. 0, or -1 (ENOMEM). Zero *u before. */
int untraced_load (struct untraced *u, const char *job_dir);
void untraced_clear (struct untraced *u);

/* The settings that a program refused, or NULL when that is not the reason. */
const char *untraced_settings (const struct untraced_program *p);

/* What made it stop being traced in the middle, or NULL. */
const char *untraced_stopped (const struct untraced_program *p);

/* Write the list into job.json, as "untraced", in place of an older one;
 * atomically, and not at all where it says so already or there is no job.json.
 * 0, or -1 with err. */
int untraced_list (const char *job_dir, struct errtext *err);

#endif
