/* SPDX-License-Identifier: MIT
 *
 * evread.c - the pieces of a job's threads -> arrays, in order, read ahead
 *
 * In:  pieces of a pass; who takes the arrays
 * Out: arrays in the order of the groups
 * Caveat: workers wait when enough is kept, but the one whose group is next
 *         never does, so somebody always goes on.
 */
#include "config.h"

#include "analyze/python/evread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/pool.h"

enum { EVREAD_AHEAD = 2 }; /* batches for each worker */

/* --- groups --------------------------------------------------------------- */

int evread_plan (struct evread *r)
{
    const struct pass *p = &r->pass;
    uint64_t events = 0;

    if (!(r->group = calloc (p->pieces + 1, sizeof (*r->group))))
        return -1;
    for (size_t i = 0; i < p->pieces; i++) {
        struct evread_group *g = &r->group[r->groups];

        if (!events)
            g->first = i;
        g->end = i + 1;
        events += p->piece[i].events + 1;
        if (events >= r->rows || i + 1 == p->pieces) {
            r->groups++;
            events = 0;
        }
    }
    return 0;
}

/* --- workers -------------------------------------------------------------- */

static int evread_stopped (struct evread *r)
{
    int stop;

    (void)pthread_mutex_lock (&r->lock);
    stop = r->stop || r->failed;
    (void)pthread_mutex_unlock (&r->lock);
    return stop;
}

/* Hand over what the worker has. 0, or -1 with errno. */
static int evread_give (struct evread *r, size_t group, struct evfill *f)
{
    struct evread_group *g = &r->group[group];
    struct evread_batch *b;
    size_t most = EVREAD_AHEAD * (size_t)r->pass.workers;

    if (evfill_count (f) == 0)
        return 0;
    if (!(b = calloc (1, sizeof (*b))) || evfill_array (f, &b->array) < 0) {
        free (b);
        return -1;
    }
    (void)pthread_mutex_lock (&r->lock);
    while (r->kept >= most && group != r->head && !r->stop && !r->failed)
        (void)pthread_cond_wait (&r->change, &r->lock);
    if (g->last)
        g->last->next = b;
    else
        g->batch = b;
    g->last = b;
    r->kept++;
    (void)pthread_cond_broadcast (&r->change);
    (void)pthread_mutex_unlock (&r->lock);
    return 0;
}

/* Read a chunk as far as possible and count what is damaged. Return 0, or -1
 * with errno. */
static int evread_chunk (struct evread *r,
                         size_t group,
                         const struct pass_piece *p,
                         const struct trace_chunk *c,
                         int worker)
{
    struct batch_reader *reader = r->reader[worker];
    struct evfill *f = r->fill[worker];
    const struct batch *b;
    uint64_t decoded = 0;
    int opened = batch_reader_chunk (reader, &r->pass.parts.item[p->process],
                                     p->process, c) == 0,
        rc = -1;

    while (opened && (rc = batch_reader_next (reader, &b)) > 0)
        if (evfill_take (f, b) < 0 ||
            (evfill_full (f) && evread_give (r, group, f) < 0))
            return -1;
    if (rc < 0 && errno == ENOMEM)
        return -1;
    if (opened)
        decoded = batch_reader_events (reader);
    if (decoded < c->events)
        atomic_fetch_add (&r->lost, c->events - decoded);
    return 0;
}

static int evread_group_all (struct evread *r, size_t group, int worker)
{
    const struct evread_group *g = &r->group[group];

    for (size_t i = g->first; i < g->end; i++) {
        const struct pass_piece *p = &r->pass.piece[i];

        for (size_t k = 0; k < p->chunks; k++)
            if (evread_stopped (r))
                return 0;
            else if (evread_chunk (r, group, p, p->chunk[k], worker) < 0)
                return -1;
    }
    return evread_give (r, group, r->fill[worker]);
}

static void evread_work (void *cookie, size_t group, int worker)
{
    struct evread *r = cookie;
    int rc = 0;

    errno = 0;
    if (!evread_stopped (r))
        rc = evread_group_all (r, group, worker);
    (void)pthread_mutex_lock (&r->lock);
    if (rc < 0 && !r->failed)
        r->failed = errno ? errno : ENOMEM;
    r->group[group].done = 1;
    (void)pthread_cond_broadcast (&r->change);
    (void)pthread_mutex_unlock (&r->lock);
}

static void *evread_main (void *arg)
{
    struct evread *r = arg;

    (void)pool_run (r->groups, r->pass.workers, evread_work, r);
    (void)pthread_mutex_lock (&r->lock);
    r->finished = 1;
    (void)pthread_cond_broadcast (&r->change);
    (void)pthread_mutex_unlock (&r->lock);
    return NULL;
}

/* Signals are the business of the program's own threads. */
int evread_start (struct evread *r)
{
    sigset_t all, before;
    int rc;

    for (int i = 0; i < r->pass.workers; i++) {
        if (!(r->reader[i] = batch_reader_create (r->pass.dict)) ||
            !(r->fill[i] = calloc (1, sizeof (*r->fill[i]))))
            return -1;
        r->fill[i]->columns = &r->columns;
        r->fill[i]->rows = r->rows;
        if (evfill_init (r->fill[i], &r->where, r->pass.dict,
                         r->has_context ? &r->context : NULL, r->start) < 0)
            return -1;
        batch_reader_needs (r->reader[i],
                            evcolumns_need (&r->columns, &r->where));
    }
    (void)sigfillset (&all);
    (void)pthread_sigmask (SIG_BLOCK, &all, &before);
    rc = pthread_create (&r->thread, NULL, evread_main, r);
    (void)pthread_sigmask (SIG_SETMASK, &before, NULL);
    errno = rc;
    r->started = rc == 0;
    return rc ? -1 : 0;
}

/* --- who takes ------------------------------------------------------------ */

/* The lock is held. Is there a batch, or nothing to wait for? */
static int evread_ready (struct evread *r)
{
    for (; r->head < r->groups; r->head++) {
        const struct evread_group *g = &r->group[r->head];

        if (g->batch || r->failed)
            return 1;
        if (!g->done)
            return 0;
        (void)pthread_cond_broadcast (&r->change);
    }
    return r->finished;
}

int evread_next (struct evread *r, struct ArrowArray *out)
{
    struct evread_batch *b = NULL;
    int failed;

    (void)pthread_mutex_lock (&r->lock);
    while (!evread_ready (r))
        (void)pthread_cond_wait (&r->change, &r->lock);
    failed = r->failed;
    if (!failed && r->head < r->groups) {
        struct evread_group *g = &r->group[r->head];

        b = g->batch;
        g->batch = b->next;
        if (!g->batch)
            g->last = NULL;
        r->kept--;
        (void)pthread_cond_broadcast (&r->change);
    }
    (void)pthread_mutex_unlock (&r->lock);
    if (failed) {
        errno = failed;
        return -1;
    }
    if (b)
        *out = b->array;
    free (b);
    return b != NULL;
}

/* --- the end -------------------------------------------------------------- */

static void evread_stop (struct evread *r)
{
    (void)pthread_mutex_lock (&r->lock);
    r->stop = 1;
    (void)pthread_cond_broadcast (&r->change);
    (void)pthread_mutex_unlock (&r->lock);
    (void)pthread_join (r->thread, NULL);
}

static void evread_drop_batches (struct evread *r)
{
    struct evread_batch *next;

    for (size_t i = 0; r->group && i < r->groups; i++)
        for (struct evread_batch *b = r->group[i].batch; b; b = next) {
            next = b->next;
            b->array.release (&b->array);
            free (b);
        }
    free (r->group);
}

void evread_destroy (struct evread *r)
{
    if (r->started && r->pid != getpid ())
        return; /* its threads, and what they hold, are the parent's */
    if (r->started)
        evread_stop (r);
    evread_drop_batches (r);
    for (int i = 0; i < PASS_WORKERS_MAX; i++) {
        batch_reader_destroy (r->reader[i]);
        if (r->fill[i])
            evfill_clear (r->fill[i]);
        free (r->fill[i]);
    }
    pass_close (&r->pass);
    if (r->has_context)
        query_context_clear (&r->context);
    where_clear (&r->where);
    (void)pthread_cond_destroy (&r->change);
    (void)pthread_mutex_destroy (&r->lock);
    readjob_drop (r->job);
    free (r);
}
