/* SPDX-License-Identifier: MIT
 *
 * mainthreads.c - what threads do -> which one is the main thread
 *
 * In:  steps and events by piece, from learn.c
 * Out: thread numbers by process
 */
#include "config.h"

#include "analyze/scan/mainthreads.h"

#include <stdlib.h>

/* A first thread with less than that part of the events, 1 %, only starts the
 * others; which may be a pool, of which none is the main thread. */
enum { MAINTHREADS_STARTER = 100 };

struct mainthreads_process {
    uint64_t steps, events; /* of the thread that has the most */
    uint64_t all, first;    /* events, of all threads and of the first */
    uint64_t start;         /* of the first event */
    uint32_t stepper, busiest, earliest;
    int stays; /* the first thread has steps, or waits for batches */
};

/* One thread, from piece i on; the next piece that is not of it. */
static size_t mainthreads_add (const struct pass *p,
                               const struct mainthread_piece *piece,
                               size_t i,
                               struct mainthreads_process *process)
{
    const struct pass_piece *t = &p->piece[i];
    struct mainthreads_process *of = &process[t->process];
    int first = t->tid == p->parts.item[t->process].who->p.pid;
    struct mainthread_piece n = {.start = piece[i].start};

    do {
        n.steps += piece[i].steps;
        n.stalls += piece[i].stalls;
        n.events += piece[i].events;
    } while (++i < p->pieces && p->piece[i].continues);
    of->all += n.events;
    of->first += first ? n.events : 0;
    of->stays |= first && n.steps + n.stalls;
    if (n.steps > of->steps) {
        of->steps = n.steps;
        of->stepper = t->tid;
    }
    if (n.events > of->events) {
        of->events = n.events;
        of->busiest = t->tid;
    }
    if (n.events && (!of->earliest || n.start < of->start)) {
        of->start = n.start;
        of->earliest = t->tid;
    }
    return i;
}

static uint32_t mainthreads_of (const struct mainthreads_process *of,
                                uint32_t first)
{
    if (of->stays)
        return first;
    if (of->steps)
        return of->stepper;
    if (of->first * MAINTHREADS_STARTER >= of->all)
        return first;
    return of->events > of->all / 2 ? of->busiest : of->earliest;
}

int mainthreads_find (const struct pass *p,
                      const struct mainthread_piece *piece,
                      uint32_t *main)
{
    struct mainthreads_process *process =
        calloc (p->parts.count + 1, sizeof (*process));
    int any = 0;

    if (!process)
        return -1;
    for (size_t i = 0; i < p->pieces;)
        i = mainthreads_add (p, piece, i, process);
    for (size_t i = 0; i < p->parts.count; i++) {
        uint32_t first = p->parts.item[i].who->p.pid;

        main[i] = mainthreads_of (&process[i], first);
        any |= main[i] != first;
    }
    free (process);
    return any;
}
