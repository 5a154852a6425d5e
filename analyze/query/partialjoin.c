/* SPDX-License-Identifier: MIT
 *
 * partialjoin.c - all partitions of a job -> one struct totals
 *
 * In:  files of partialwrite.c, read by partialread.c
 * Out: struct totals, to partialrun.c
 *
 * Each partition is read into totals of its own, then added under a lock: sums
 * and maxima do not depend on the order, what has one is sorted later.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/partial.h"
#include "lib/util/pool.h"
#include "lib/util/progress.h"

struct joining {
    struct totals *t;
    struct job *job;
    unsigned partitions;
    size_t room; /* of processes */
    pthread_mutex_t lock;
    int failed;
    struct errtext *err;
};

/* What is true of the file is the same in every partition; what was decoded is
 * added up. */
static void
partialjoin_add_health (struct health *h, const struct health *more, int first)
{
    uint64_t events = h->events, undecoded = h->undecoded;
    uint64_t chunks_bad = h->chunks_bad, io_errors = h->io_errors;
    uint64_t cut_events = h->cut_events;

    if (first)
        *h = *more;
    else {
        h->events = events + more->events;
        h->undecoded = undecoded + more->undecoded;
        h->chunks_bad = chunks_bad + more->chunks_bad;
        h->io_errors = io_errors + more->io_errors;
        h->cut_events = cut_events + more->cut_events;
    }
}

static int join_processes (struct joining *x, struct totals *more)
{
    struct totals *t = x->t;
    size_t room = x->room ? x->room : 64;
    struct process *p = t->process;

    while (room < t->processes + more->processes + 1)
        room *= 2;
    if (room > x->room) {
        if (!(p = reallocarray (p, room, sizeof (*p))))
            return -1;
        t->process = p;
        x->room = room;
    }
    if (more->processes)
        memcpy (p + t->processes, more->process, more->processes * sizeof (*p));
    t->processes += more->processes;
    more->processes = 0; /* they have moved */
    return 0;
}

static int
partialjoin_join (struct joining *x, struct totals *more, const char *has)
{
    if (tally_merge (&x->t->tally, &more->tally) < 0 ||
        join_processes (x, more) < 0)
        return errf (x->err, "%s: %s", x->job->label, strerror (ENOMEM));
    x->t->shares_dropped |= more->shares_dropped;
    totals_limit_shares (x->t);
    for (size_t i = 0; i < x->t->sources; i++)
        if (has[i]) {
            partialjoin_add_health (&x->t->health[i], &more->health[i],
                                    !x->job->source[i].taken);
            x->job->source[i].taken = 1;
        }
    return 0;
}

static int begin (struct totals *t, size_t sources)
{
    memset (t, 0, sizeof (*t));
    t->sources = sources;
    t->health = calloc (sources + 1, sizeof (*t->health));
    return t->health && tally_init (&t->tally) == 0 ? 0 : -1;
}

static void partialjoin_do_partition (void *cookie, size_t index, int worker)
{
    struct joining *x = cookie;
    char *path = partial_path (x->job->dir, PARTIAL_TOTALS, (unsigned)index,
                               x->partitions);
    char *has = calloc (x->job->sources + 1, 1);
    struct errtext err = {"out of memory"};
    struct totals t;
    int rc = -1;

    (void)worker;
    if (begin (&t, x->job->sources) == 0 && path && has)
        rc = partial_add (path, x->job, &t, has, &err);
    (void)pthread_mutex_lock (&x->lock);
    if (rc < 0 && !x->failed)
        *x->err = err;
    if (rc < 0 || (!x->failed && partialjoin_join (x, &t, has) < 0))
        x->failed = 1;
    (void)pthread_mutex_unlock (&x->lock);
    totals_clear (&t);
    free (has);
    free (path);
    progress_add (1);
}

int partial_add_all (struct totals *t,
                     struct job *job,
                     unsigned partitions,
                     int threads,
                     struct errtext *err)
{
    struct joining x = {.t = t,
                        .job = job,
                        .partitions = partitions,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .err = err};

    if (begin (t, job->sources) < 0)
        return errf (err, "%s: %s", job->label, strerror (ENOMEM));
    progress_start ("reduce", partitions, "partitions");
    if (pool_run (partitions, threads, partialjoin_do_partition, &x) < 0) {
        (void)errf (err, "%s: %s", job->label, strerror (errno));
        x.failed = 1;
    }
    progress_end ();
    return x.failed ? -1 : 0;
}
