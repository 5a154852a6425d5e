/* SPDX-License-Identifier: MIT
 *
 * context.h - what a query needs to know of the whole job
 *
 * When it began, which rank a process belongs to, when the steps and epochs of
 * a rank were. Found once, then used by all who read a part of the traces.
 */
#pragma once

#include "analyze/scan/marks.h"
#include "lib/format/tracefile.h"
#include "lib/util/strmap.h"

/* Steps and epochs of one rank. */
struct query_windows {
    struct marks of[MARK_KINDS];
};

/* A process and its rank. */
struct query_member {
    const char *host;
    uint64_t start; /* start_real */
    uint64_t pid;
    uint64_t rank; /* index */
};

struct query_context {
    const char *label;    /* of the job; the caller's */
    uint64_t start;       /* of the job, ns of CLOCK_REALTIME */
    uint64_t first_start; /* the same of its first process, for --where */
    uint64_t interval;    /* ns, unless the query says another */
    struct query_windows *windows; /* of each rank, owned */
    int64_t *number;               /* the same; -1: none */
    size_t ranks;
    struct query_member *member; /* as process_order says; owned */
    size_t members;
    struct strmap *hosts; /* owned; NULL: those of the processes */
    uint64_t sum;         /* of all that and the rules; once asked for */
};

/* NULL: it is not of this job. */
const struct query_member *query_context_find (const struct query_context *c,
                                               const struct trace_process *who);

/* Find c->sum. */
void query_context_sum (struct query_context *c, uint64_t rules);

/* A file that is whole or not at all. rules must be the same when it is read:
 * else EPROTO. 0, or -1 with err. */
int query_context_write (const struct query_context *c,
                         const char *path,
                         uint64_t rules,
                         struct errtext *err);
int query_context_read (struct query_context *c,
                        const char *path,
                        uint64_t rules,
                        struct errtext *err);

void query_context_clear (struct query_context *c); /* zeroed is fine */
