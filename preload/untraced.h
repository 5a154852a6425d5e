/* SPDX-License-Identifier: MIT
 *
 * untraced.h - programs that are not traced, ends of processes that cannot
 *              tell them -> lines of JOBDIR/shards/processes.HOST
 *
 * See proclines.h. Silent where that cannot be.
 */
#pragma once

#include <sys/types.h>

/* Remember where. Allocates nothing; may be called again. */
void untraced_start (const char *job_dir);

/* This program is not: its own path is looked up. reason is cut at 200 bytes,
 * and gets what before it. */
void untraced_self (const char *what, const char *reason);

/* The program at path, relative to dirfd, which will be process pid (0: not
 * known). Changes no memory of ours: fit for a child of vfork. Keeps errno. */
void untraced_program (pid_t pid,
                       int dirfd,
                       const char *path,
                       const char *reason);

/* A process has been ended by a signal, or with a status other than 0 that it
 * cannot store (shardfile.h). status: as wait gives it; who: PROCLINE_PARENT or
 * PROCLINE_KILLER. Changes no memory of ours. Keeps errno. */
void untraced_ended (pid_t pid, int status, const char *who);
