/* SPDX-License-Identifier: MIT
 *
 * spanmerge.c - packed times of many logs in a piece of the time -> lengths of
 *               unions
 *
 * In:  logs and the unions that they belong to, from spanunion.c
 * Out: ns
 *
 * Each round takes from every log the intervals up to a time to which all of
 * them have been unpacked, sorts them, and adds to each union what reaches
 * beyond the end of all before. It looks only at logs that have any: times may
 * be years apart in a damaged trace, and then most rounds have one interval.
 */
#include "config.h"

#include "analyze/scan/spanmerge.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 256,    /* intervals of a log at hand */
    BATCH_FEW = 32, /* the same when there are many logs */
    MANY = 2048,    /* logs */
    LINKS_FEW = 8   /* unions of a log */
};

/* Starts of a round differ by less, so that they fit into 32 bits. */
#define ROUND_MAX ((uint64_t)1 << 31)

void merger_close (struct merger *m)
{
    for (size_t i = 0; m->cursor && i < m->count; i++)
        spancursor_close (&m->cursor[i]);
    free (m->cursor);
    free (m->awake);
    free (m->asleep);
    free (m->starts);
    free (m->lengths);
    free (m->sort.run);
    free (m->sort.a);
    free (m->sort.b);
    free (m->sort.bucket);
    free (m->target);
    free (m->link);
    free (m->sum);
}

static int
merger_room (struct merger *m, size_t cursors, const struct spanlinks *w)
{
    size_t batch = cursors > MANY ? BATCH_FEW : BATCH;

    memset (m, 0, sizeof (*m));
    m->shift = (unsigned)__builtin_ctzll (batch);
    m->target = calloc (cursors + 1, sizeof (*m->target));
    m->link = calloc (w->links + LINKS_FEW * w->targets + 1, sizeof (*m->link));
    m->sum = calloc (w->sums + 1, sizeof (*m->sum));
    m->sums = w->sums;
    m->cursor = calloc (cursors, sizeof (*m->cursor));
    m->awake = calloc (cursors + 1, sizeof (*m->awake));
    m->asleep = calloc (cursors + 1, sizeof (*m->asleep));
    m->starts = calloc (cursors * batch, sizeof (*m->starts));
    m->lengths = calloc (cursors * batch, sizeof (*m->lengths));
    m->sort.run = calloc (cursors + 1, sizeof (*m->sort.run));
    m->sort.a = calloc (cursors * batch, sizeof (*m->sort.a));
    m->sort.b = calloc (cursors * batch, sizeof (*m->sort.b));
    m->sort.bucket = calloc (SPANSORT_BUCKETS, sizeof (*m->sort.bucket));
    if (!m->cursor || !m->awake || !m->asleep || !m->starts || !m->lengths ||
        !m->sort.run || !m->sort.a || !m->sort.b || !m->target || !m->link ||
        !m->sum || !m->sort.bucket)
        return -1;
    for (size_t i = 0; i < cursors; i++) {
        m->cursor[i].start = m->starts + i * batch;
        m->cursor[i].length = m->lengths + i * batch;
        m->cursor[i].room = batch;
    }
    return 0;
}

static int merger_add (struct merger *m,
                       struct merger_target target,
                       const struct span_block *block,
                       const struct intervals *list,
                       uint64_t lo,
                       uint64_t hi)
{
    m->target[m->count] = target;
    m->awake[m->awakes++] = (uint32_t)m->count;
    return spancursor_open (&m->cursor[m->count++], block, list, lo, hi);
}

/* As many unions for each log, if that is not many: a loop of the same length
 * for all is one that the processor can foretell. */
static uint32_t merger_least_links (const struct spanlinks *w)
{
    uint32_t most = 0;

    for (size_t i = 0; i < w->targets; i++)
        if (w->target[i].links > most)
            most = w->target[i].links;
    return most < LINKS_FEW ? most : LINKS_FEW;
}

/* link has room for those of x, and for `least`. */
static struct merger_target merger_target (struct merger *m,
                                           struct span_sum **link,
                                           const struct span_target *x,
                                           uint32_t least)
{
    uint32_t n = 0;

    for (; n < x->links; n++)
        link[n] = &m->sum[x->link[n]];
    for (; n < least; n++)
        link[n] = &m->sum[m->sums];
    return (struct merger_target){link, link + n};
}

int merger_open (struct merger *m,
                 const struct spanlinks *w,
                 uint64_t lo,
                 uint64_t hi)
{
    uint32_t least = merger_least_links (w);
    struct span_sum **link;
    size_t cursors = 0;

    for (size_t i = 0; i < w->targets; i++)
        cursors += 1 + (w->target[i].log->late.count > 0);
    if (merger_room (m, cursors, w) < 0)
        return -1;
    link = m->link;
    for (size_t i = 0; i < w->targets; i++) {
        const struct span_target *x = &w->target[i];
        struct merger_target t = merger_target (m, link, x, least);

        if (merger_add (m, t, x->log->first, &x->log->tail, lo, hi) < 0 ||
            (x->log->late.count &&
             merger_add (m, t, NULL, &x->log->late, lo, hi) < 0))
            return -1;
        link += t.end - t.link;
    }
    return 0;
}

/* --- who takes part in a round ----------------------------------------------
 */

/* Where the next one of a cursor starts; it has one. */
static uint64_t merger_next (const struct merger *m, uint32_t cursor)
{
    const struct span_cursor *c = &m->cursor[cursor];

    return c->start[c->at];
}

static void merger_sleep (struct merger *m, uint32_t cursor)
{
    uint64_t start = merger_next (m, cursor);
    size_t at = m->asleeps++;

    for (size_t up; at > 0; at = up) {
        up = (at - 1) / 2;
        if (merger_next (m, m->asleep[up]) <= start)
            break;
        m->asleep[at] = m->asleep[up];
    }
    m->asleep[at] = cursor;
}

/* The top of the heap, which is not empty, is awake. */
static void merger_wake (struct merger *m)
{
    uint32_t last = m->asleep[m->asleeps - 1];
    uint64_t start = merger_next (m, last);
    size_t at = 0;

    m->awake[m->awakes++] = m->asleep[0];
    m->asleeps--;
    for (size_t child; (child = 2 * at + 1) < m->asleeps; at = child) {
        if (child + 1 < m->asleeps && merger_next (m, m->asleep[child + 1]) <
                                          merger_next (m, m->asleep[child]))
            child++;
        if (merger_next (m, m->asleep[child]) >= start)
            break;
        m->asleep[at] = m->asleep[child];
    }
    m->asleep[at] = last;
}

/* Cursors that have come to their end leave. False: all have. */
static int drop_empty (struct merger *m)
{
    for (size_t i = 0; i < m->awakes;) {
        const struct span_cursor *c = &m->cursor[m->awake[i]];

        if (c->at == c->count)
            m->awake[i] = m->awake[--m->awakes];
        else
            i++;
    }
    return m->awakes + m->asleeps > 0;
}

/* All that a cursor has at hand starts before this; UINT64_MAX: no others
 * are behind it. */
static uint64_t merger_known (const struct merger *m, uint32_t cursor)
{
    const struct span_cursor *c = &m->cursor[cursor];

    return c->more ? c->start[c->count - 1] + 1 : UINT64_MAX;
}

static uint64_t merger_least (uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Up to where all that begins is at hand, from m->lo on; who has any of that
 * is awake. */
static uint64_t horizon (struct merger *m)
{
    uint64_t hi = UINT64_MAX;

    m->lo = m->asleeps ? merger_next (m, m->asleep[0]) : UINT64_MAX;
    for (size_t i = 0; i < m->awakes; i++) {
        m->lo = merger_least (m->lo, merger_next (m, m->awake[i]));
        hi = merger_least (hi, merger_known (m, m->awake[i]));
    }
    if (hi - m->lo > ROUND_MAX)
        hi = m->lo + ROUND_MAX;
    while (m->asleeps && merger_next (m, m->asleep[0]) < hi) {
        merger_wake (m);
        hi = merger_least (hi, merger_known (m, m->awake[m->awakes - 1]));
    }
    return hi;
}

/* A run for each log that has something before hi; how many. The others
 * sleep. */
static size_t gather (struct merger *m, uint64_t hi)
{
    size_t runs = 0, n = 0, stay = 0;

    m->rounds++;
    m->looks += m->awakes;
    for (size_t i = 0; i < m->awakes; i++) {
        struct span_cursor *c = &m->cursor[m->awake[i]];
        size_t at = c->at, count = c->count;
        const uint64_t *start = c->start;
        uint64_t place = (uint64_t)(start - m->starts), lo = m->lo;
        uint64_t *out = m->sort.a;

        if (start[at] >= hi) {
            merger_sleep (m, m->awake[i]);
            continue;
        }
        m->sort.run[runs++] = n;
        for (; at < count && start[at] < hi; at++)
            out[n++] = (start[at] - lo) << 32 | (place + at);
        c->at = at;
        m->awake[stay++] = m->awake[i];
    }
    m->awakes = stay;
    m->sort.run[runs] = n;
    return runs;
}

/* --- the sweep --------------------------------------------------------------
 */

/* What n sorted ones add. */
static void merger_add_up (struct merger *m, size_t n)
{
    const struct merger_target *targets = m->target;
    const uint64_t *sorted = m->sort.a;
    const uint32_t *lengths = m->lengths;
    uint64_t lo = m->lo;
    unsigned shift = m->shift;

    for (size_t i = 0; i < n; i++) {
        uint32_t place = (uint32_t)sorted[i];
        const struct merger_target *t = &targets[place >> shift];
        uint64_t start = lo + (sorted[i] >> 32), end = start + lengths[place];

        if (lengths[place] == SPAN_WIDE)
            end = start + m->cursor[place >> shift].wide;

        /* no branch: none could be foretold, as others have this time in about
           half of the cases */
        for (struct span_sum *const *l = t->link; l < t->end; l++) {
            struct span_sum *s = *l;
            uint64_t done = s->done, from = start > done ? start : done;
            uint64_t to = end > done ? end : done;

            s->length += to - from;
            s->done = to;
        }
    }
}

int merger_run (struct merger *m)
{
    while (drop_empty (m)) {
        size_t runs = gather (m, horizon (m)), n = m->sort.run[runs];

        spansort_runs (&m->sort, runs);
        merger_add_up (m, n);
        /* also those that have few: the first one to run out ends a round,
           and a round looks at all that are awake */
        for (size_t i = 0; i < m->awakes; i++) {
            struct span_cursor *c = &m->cursor[m->awake[i]];

            if (c->more && 2 * (c->count - c->at) < c->room &&
                spancursor_fill (c) < 0)
                return -1;
        }
    }
    return 0;
}
