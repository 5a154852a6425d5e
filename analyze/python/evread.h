/* SPDX-License-Identifier: MIT
 *
 * evread.h - a stream that is being read (for evstream.c, evread.c, evlearn.c)
 */
#ifndef DFT_READER_EVREAD_H
#define DFT_READER_EVREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "analyze/python/evfill.h"
#include "analyze/python/evstream.h"

/* An array that waits. */
struct evread_batch {
    struct ArrowArray array;
    struct evread_batch *next;
};

/* Consecutive pieces of threads, with as many events as one batch has. */
struct evread_group {
    size_t first, end;                 /* pieces of the pass */
    struct evread_batch *batch, *last; /* owned */
    int done;
};

struct evread {
    struct readjob *job; /* held */
    struct evcolumns columns;
    struct where where;
    struct query_context context;
    int has_context, strict;
    uint64_t start; /* of the job */
    size_t rows;
    struct pass pass;
    struct evread_group *group; /* owned */
    size_t groups;
    struct evfill *fill[PASS_WORKERS_MAX];         /* owned */
    struct batch_reader *reader[PASS_WORKERS_MAX]; /* owned */
    pid_t pid;
    pthread_t thread;
    int started;
    _Atomic uint64_t lost;
    struct errtext err;
    pthread_mutex_t lock; /* of what follows, and of the batches of groups */
    pthread_cond_t change;
    size_t head;  /* the group whose batches are next */
    size_t kept;  /* batches of all groups */
    int stop;     /* nobody wants more */
    int failed;   /* errno */
    int finished; /* all groups have been read, or one failed */
};

/* Divide the pass into groups. 0, or -1 (ENOMEM). */
int evread_plan (struct evread *r);

/* Begin to read in the background. 0, or -1 with errno. */
int evread_start (struct evread *r);

/* The next array: 1; 0 at the end; -1 with errno. */
int evread_next (struct evread *r, struct ArrowArray *out);

/* Stop reading, wait for the threads, and free all of it. */
void evread_destroy (struct evread *r);

/* Which types arguments have that are columns; reads all events if there are
 * any. 0, or -1 with r->err (errno EINVAL: there is no such argument). */
int evlearn_arguments (struct evread *r);

#endif
