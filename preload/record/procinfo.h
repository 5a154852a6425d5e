/* SPDX-License-Identifier: MIT
 *
 * procinfo.h - who this process is, for the process block of its shard
 */
#pragma once

#include "lib/settings/settings.h"
#include "lib/format/shard.h"

enum { PROCINFO_HOST_MAX = 256, PROCINFO_JOB_NAME_MAX = 256 };

/* Facts from the environment at start. */
struct procinfo {
    char host[PROCINFO_HOST_MAX]; /* nodename_find */
    char job_name[PROCINFO_JOB_NAME_MAX];
    struct shard_process ids; /* rank, ranks, job, array, step, restart */
};

/* Cannot fail: what is not known stays "", -1 or 0. */
void procinfo_init (struct procinfo *info,
                    settings_lookup_f lookup,
                    void *cookie);

/* Set the arguments and the path of the program. The memory of argv is read
 * later, when a program may have written another title, as /proc/self/cmdline
 * shows it; exe must stay. Without these calls /proc is read. Call before
 * threads exist. */
void procinfo_args (int argc, char **argv);
void procinfo_exe (const char *exe, size_t length);

/* That path, *n bytes; 0: not known. */
const char *procinfo_path (size_t *n);

/* Bytes of those strings that are known without asking, most of all. */
size_t procinfo_length (const struct procinfo *info);

/* Write the strings of a process block at p (size bytes); returns their
 * length. May read /proc/self: exe, cwd, cmdline. A string that does not fit is
 * cut; every string gets its NUL. size >= SHARD_STRING_COUNT. */
size_t procinfo_strings (const struct procinfo *info, char *p, size_t size);
