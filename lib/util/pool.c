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
    else if (xalloc_guard (work_all, w) < 0)
        atomic_store (&w->pool->failed, errno);
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
        xalloc_end (p.failed, strerror (p.failed));
    return 0;
}
