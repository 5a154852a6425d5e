/* SPDX-License-Identifier: MIT
 *
 * chain.c - processes one after another -> the least time that a job can take
 *
 * In:  lives of processes, wait events of their main threads
 * Out: the CPU time outside of calls on storage and fetches of the chain of
 * processes that has most of it, each of which begins when the one before it
 * has ended
 */
#include "config.h"

#include "analyze/facts/summary.h"

#include "lib/base/array.h"
#include "lib/format/calls.h"

struct chain_link {
    uint64_t start, end, busy;
    uint64_t best; /* of the chains that end here or before */
};

static uint64_t chain_length (const struct spanlog *log)
{
    return log->packed_length + intervals_length (&log->tail) +
           intervals_length (&log->late);
}

/* Rows of calls on storage, and of fetching a batch. Their CPU time goes with
 * them: a job without these calls does not compute it, and workers can fetch.
 */
enum {
    CHAIN_CALLS = 1 << BILL_loader | 1 << BILL_decode | 1 << BILL_read |
                  1 << BILL_open | 1 << BILL_write | 1 << BILL_sync |
                  1 << BILL_checkpoint | 1 << BILL_other_io | 1 << BILL_imports
};

/* Return the time that a main thread was on a CPU, or wanted one, less its
 * calls on storage; add its waits. */
static uint64_t chain_add (struct summary *s, const struct process *p)
{
    uint64_t busy = 0, calls = 0;

    for (const struct spans *x = p->spans; x; x = x->next) {
        uint64_t ns = x->main ? chain_length (&x->log) : 0;

        if (call_is_wait (x->key.call))
            s->waited[x->key.call] += ns;
        if (x->key.call == CALL_wait_run || x->key.call == CALL_wait_runq)
            busy += ns;
        else if (CHAIN_CALLS >> x->key.bill & 1)
            calls += ns;
    }
    return busy > calls ? busy - calls : 0;
}

static int chain_order (const void *va, const void *vb)
{
    const struct chain_link *a = va, *b = vb;

    return ORDER (a->end, b->end);
}

/* The best of the first n links, sorted by their ends, that end by a time. */
static uint64_t
chain_until (const struct chain_link *link, size_t n, uint64_t time)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (link[middle].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? link[low - 1].best : 0;
}

int chain_find (struct summary *s, const struct totals *t)
{
    struct chain_link *link = ZEROED (link, t->processes + 1);
    size_t n = 0;

    if (!link)
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        link[n++] = (struct chain_link){p->start, p->end, chain_add (s, p), 0};
    }
    if (n > 1)
        SORT (link, n, chain_order);
    for (size_t i = 0; i < n; i++) {
        uint64_t with = link[i].busy + chain_until (link, i, link[i].start);

        link[i].best = i && link[i - 1].best > with ? link[i - 1].best : with;
        s->chain_busy = link[i].best;
    }
    free (link);
    return 0;
}
