/* SPDX-License-Identifier: MIT
 *
 * doing.h - the call that a process is in, or was in when it was killed
 */
#pragma once

#include "lib/format/tracefile.h"

struct job;

struct doing {
    uint32_t pid; /* of the process, */
    uint64_t start_real;
    char *host;       /* owned */
    const char *call; /* its name */
    char *file;     /* its path, or what it is: "a pipe"; "" not known; owned */
    char *region;   /* of the application that the thread is in, as
                       CATEGORY.NAME; "" none, or not known; owned */
    uint64_t since; /* ns of CLOCK_REALTIME, some us too early at most; 0: not
                       known */
};

/* Find the call that a process of an open shard is in: that of its main thread,
 * else of the thread that has been in its call for the longest time. A wait, or
 * a call on what is not recorded, counts only in the main thread, and only if
 * no thread is in another one. Return 1, or 0 if there is none or the trace
 * does not have it. */
int doing_find (struct doing *d, const struct tracefile *f, size_t proc);
void doing_clear (struct doing *d);

/* Fill job->doing for all processes in open sources that did not end in order,
 * and those that merged traces among these have kept. */
void doing_collect (struct job *job);

/* The lines of a merged trace, n bytes, malloc'd, or NULL: with one for each of
 * job->doing, which the chunks of such a trace do not have. */
void doing_put_lines (const struct job *job, char **lines, size_t *n);
void doing_forget (struct job *job);

/* That of a process of the job, or NULL. */
const struct doing *doing_of (const struct job *job,
                              const struct trace_process *who);
