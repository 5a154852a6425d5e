/* SPDX-License-Identifier: MIT
 *
 * untraced.h - programs that are not traced -> JOBDIR/shards/untraced.HOST
 *
 * A line each: pid, path, reason, separated by blanks; in path and reason a
 * blank, '%', and what is not printable ASCII as %XX. One write(2) a line; no
 * more lines once there are 64 KiB of them. Silent where that cannot be.
 */
#ifndef DFT_PRELOAD_UNTRACED_H
#define DFT_PRELOAD_UNTRACED_H

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

/* This process was traced and ends without a trace, as no call of it was to be
 * recorded; left: files that the settings leave out. A line in
 * JOBDIR/shards/quiet.HOST, which is the evidence for that; none once there are
 * 4 KiB of them. */
void untraced_quiet (unsigned left);

/* A process has been ended by a signal, or with a status other than 0 that it
 * cannot store (filespace.h): a line of JOBDIR/shards/ended.HOST. status: as
 * wait gives it; who: see endline.h. Changes no memory of ours.
 * Keeps errno. */
void untraced_ended (pid_t pid, int status, const char *who);

#endif
