/* SPDX-License-Identifier: MIT
 *
 * groupframe.h - what grouping events needs to know of the whole job
 *
 * When it began, which rank a process belongs to, when the steps and epochs of
 * a rank were. Found once, then used by all who read a part of the traces.
 */
#ifndef DFT_ANALYZE_GROUPFRAME_H
#define DFT_ANALYZE_GROUPFRAME_H

#include "analyze/query/groups.h"

/* Steps and epochs of one rank. */
struct windows {
    struct marks of[MARK_KINDS];
};

struct group_member {
    const char *host;
    uint64_t start; /* start_real */
    uint64_t pid;
    uint64_t rank; /* index */
};

struct group_frame {
    uint64_t start;          /* of the job, ns of CLOCK_REALTIME */
    uint64_t first_start;    /* the same of its first process, for --where */
    uint64_t interval;       /* ns */
    struct windows *windows; /* of each rank, owned */
    int64_t *number;         /* the same; -1: none */
    size_t ranks;
    struct group_member *member; /* as process_order says; owned */
    size_t members;
    struct strmap *hosts; /* owned; NULL: those of the processes */
    uint64_t sum;         /* of all that and the rules; once asked for */
};

/* Of a job that has been read. 0, or -1 with err. */
int groupframe_make (struct group_frame *f,
                     const struct grouping *g,
                     const struct result *r,
                     struct errtext *err);

/* NULL: it is not of this job. */
const struct group_member *groupframe_find (const struct group_frame *f,
                                            const struct trace_process *who);

/* Find f->sum. 0, or -1 (ENOMEM). */
int groupframe_sum (struct group_frame *f, uint64_t rules);

/* A file that is whole or not at all. rules must be the same when it is read:
 * else EPROTO. 0, or -1 with err. */
int groupframe_write (const struct group_frame *f,
                      const char *path,
                      uint64_t rules,
                      struct errtext *err);
int groupframe_read (struct group_frame *f,
                     const char *path,
                     uint64_t rules,
                     struct errtext *err);

void groupframe_clear (struct group_frame *f); /* zeroed is fine */

#endif
