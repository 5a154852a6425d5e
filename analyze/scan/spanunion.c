/* SPDX-License-Identifier: MIT
 *
 * spanunion.c - packed times of many threads -> lengths of unions
 *
 * In:  logs of threads, from times.c and queryanswer.c
 * Out: ns
 *
 * The time is cut into pieces for the threads; lengths of pieces add up.
 */
#include "config.h"

#include "analyze/scan/spanunion.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/spanmerge.h"
#include "lib/util/pool.h"

enum {
    PIECES_MAX = 64,       /* of the time */
    PIECE_BYTES = 1 << 17, /* packed; less is no work for a thread */
    THREAD_PIECES = 3      /* each begins in the midst of all logs' blocks, and
                              unpacks what is before it there in vain */
};

/* --- all pieces --------------------------------------------------------- */

struct pieces {
    struct spanlinks links;
    size_t count;
    uint64_t from[PIECES_MAX + 1]; /* the last one is where it ends */
    pthread_mutex_t lock;          /* of links.length */
    atomic_int failed;             /* errno */
};

static void do_piece (void *cookie, size_t i, int worker)
{
    struct pieces *p = cookie;
    struct merger m;

    (void)worker;
    if (merger_open (&m, &p->links, p->from[i], p->from[i + 1]) < 0 ||
        merger_run (&m) < 0)
        atomic_store (&p->failed, errno ? errno : ENOMEM);
    else {
        (void)pthread_mutex_lock (&p->lock);
        for (size_t s = 0; s < p->links.sums; s++)
            p->links.length[s] += m.sum[s].length;
        (void)pthread_mutex_unlock (&p->lock);
    }
    merger_close (&m);
}

static int spanunion_by_time (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Pieces with about as many packed bytes each. 0, or -1 (ENOMEM). */
static int spanunion_cut (struct pieces *p, size_t blocks, uint64_t bytes)
{
    size_t n = 0, pieces = (size_t)(bytes / PIECE_BYTES);
    size_t threads = (size_t)pool_threads ();
    uint64_t *from;

    p->count = 1;
    p->from[0] = 0;
    p->from[1] = UINT64_MAX;
    if (pieces > PIECES_MAX)
        pieces = PIECES_MAX;
    if (pieces > THREAD_PIECES * threads)
        pieces = THREAD_PIECES * threads;
    if (pieces < 2 || threads < 2)
        return 0;
    if (!(from = calloc (blocks, sizeof (*from))))
        return -1;
    for (size_t i = 0; i < p->links.targets; i++)
        for (const struct span_block *b = p->links.target[i].log->first; b;
             b = b->next)
            if (b->room == SPANLOG_BLOCK_MAX)
                from[n++] = b->from;
    qsort (from, n, sizeof (*from), spanunion_by_time);
    for (size_t i = 1; i < pieces && n; i++) {
        uint64_t at = from[i * n / pieces];

        if (at > p->from[p->count - 1]) {
            p->from[p->count++] = at;
            p->from[p->count] = UINT64_MAX;
        }
    }
    free (from);
    return 0;
}

static int all_pieces (struct pieces *p)
{
    size_t blocks = 0;
    uint64_t bytes = 0;

    for (size_t i = 0; i < p->links.targets; i++) {
        const struct spanlog *log = p->links.target[i].log;

        bytes += log->bytes;
        for (const struct span_block *b = log->first; b; b = b->next)
            blocks++;
    }
    if (spanunion_cut (p, blocks, bytes) < 0 ||
        pool_run (p->count, 0, do_piece, p) < 0)
        return -1;
    errno = atomic_load (&p->failed);
    return errno ? -1 : 0;
}

int spans_bills (const struct span_member *members,
                 size_t n,
                 uint64_t *length,
                 size_t sums,
                 struct spanbill *bill,
                 size_t bills)
{
    struct pieces p = {.lock = PTHREAD_MUTEX_INITIALIZER};
    int rc = spanlinks_make (&p.links, members, n, sums, bill, bills);

    if (rc == 0 && p.links.targets)
        rc = all_pieces (&p);
    if (rc == 0) {
        spanlinks_end (&p.links, bill, bills);
        memcpy (length, p.links.length, sums * sizeof (*length));
    }
    spanlinks_clear (&p.links);
    return rc;
}

int spans_lengths (const struct span_member *members,
                   size_t n,
                   uint64_t *length,
                   size_t sums)
{
    return spans_bills (members, n, length, sums, NULL, 0);
}

/* All logs as members of sum 0; malloc'd. NULL: ENOMEM. */
static struct span_member *
same_members (const struct spanlog *const *logs, size_t n, size_t *count)
{
    static const uint32_t first = 0;
    struct span_member *members = calloc (n + 1, sizeof (*members));

    *count = 0;
    for (size_t i = 0; members && i < n; i++)
        if (logs[i] && !spanlog_empty (logs[i]))
            members[(*count)++] =
                (struct span_member){.log = logs[i], .sum = &first, .sums = 1};
    return members;
}

int spans_length (const struct spanlog *const *logs, size_t n, uint64_t *out)
{
    size_t count;
    struct span_member *members = same_members (logs, n, &count);
    int rc = members ? 0 : -1;

    *out = 0;
    if (members)
        rc = spans_lengths (members, count, out, 1);
    free (members);
    return rc;
}

int spans_length_in (const struct spanlog *const *logs,
                     size_t n,
                     uint64_t lo,
                     uint64_t hi,
                     uint64_t *out)
{
    struct pieces p = {
        .count = 1, .from = {lo, hi}, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct span_target *target = calloc (n + 1, sizeof (*target));
    static const uint32_t first;
    uint64_t length[1] = {0};

    *out = 0;
    if (!target)
        return -1;
    p.links = (struct spanlinks){
        .target = target, .length = length, .sums = 1, .links = n};
    for (size_t i = 0; i < n; i++)
        if (logs[i] && !spanlog_empty (logs[i]))
            target[p.links.targets++] =
                (struct span_target){logs[i], &first, 1};
    if (p.links.targets && lo < hi)
        do_piece (&p, 0, 0);
    *out = length[0];
    free (target);
    errno = atomic_load (&p.failed);
    return errno ? -1 : 0;
}

/* What both have is what they have more than their union. */
int spans_common (const struct spanlog *const *a,
                  size_t na,
                  const struct spanlog *const *b,
                  size_t nb,
                  uint64_t *out)
{
    const struct spanlog **all = calloc (na + nb + 1, sizeof (*all));
    uint64_t in_a, in_b, in_all;
    int rc = -1;

    *out = 0;
    if (!all)
        return -1;
    if (na)
        memcpy (all, a, na * sizeof (*a));
    if (nb)
        memcpy (all + na, b, nb * sizeof (*b));
    if (spans_length (a, na, &in_a) == 0 && spans_length (b, nb, &in_b) == 0) {
        rc = in_a && in_b ? spans_length (all, na + nb, &in_all) : 0;
        if (rc == 0 && in_a && in_b)
            *out = in_a + in_b - in_all;
    }
    free (all);
    return rc;
}
