/* SPDX-License-Identifier: MIT
 *
 * pool.c - a count of work pieces -> calls on several threads
 *
 * The caller is worker 0, so the work is done even when no thread can be
 * started.
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "lib/base/array.h"
#include "lib/util/pool.h"
#include "lib/util/xalloc.h"

enum { THREADS_MAX = 64 };

struct pool {
    void (*work) (void *cookie, size_t index, int worker);
    void *cookie;
    size_t count;
    _Atomic size_t next;
    int guarded;       /* the caller goes on where there is no memory */
    atomic_int failed; /* errno of a worker that had none */
    char why[256];     /* the message of the first of these */
};

struct worker {
    struct pool *pool;
    int number;
    pthread_t thread;
};

static atomic_int wanted;

void pool_use (int threads)
{
    atomic_store (&wanted, MIN (THREADS_MAX, threads));
}

int pool_threads (void)
{
    cpu_set_t set;
    long n = atomic_load (&wanted);

    if (n > 0)
        return (int)n;
    if (sched_getaffinity (0, sizeof (set), &set) == 0)
        n = CPU_COUNT (&set);
    else
        n = sysconf (_SC_NPROCESSORS_ONLN); /* more than 1024 processors */
    if (n < 1)
        return 1;
    return n > THREADS_MAX ? THREADS_MAX : (int)n;
}

static void work_all (void *arg)
{
    struct worker *w = arg;
    struct pool *p = w->pool;
    size_t i;

    while ((i = atomic_fetch_add (&p->next, 1)) < p->count)
        p->work (p->cookie, i, w->number);
}

/* Each worker has a guard of its own: the others must end before the caller's
 * work does. */
static void *worker_main (void *arg)
{
    struct worker *w = arg;

    if (!w->pool->guarded)
        work_all (w);
    else if (xalloc_guard (work_all, w) < 0) {
        int error = errno, none = 0;

        if (atomic_compare_exchange_strong (&w->pool->failed, &none, error))
            FORMAT (w->pool->why, "%s", xalloc_why ());
        xalloc_forget ();
    }
    return NULL;
}

int pool_run (size_t count,
              int threads,
              void (*work) (void *cookie, size_t index, int worker),
              void *cookie)
{
    struct pool p = {.work = work,
                     .cookie = cookie,
                     .count = count,
                     .guarded = xalloc_is_guarded ()};
    struct worker w[THREADS_MAX];
    int n;

    if (threads <= 0)
        threads = pool_threads ();
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    if ((size_t)threads > count)
        threads = (int)count;
    for (n = 1; n < threads; n++) {
        w[n] = (struct worker){.pool = &p, .number = n};
        if (pthread_create (&w[n].thread, NULL, worker_main, &w[n]) != 0)
            break;
    }
    w[0] = (struct worker){.pool = &p};
    worker_main (&w[0]);
    while (--n > 0)
        pthread_join (w[n].thread, NULL);
    if (p.failed)
        xalloc_end (p.failed, p.why);
    return 0;
}

/* --- items in one order -------------------------------------------------- */

struct line {
    const struct pool_line *of;
    void *cookie;
    pthread_mutex_t taking, putting;
    pthread_cond_t turn_over;
    uint64_t taken, put;
    int failed; /* errno */
};

struct line_worker {
    struct line *line;
    void *item;
};

/* Put the item with this number behind all before it; rc < 0: there is none,
 * for this errno. Return 1 to go on. */
static int line_put (struct line *l, void *item, uint64_t number, int rc)
{
    int error = errno, more;

    xalloc_lock (&l->putting);
    while (l->put < number && !l->failed)
        pthread_cond_wait (&l->turn_over, &l->putting);
    if (rc >= 0 && !l->failed && (rc = l->of->put (l->cookie, item)) < 0)
        error = errno;
    if (rc < 0 && !l->failed)
        l->failed = error ? error : EIO;
    l->put++;
    more = !l->failed;
    pthread_cond_broadcast (&l->turn_over);
    xalloc_unlock (&l->putting);
    return more;
}

static void line_items (void *cookie)
{
    struct line_worker *w = cookie;
    struct line *l = w->line;
    uint64_t number;
    int rc;

    do {
        xalloc_lock (&l->taking);
        rc = l->of->take (l->cookie, w->item);
        number = l->taken;
        l->taken += rc > 0;
        xalloc_unlock (&l->taking);
        if (rc == 0)
            return;
        if (rc > 0)
            rc = l->of->make (l->cookie, w->item);
    } while (line_put (l, w->item, number, rc));
}

/* The others must not wait for the turn of a worker that has no memory. */
static void line_work (void *cookie, size_t index, int worker)
{
    struct line *l = cookie;
    struct line_worker w = {l, xcalloc (1, l->of->bytes)};

    if (xalloc_guard (line_items, &w) < 0) {
        pthread_mutex_lock (&l->putting);
        l->failed = errno;
        pthread_cond_broadcast (&l->turn_over);
        pthread_mutex_unlock (&l->putting);
    }
    l->of->clear (w.item);
    free (w.item);
}

int pool_line (const struct pool_line *line, int threads, void *cookie)
{
    struct line l = {.of = line,
                     .cookie = cookie,
                     .taking = PTHREAD_MUTEX_INITIALIZER,
                     .putting = PTHREAD_MUTEX_INITIALIZER,
                     .turn_over = PTHREAD_COND_INITIALIZER};

    if (threads <= 0)
        threads = pool_threads ();
    pool_run ((size_t)threads, threads, line_work, &l);
    return l.failed;
}
