/* SPDX-License-Identifier: MIT
 *
 * task.h - threads of a job -> pieces of work, and together again (private to
 *          load.c)
 */
#ifndef DFT_ANALYZE_TASK_H
#define DFT_ANALYZE_TASK_H

#include "analyze/query/load.h"

/* One thread of one process, or a piece of it. */
struct task {
    struct unit unit;
    size_t process;                   /* index of totals and parts */
    const struct trace_chunk **chunk; /* of parts */
    size_t chunks;
    int continues; /* the task before it */
    int whole;     /* no task continues it, nor does it */
    int failed;    /* ENOMEM */
};

struct tasks {
    struct task *item; /* owned */
    size_t count, room;
};

/* Append the threads of part, which is that of process. 0, or -1 (ENOMEM). */
int tasks_plan (struct tasks *t, const struct part *part, size_t process);

/* Put the pieces of each thread together, in their order, once all have been
 * read; the tallies must still be there. 0, or -1 (ENOMEM, or the temporary
 * file failed). */
int tasks_join (struct tasks *t);

void tasks_clear (struct tasks *t);

#endif
