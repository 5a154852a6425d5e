/* SPDX-License-Identifier: MIT
 *
 * pass.h - one reading of the traces of a job, for all who want its events
 *
 * The unit of work is a thread of a process, or a split of a long one. The
 * splits depend on the trace only, so that no result depends on the number of
 * workers.
 */

/* Design. One reading, many questions. A pass (analyze/scan/pass.h) gives
 * the batches of every thread, or of splits of long ones, to all who want
 * them: the totals (scan*.c, tally.h: what needs the order of a thread's
 * events) and any number of queries. What follows from a call, a file or a
 * region is looked up once for its dictionary entry. Which splits there are
 * depends on the trace only: any number of threads gives the same bytes. */

#pragma once

#include "analyze/trace/batch.h"
#include "analyze/trace/parts.h"

enum { PASS_WORKERS_MAX = 64 }; /* what pool.h runs at most */

/* A thread of a process, or a split of it. */
struct pass_split {
    size_t process;                   /* index of parts */
    const struct trace_chunk **chunk; /* of parts */
    size_t chunks;
    uint64_t events; /* by the heads of the chunks */
    uint32_t tid;
    int continues;             /* the split before it */
    int whole;                 /* no split continues it, nor does it */
    const unsigned char *skip; /* [chunks]: not to be read; NULL: none */
};

struct pass {
    const struct job *job;
    struct dict *dict;       /* owned; of all batches */
    struct strmap *programs; /* directories of programs; owned */
    struct parts parts;
    struct pass_split *split; /* owned; by process, thread, time */
    size_t splits, splits_room;
    struct health *health; /* owned; of each source */
    int workers;
    unsigned char *skip; /* of all splits (chunkindex.h); owned; NULL: none */
    uint64_t skipped;    /* events in chunks that are not read */
};

/* A user of the events. Calls for one split come from one worker, in order;
 * splits are read at the same time. begin and end may be NULL. take: 0, or -1
 * with errno, which ends the pass. */
struct pass_user {
    void *cookie;
    void (*begin) (void *cookie, size_t split, int worker);
    int (*take) (void *cookie, int worker, const struct batch *b);
    void (*end) (void *cookie, size_t split, int worker);
    enum batch_need need; /* what it looks at of a batch */
};

/* Find the splits of an open job. rules: what files are for, NULL as by
 * default; it must outlive the pass. threads 0: one for each core. */
void pass_open (struct pass *p,
                const struct job *job,
                const struct kind_rules *rules,
                int threads);

/* Open a pass in which no thread is cut into splits. */
void pass_open_whole (struct pass *p,
                      const struct job *job,
                      const struct kind_rules *rules,
                      int threads);

/* Read everything once. Chunks that cannot be read are counted in
 * p->health. 0, or -1 with errno. */
int pass_run (struct pass *p, const struct pass_user *users, size_t count);

void pass_close (struct pass *p); /* zeroed is fine; keeps errno */

/* Long threads are read in splits of at least so many events (for tests). */
void pass_cut (uint64_t events);
