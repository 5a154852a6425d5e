/* SPDX-License-Identifier: MIT
 *
 * spanunion.c - packed times of many threads -> length of their union
 *
 * In:  logs of threads, from load.c and summary.c
 * Out: ns
 *
 * The time is cut into pieces for the threads. In a piece, each round takes
 * from every log the intervals up to a time to which all of them have been
 * unpacked, sorts them by merging runs without a branch that depends on data,
 * and adds what reaches beyond the end of all before.
 */
#include "config.h"

#include "analyze/query/spans/spanunion.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/spans/spancursor.h"
#include "lib/util/pool.h"

enum {
    BATCH = 256,           /* intervals of a log at hand */
    BATCH_FEW = 32,        /* the same when there are many logs */
    MANY = 2048,           /* logs */
    PIECES_MAX = 64,       /* of the time */
    PIECE_BYTES = 1 << 17, /* packed; less is no work for a thread */
};

/* --- one piece of the time --------------------------------------------- */

/* A union on its way. */
struct span_sum {
    uint64_t done; /* the end of all so far */
    uint64_t length;
};

struct merger {
    struct span_cursor *cursor; /* owned, as all of these */
    uint64_t *starts;
    uint32_t *lengths;
    size_t *run;     /* where each begins, and the end of the last */
    uint64_t *a, *b; /* start - lo << 32 | place in starts and lengths */
    size_t count;    /* of cursors */
    uint64_t lo;     /* of the round */
    unsigned shift;  /* place >> shift: which cursor it was at first */
    const struct span_member **member; /* of each of these; owned */
    struct span_sum *sum;              /* owned */
};

static void merger_close (struct merger *m)
{
    for (size_t i = 0; m->cursor && i < m->count; i++)
        spancursor_close (&m->cursor[i]);
    free (m->cursor);
    free (m->starts);
    free (m->lengths);
    free (m->run);
    free (m->a);
    free (m->b);
    free (m->member);
    free (m->sum);
}

static int merger_room (struct merger *m, size_t cursors, size_t sums)
{
    size_t batch = cursors > MANY ? BATCH_FEW : BATCH;

    memset (m, 0, sizeof (*m));
    m->shift = (unsigned)__builtin_ctzll (batch);
    m->member = calloc (cursors + 1, sizeof (*m->member));
    m->sum = calloc (sums + 1, sizeof (*m->sum));
    m->cursor = calloc (cursors, sizeof (*m->cursor));
    m->starts = calloc (cursors * batch, sizeof (*m->starts));
    m->lengths = calloc (cursors * batch, sizeof (*m->lengths));
    m->run = calloc (cursors + 1, sizeof (*m->run));
    m->a = calloc (cursors * batch, sizeof (*m->a));
    m->b = calloc (cursors * batch, sizeof (*m->b));
    if (!m->cursor || !m->starts || !m->lengths || !m->run || !m->a || !m->b ||
        !m->member || !m->sum)
        return -1;
    for (size_t i = 0; i < cursors; i++) {
        m->cursor[i].start = m->starts + i * batch;
        m->cursor[i].length = m->lengths + i * batch;
        m->cursor[i].room = batch;
    }
    return 0;
}

static int merger_add (struct merger *m,
                       const struct span_member *member,
                       const struct span_block *block,
                       const struct intervals *list,
                       uint64_t lo,
                       uint64_t hi)
{
    m->member[m->count] = member;
    return spancursor_open (&m->cursor[m->count++], block, list, lo, hi);
}

static int merger_open (struct merger *m,
                        const struct span_member *members,
                        size_t n,
                        size_t sums,
                        uint64_t lo,
                        uint64_t hi)
{
    size_t cursors = 0;

    for (size_t i = 0; i < n; i++)
        cursors += 1 + (members[i].log->late.count > 0);
    if (merger_room (m, cursors, sums) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct spanlog *log = members[i].log;

        if (merger_add (m, &members[i], log->first, &log->tail, lo, hi) < 0 ||
            (log->late.count &&
             merger_add (m, &members[i], NULL, &log->late, lo, hi) < 0))
            return -1;
    }
    return 0;
}

/* Cursors that have come to their end leave. False: all have. */
static int drop_empty (struct merger *m)
{
    for (size_t i = 0; i < m->count;)
        if (m->cursor[i].at == m->cursor[i].count) {
            spancursor_close (&m->cursor[i]);
            m->cursor[i] = m->cursor[--m->count];
        } else
            i++;
    return m->count > 0;
}

/* Up to where all that begins is at hand, from m->lo on. */
static uint64_t horizon (struct merger *m)
{
    uint64_t hi = UINT64_MAX;

    m->lo = UINT64_MAX;
    for (size_t i = 0; i < m->count; i++) {
        const struct span_cursor *c = &m->cursor[i];

        if (c->start[c->at] < m->lo)
            m->lo = c->start[c->at];
        if (c->more && c->start[c->count - 1] < hi)
            hi = c->start[c->count - 1] + 1;
    }
    return hi - m->lo > SPAN_PIECE_MAX ? m->lo + SPAN_PIECE_MAX : hi;
}

/* A run for each log that has something before hi; how many. */
static size_t gather (struct merger *m, uint64_t hi)
{
    size_t runs = 0, n = 0;

    for (size_t i = 0; i < m->count; i++) {
        struct span_cursor *c = &m->cursor[i];
        size_t at = c->at;
        uint64_t place = (uint64_t)(c->start - m->starts);

        m->run[runs] = n;
        for (; at < c->count && c->start[at] < hi; at++)
            m->a[n++] = (c->start[at] - m->lo) << 32 | (place + at);
        runs += at > c->at;
        c->at = at;
    }
    m->run[runs] = n;
    return runs;
}

/* Indices, not pointers: the compiler then makes no branch of the choice. */
static void merge_two (
    const uint64_t *x, size_t nx, const uint64_t *y, size_t ny, uint64_t *out)
{
    size_t i = 0, j = 0;

    while (i < nx && j < ny) {
        uint64_t a = x[i], b = y[j];
        size_t second = b < a;

        out[i + j] = second ? b : a;
        j += second;
        i += 1 - second;
    }
    memcpy (out + i + j, x + i, (nx - i) * sizeof (*x));
    memcpy (out + nx + j, y + j, (ny - j) * sizeof (*y));
}

/* Pairs of runs, until there is one, which is then in m->a. */
static void merge_runs (struct merger *m, size_t runs)
{
    while (runs > 1) {
        size_t *run = m->run, kept = 0;
        uint64_t *other = m->b;

        for (size_t i = 0; i < runs; i += 2) {
            size_t middle = run[i + 1],
                   end = i + 1 < runs ? run[i + 2] : middle;
            size_t begin = run[i];

            merge_two (m->a + begin, middle - begin, m->a + middle,
                       end - middle, other + begin);
            run[kept++] = begin;
        }
        run[kept] = run[runs];
        runs = kept;
        m->b = m->a;
        m->a = other;
    }
}

/* What [start, end) adds to the unions that it belongs to. */
static inline void span_sums_add (struct span_sum *sum,
                                  const struct span_member *m,
                                  uint64_t start,
                                  uint64_t end)
{
    for (uint32_t i = 0; i < m->sums; i++) {
        struct span_sum *s = &sum[m->sum[i]];
        uint64_t from = start > s->done ? start : s->done;

        s->length += end > from ? end - from : 0;
        s->done = end > s->done ? end : s->done;
    }
}

/* What n sorted ones add. */
static void merger_add_up (struct merger *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t place = (uint32_t)m->a[i];
        uint64_t start = m->lo + (m->a[i] >> 32);

        span_sums_add (m->sum, m->member[place >> m->shift], start,
                       start + m->lengths[place]);
    }
}

static int merger_run (struct merger *m)
{
    while (drop_empty (m)) {
        size_t runs = gather (m, horizon (m)), n = m->run[runs];

        merge_runs (m, runs);
        merger_add_up (m, n);
        for (size_t i = 0; i < m->count; i++)
            if (m->cursor[i].at == m->cursor[i].count && m->cursor[i].more &&
                spancursor_fill (&m->cursor[i]) < 0)
                return -1;
    }
    return 0;
}

/* --- all pieces --------------------------------------------------------- */

struct pieces {
    const struct span_member *members;
    size_t n, sums, count;
    uint64_t from[PIECES_MAX + 1]; /* the last one is where it ends */
    uint64_t *length;              /* of each sum; the caller's */
    pthread_mutex_t lock;          /* of length */
    atomic_int failed;             /* errno */
};

static void do_piece (void *cookie, size_t i, int worker)
{
    struct pieces *p = cookie;
    struct merger m;

    (void)worker;
    if (merger_open (&m, p->members, p->n, p->sums, p->from[i],
                     p->from[i + 1]) < 0 ||
        merger_run (&m) < 0)
        atomic_store (&p->failed, errno ? errno : ENOMEM);
    else {
        (void)pthread_mutex_lock (&p->lock);
        for (size_t s = 0; s < p->sums; s++)
            p->length[s] += m.sum[s].length;
        (void)pthread_mutex_unlock (&p->lock);
    }
    merger_close (&m);
}

static int by_time (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Pieces with about as many packed bytes each. 0, or -1 (ENOMEM). */
static int cut (struct pieces *p, size_t blocks, uint64_t bytes)
{
    size_t n = 0, pieces = (size_t)(bytes / PIECE_BYTES);
    uint64_t *from;

    p->count = 1;
    p->from[0] = 0;
    p->from[1] = UINT64_MAX;
    if (pieces < 2)
        return 0;
    if (pieces > PIECES_MAX)
        pieces = PIECES_MAX;
    if (!(from = calloc (blocks, sizeof (*from))))
        return -1;
    for (size_t i = 0; i < p->n; i++)
        for (const struct span_block *b = p->members[i].log->first; b;
             b = b->next)
            if (b->room == SPANLOG_BLOCK_MAX)
                from[n++] = b->from;
    qsort (from, n, sizeof (*from), by_time);
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

    for (size_t i = 0; i < p->n; i++) {
        bytes += p->members[i].log->bytes;
        for (const struct span_block *b = p->members[i].log->first; b;
             b = b->next)
            blocks++;
    }
    if (cut (p, blocks, bytes) < 0 || pool_run (p->count, 0, do_piece, p) < 0)
        return -1;
    errno = atomic_load (&p->failed);
    return errno ? -1 : 0;
}

/* The length of what is one log is known: those unions need no sweep. What is
 * left goes to some and lists, which have room. */
static size_t known_lengths (const struct span_member *members,
                             size_t n,
                             const uint32_t *logs_of,
                             uint64_t *length,
                             struct span_member *some,
                             uint32_t *list)
{
    size_t left = 0;

    for (size_t i = 0; i < n; i++) {
        const struct spanlog *log = members[i].log;
        struct span_member *to = &some[left];

        if (!log || spanlog_empty (log))
            continue;
        *to = (struct span_member){log, list, 0};
        for (uint32_t k = 0; k < members[i].sums; k++) {
            uint32_t sum = members[i].sum[k];

            if (logs_of[sum] == 1 && log->late.count == 0)
                length[sum] =
                    log->packed_length + intervals_length (&log->tail);
            else
                list[to->sums++] = sum;
        }
        list += to->sums;
        left += to->sums > 0;
    }
    return left;
}

int spans_lengths (const struct span_member *members,
                   size_t n,
                   uint64_t *length,
                   size_t sums)
{
    struct span_member *some = calloc (n + 1, sizeof (*some));
    uint32_t *logs_of = calloc (sums + 1, sizeof (*logs_of)), *lists = NULL;
    struct pieces p = {.members = some,
                       .sums = sums,
                       .length = length,
                       .lock = PTHREAD_MUTEX_INITIALIZER};
    size_t belongs = 0;
    int rc = -1;

    memset (length, 0, sums * sizeof (*length));
    for (size_t i = 0; logs_of && i < n; i++)
        for (uint32_t k = 0; k < members[i].sums; k++, belongs++)
            if (members[i].log && !spanlog_empty (members[i].log))
                logs_of[members[i].sum[k]]++;
    if (some && logs_of && (lists = calloc (belongs + 1, sizeof (*lists)))) {
        p.n = known_lengths (members, n, logs_of, length, some, lists);
        rc = p.n ? all_pieces (&p) : 0;
    }
    free (some);
    free (logs_of);
    free (lists);
    return rc;
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
            members[(*count)++] = (struct span_member){logs[i], &first, 1};
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
    struct pieces p = {.sums = 1,
                       .count = 1,
                       .from = {lo, hi},
                       .length = out,
                       .lock = PTHREAD_MUTEX_INITIALIZER};
    struct span_member *members = same_members (logs, n, &p.n);

    *out = 0;
    if (!members)
        return -1;
    p.members = members;
    if (p.n && lo < hi)
        do_piece (&p, 0, 0);
    free (members);
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
