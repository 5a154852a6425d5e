/* SPDX-License-Identifier: MIT
 *
 * untraced.h - processes of a job that were not traced <-> job.json
 */
#pragma once

#include "lib/base/text.h"
#include "lib/format/untracedlist.h"

/* All of a job directory (NULL: none): the lines in its shards or, where there
 * are none any more, what job.json keeps of them. To be settled with the
 * processes that were traced. 0, or -1 (ENOMEM). Zero *u before. */
int untraced_load (struct untraced *u, const char *job_dir);

/* The settings that a program refused, or NULL when that is not the reason. */
const char *untraced_settings (const struct untraced_program *p);

/* Return the reason why tracing stopped in the middle, or NULL. */
const char *untraced_stopped (const struct untraced_program *p);

/* Write a settled list into job.json, as "untraced", in place of an older one;
 * atomically, and not at all where it says so already or there is no job.json.
 * 0, or -1 with err. */
int untraced_write (struct untraced *u,
                    const char *job_dir,
                    struct errtext *err);

/* Load, settle with the processes in the shards, and write. */
int untraced_list (const char *job_dir, struct errtext *err);
