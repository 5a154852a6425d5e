/* SPDX-License-Identifier: MIT
 *
 * readjob.h - a job that is open for questions
 *
 * Thread safe. Whoever uses a job holds it: it is closed when the last one
 * lets go of it.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "analyze/facts/summary.h"
#include "analyze/query/query.h"
#include "lib/util/textable.h"

/* -- a job that is open for questions -- */

/* -- a job that is open for questions -- */

struct readjob {
    atomic_int holders;
    struct joblist jobs; /* one */
    struct kind_rules rules;
    char *pattern[KIND_COUNT]; /* owned; those of rules */
    int threads;               /* 0: one for each core */
    pthread_mutex_t lock;      /* of what follows */
    int loaded;
    struct totals totals;
    struct summary summary;
    struct result result; /* once loaded */
};

/* Once in a process, before all others. 0, or -1 (ENOMEM). */
int readjob_begin (void);

/* A job directory or a trace file. pattern: of each enum file_kind, NULL as by
 * default; copied. NULL with err, errno. */
struct readjob *readjob_open (const char *path,
                              const char *const *pattern,
                              int threads,
                              struct errtext *err);
struct readjob *readjob_hold (struct readjob *j);
void readjob_drop (struct readjob *j); /* NULL is fine */

struct job *readjob_job (struct readjob *j);

/* Read all events, once: totals, ranks, steps. Then j->result is there. 0, or
 * -1 with err. Not together with others that print their progress: the caller
 * has readjob_enter. */
int readjob_load (struct readjob *j, struct errtext *err);
int readjob_loaded (struct readjob *j);

/* One reading of this process at a time has a line of progress, and totals. */
void readjob_enter (void);
void readjob_leave (void);

/* Describe the damage of source i; return 0: none that is known without reading
 * it. */
int readjob_problem (struct readjob *j, size_t i, struct errtext *say);

/* A text of ours without the dashes of a command line's option before it. */
const char *readjob_say (const char *text);

/* -- the page of a job, and its figures -- */

/* Write the page of dftrace report into a file, which is whole or not at all.
 * 0, or -1 with err. */
int readpage_write (struct readjob *j, const char *path, struct errtext *err);

/* The figures of the page as it has them; malloc'd. NULL with err. */
char *readpage_figures (struct readjob *j, size_t *length, struct errtext *err);

/* The page of a sweep directory that has results; malloc'd. NULL with err. */
char *readpage_study (const char *dir, size_t *length, struct errtext *err);

/* -- questions about a job -> tables -- */

/* As dftrace analyze --by, --show, --where, --sort, --top, --interval, --view.
 * Members may be NULL; where ends with NULL; top 0: all rows. */
struct readtables_asked {
    const char *by, *show, *sort, *view;
    const char *const *where;
    uint64_t interval; /* ns; 0: chosen */
    size_t top;
};

/* NULL with err, errno. */
typedef struct textable *readtables_ask (struct readjob *j,
                                         const struct readtables_asked *asked,
                                         struct errtext *err);

readtables_ask readtables_query;

/* A view of dftrace help views; top rows where they have an order. */
readtables_ask readtables_view;

/* --view tree: paths, of by (NULL, or host, process, thread, rank). */
readtables_ask readtables_tree;

/* All metrics: name, value, unit, definition, why there is none. Nothing is
 * asked. */
readtables_ask readtables_metrics;
