/* SPDX-License-Identifier: MIT
 *
 * spanunion.c - packed times of many threads -> lengths of unions
 *
 * In:  logs of threads, from times.c and queryanswer.c
 * Out: ns
 *
 * The time is cut into slices for the threads; lengths of slices add up.
 */
#include "config.h"

#include "analyze/scan/spanunion.h"
#include "lib/base/array.h"
#include "lib/util/pool.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CROWD = 24 /* numbers of a bucket; sorting neighbours is slow then */ };

/* --- buckets ---------------------------------------------------------------
 */

static unsigned spansort_bits (uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll (v) : 0;
}

/* How far values are to be shifted to be a bucket, of so many. */
static unsigned spansort_shift (const struct spansort *s,
                                size_t n,
                                size_t runs,
                                size_t *buckets)
{
    uint64_t most = 0;
    unsigned bits = spansort_bits (n), width;

    for (size_t i = 0; i < runs; i++)
        if (s->run[i + 1] > s->run[i] && s->a[s->run[i + 1] - 1] > most)
            most = s->a[s->run[i + 1] - 1];
    width = spansort_bits (most);
    if (bits > spansort_bits (SPANSORT_BUCKETS) - 1)
        bits = spansort_bits (SPANSORT_BUCKETS) - 1;
    *buckets = (size_t)1 << bits;
    return width > bits ? width - bits : 0;
}

/* v[at] is less than the one before: put it where it belongs. */
static void spansort_back (uint64_t *v, size_t at)
{
    uint64_t x = v[at];

    for (; at > 0 && v[at - 1] > x; at--)
        v[at] = v[at - 1];
    v[at] = x;
}

/* Only neighbours change places. */
static void spansort_neighbours (uint64_t *v, size_t n)
{
    uint64_t most = n ? v[0] : 0;

    for (size_t i = 1; i < n; i++)
        if (v[i] < most)
            spansort_back (v, i);
        else
            most = v[i];
}

/* False: too many in one bucket. */
static int spansort_count (struct spansort *s, size_t n, unsigned shift)
{
    uint32_t most = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t count = ++s->bucket[s->a[i] >> shift];

        most = MAX (count, most);
    }
    return most <= CROWD;
}

static int spansort_by_value (struct spansort *s, size_t runs)
{
    size_t n = s->run[runs], buckets;
    unsigned shift = spansort_shift (s, n, runs, &buckets);
    uint32_t at = 0;
    uint64_t *other = s->b;

    memset (s->bucket, 0, buckets * sizeof (*s->bucket));
    if (!spansort_count (s, n, shift))
        return 0;
    for (size_t i = 0; i < buckets; i++) {
        uint32_t count = s->bucket[i];

        s->bucket[i] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        other[s->bucket[s->a[i] >> shift]++] = s->a[i];
    spansort_neighbours (other, n);
    s->b = s->a;
    s->a = other;
    return 1;
}

/* --- merging ----------------------------------------------------------------
 */

/* Indices, not pointers: the compiler then makes no branch of the choice. */
static void spansort_merge_two (
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

/* Pairs of runs, until there is one. */
static void spansort_merge (struct spansort *s, size_t runs)
{
    while (runs > 1) {
        size_t *run = s->run, used = 0;
        uint64_t *other = s->b;

        for (size_t i = 0; i < runs; i += 2) {
            size_t middle = run[i + 1],
                   end = i + 1 < runs ? run[i + 2] : middle;
            size_t begin = run[i];

            spansort_merge_two (s->a + begin, middle - begin, s->a + middle,
                                end - middle, other + begin);
            run[used++] = begin;
        }
        run[used] = run[runs];
        runs = used;
        s->b = s->a;
        s->a = other;
    }
}

void spansort_runs (struct spansort *s, size_t runs)
{
    if (runs > 2 && spansort_by_value (s, runs))
        return;
    spansort_merge (s, runs);
}

/* --- weights of the time ----------------------------------------------------
 */

void spanweights_add (struct span_weights *w, uint64_t start, uint64_t n)
{
    uint64_t weight = n ? ((uint64_t)1 << SPAN_WEIGHT_BITS) / n : 0;

    if (w->count && w->item[w->count - 1].start == start)
        w->count--;
    if (w->count && w->item[w->count - 1].weight == weight)
        return;
    *APPEND (w->item, w->count, w->room) =
        (struct span_weight){.start = start, .weight = weight};
}

/* 2^10 units a ns: each of the ranks' times is rounded to one. */
enum { WEIGHTS_FRACTION = 10, WEIGHTS_ROOM = 62 };

void spanweights_begin (struct span_weights *w, uint64_t end)
{
    uint64_t first = w->count > 1 ? w->item[1].start : 0;
    unsigned bits = spansort_bits (end - first);

    w->fraction = bits + WEIGHTS_FRACTION < WEIGHTS_ROOM ? WEIGHTS_FRACTION : 0;
    for (size_t i = 1; i < w->count; i++)
        w->item[i].before =
            w->item[i - 1].before +
            (uint128_t)(w->item[i].start - w->item[i - 1].start) *
                w->item[i - 1].weight;
}

/* The weight at a time. */
static size_t spanweights_at (const struct span_weights *w, uint64_t time)
{
    size_t low = 0, high = w->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (w->item[middle].start <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Find the weight of a time that is most often soon behind weight at. */
static size_t
spanweights_next (const struct span_weights *w, size_t at, uint64_t time)
{
    for (int i = 0; i < 4; i++, at++)
        if (at + 1 == w->count || w->item[at + 1].start > time)
            return at;
    return spanweights_at (w, time);
}

static uint128_t spanweights_clock (const struct span_weights *w, uint64_t time)
{
    const struct span_weight *at = &w->item[spanweights_at (w, time)];

    return at->before + (uint128_t)(time - at->start) * at->weight;
}

uint64_t
spanweights_length (const struct span_weights *w, uint64_t start, uint64_t end)
{
    return end <= start ? 0
                        : (uint64_t)((spanweights_clock (w, end) -
                                      spanweights_clock (w, start)) >>
                                     (SPAN_WEIGHT_BITS - w->fraction));
}

void spanweights_clear (struct span_weights *w)
{
    free (w->item);
    ZERO (w);
}

/* The weight at hand. */
static void merger_weight_from (struct merger *m, size_t weight)
{
    m->weight = weight;
    m->until = weight + 1 < m->weights->count
                   ? m->weights->item[weight + 1].start
                   : UINT64_MAX;
}

/* --- which unions a log belongs to ------------------------------------------
 */

static void links_add (void *cookie, uint32_t sum)
{
    struct spanlinks *l = cookie;

    *APPEND (l->link, l->links, l->room) = sum;
}

static void links_of (struct spanlinks *l, const struct span_member *m)
{
    for (uint32_t k = 0; k < m->sums; k++)
        links_add (l, m->sum[k]);
    for (uint32_t k = 0; k < m->charges; k++)
        spanbill_sums (&l->plan[m->charge[k].bill], m->charge[k].class,
                       links_add, l);
}

static int links_empty (const struct span_member *m)
{
    return !m->log || spanlog_empty (m->log);
}

static void links_number (struct spanlinks *l,
                          const struct span_member *members,
                          size_t n,
                          const struct spanbill *bill,
                          size_t bills)
{
    NEW (l->plan, bills + 1);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0;
             !links_empty (&members[i]) && k < members[i].charges; k++)
            spanbill_has (&l->plan[members[i].charge[k].bill],
                          members[i].charge[k].class);
    l->first_weighted = SIZE_MAX;
    for (size_t b = 0; b < bills; b++) {
        if (bill[b].weighted && l->first_weighted == SIZE_MAX)
            l->first_weighted = l->sums;
        l->sums += spanbill_number (&l->plan[b], &bill[b], (uint32_t)l->sums);
    }
}

/* The links of a target are behind those of the one before. */
static void
links_find (struct spanlinks *l, const struct span_member *members, size_t n)
{
    NEW (l->target, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t from = l->links;

        if (links_empty (&members[i]))
            continue;
        links_of (l, &members[i]);
        l->target[l->targets++] = (struct span_target){
            .log = members[i].log, .links = (uint32_t)(l->links - from)};
    }
}

/* --- fewer ------------------------------------------------------------------
 */

/* Logs of each union, in their order. */
struct links_logs {
    size_t *first; /* [sums + 1]: its first one in log */
    uint32_t *log;
};

static void links_turn (const struct spanlinks *l, struct links_logs *g)
{
    size_t at = 0, *next = ZEROED (next, l->sums + 1);

    NEW (g->first, l->sums + 1);
    NEW (g->log, l->links + 1);
    for (size_t i = 0; i < l->links; i++)
        g->first[l->link[i] + 1]++;
    for (size_t s = 0; s < l->sums; s++) {
        next[s] = g->first[s];
        g->first[s + 1] += g->first[s];
    }
    for (size_t t = 0; t < l->targets; t++)
        for (uint32_t k = 0; k < l->target[t].links; k++)
            g->log[next[l->link[at++]]++] = (uint32_t)t;
    free (next);
}

/* The length of what is one log is known, where it is not weighted. */
static int
links_know (struct spanlinks *l, const struct links_logs *g, size_t s)
{
    const struct spanlog *log = l->target[g->log[g->first[s]]].log;

    if (g->first[s + 1] - g->first[s] != 1 || log->late.count ||
        (l->weights && s >= l->first_weighted))
        return 0;
    l->length[s] = log->packed_length + intervals_length (&log->tail);
    return 1;
}

/* l->same: UINT32_MAX for those that need no sweep. */
static void links_compare (struct spanlinks *l, const struct links_logs *g)
{
    struct strmap *seen = strmap_create ();
    uint32_t *first = ZEROED (first, l->sums + 1); /* of an ordinal */

    for (size_t s = 0; s < l->sums; s++) {
        size_t n = g->first[s + 1] - g->first[s];
        int isnew = 0;
        int64_t at;

        l->same[s] = UINT32_MAX;
        if (!n || links_know (l, g, s))
            continue;
        at = strmap_intern (seen, (const char *)(g->log + g->first[s]),
                            n * sizeof (*g->log), &isnew);
        if (isnew)
            first[at] = (uint32_t)s;
        l->same[s] = first[at];
    }
    strmap_destroy (seen);
    free (first);
}

/* Leave out links and targets that need no sweep. */
static void links_thin (struct spanlinks *l)
{
    size_t at = 0, links = 0, targets = 0;

    for (size_t t = 0; t < l->targets; t++) {
        struct span_target *to = &l->target[targets];
        size_t begin = links;

        for (uint32_t k = 0; k < l->target[t].links; k++, at++)
            if (l->same[l->link[at]] == l->link[at])
                l->link[links++] = l->link[at];
        to->log = l->target[t].log;
        to->links = (uint32_t)(links - begin);
        to->link = l->link ? l->link + begin : NULL;
        targets += links > begin;
    }
    l->targets = targets;
    l->links = links;
}

void spanlinks_make (struct spanlinks *l,
                     const struct span_member *members,
                     size_t n,
                     size_t sums,
                     const struct span_bills *to)
{
    struct links_logs g = {NULL, NULL};

    *l = (struct spanlinks){.sums = sums, .weights = to->weights};
    links_number (l, members, n, to->bill, to->count);
    links_find (l, members, n);
    NEW (l->length, l->sums + 1);
    if (to->weights)
        NEW (l->weighted, l->sums + 1);
    NEW (l->same, l->sums + 1);
    links_turn (l, &g);
    links_compare (l, &g);
    links_thin (l);
    free (g.first);
    free (g.log);
}

/* Take the units of weights for the lengths of weighted unions, which come
 * last. */
static void spanlinks_weight (struct spanlinks *l)
{
    unsigned shift = SPAN_WEIGHT_BITS - l->weights->fraction;

    for (size_t s = l->first_weighted; s < l->sums; s++)
        l->length[s] = l->same[s] == UINT32_MAX
                           ? 0
                           : (uint64_t)(l->weighted[l->same[s]] >> shift);
}

/* After the sweep: give every union its length, and find the bills. */
static void
spanlinks_end (struct spanlinks *l, struct spanbill *bill, size_t bills)
{
    for (size_t s = 0; s < l->sums; s++)
        if (l->same[s] != UINT32_MAX)
            l->length[s] = l->length[l->same[s]];
    if (l->weights)
        spanlinks_weight (l);
    for (size_t b = 0; b < bills; b++)
        spanbill_put (&l->plan[b], l->length, &bill[b]);
}

void spanlinks_clear (struct spanlinks *l)
{
    free (l->target);
    free (l->length);
    free (l->weighted);
    free (l->same);
    free (l->link);
    free (l->plan);
}

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
    free (m->weighted);
}

static void
merger_room (struct merger *m, size_t cursors, const struct spanlinks *w)
{
    size_t batch = cursors > MANY ? BATCH_FEW : BATCH;

    ZERO (m);
    m->shift = (unsigned)__builtin_ctzll (batch);
    NEW (m->target, cursors + 1);
    NEW (m->link, w->links + LINKS_FEW * w->targets + 1);
    NEW (m->sum, w->sums + 1);
    m->sums = w->sums;
    m->weights = w->weights;
    m->weighted =
        w->weights ? xcalloc (w->sums + 1, sizeof (*m->weighted)) : NULL;
    NEW (m->cursor, cursors);
    NEW (m->awake, cursors + 1);
    NEW (m->asleep, cursors + 1);
    NEW (m->starts, cursors * batch);
    NEW (m->lengths, cursors * batch);
    NEW (m->sort.run, cursors + 1);
    NEW (m->sort.a, cursors * batch);
    NEW (m->sort.b, cursors * batch);
    NEW (m->sort.bucket, SPANSORT_BUCKETS);
    for (size_t i = 0; i < cursors; i++) {
        m->cursor[i].start = m->starts + i * batch;
        m->cursor[i].length = m->lengths + i * batch;
        m->cursor[i].room = batch;
    }
}

static void merger_add (struct merger *m,
                        struct merger_target target,
                        const struct span_block *block,
                        const struct intervals *list,
                        uint64_t lo,
                        uint64_t hi)
{
    m->target[m->count] = target;
    m->awake[m->awakes++] = (uint32_t)m->count;
    spancursor_open (&m->cursor[m->count++], block, list, lo, hi);
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
    return (struct merger_target){.link = link, .end = link + n};
}

void merger_open (struct merger *m,
                  const struct spanlinks *w,
                  uint64_t lo,
                  uint64_t hi)
{
    uint32_t least = merger_least_links (w);
    struct span_sum **link;
    size_t cursors = 0;

    for (size_t i = 0; i < w->targets; i++)
        cursors += 1 + (w->target[i].log->late.count > 0);
    merger_room (m, cursors, w);
    if (m->weights)
        merger_weight_from (m, spanweights_at (m->weights, lo));
    link = m->link;
    for (size_t i = 0; i < w->targets; i++) {
        const struct span_target *x = &w->target[i];
        struct merger_target t = merger_target (m, link, x, least);

        merger_add (m, t, x->log->first, &x->log->tail, lo, hi);
        if (x->log->late.count)
            merger_add (m, t, NULL, &x->log->late, lo, hi);
        link += t.end - t.link;
    }
}

/* --- who takes part in a round ----------------------------------------------
 */

/* Start of the next interval of a cursor, which must have one. */
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

/* Up to where all that begins is at hand, from m->lo on; who has any of that
 * is awake. */
static uint64_t horizon (struct merger *m)
{
    uint64_t hi = UINT64_MAX;

    m->lo = m->asleeps ? merger_next (m, m->asleep[0]) : UINT64_MAX;
    for (size_t i = 0; i < m->awakes; i++) {
        uint64_t next = merger_next (m, m->awake[i]);
        uint64_t known = merger_known (m, m->awake[i]);

        m->lo = MIN (m->lo, next);
        hi = MIN (hi, known);
    }
    if (hi - m->lo > ROUND_MAX)
        hi = m->lo + ROUND_MAX;
    while (m->asleeps && merger_next (m, m->asleep[0]) < hi) {
        uint64_t known;

        merger_wake (m);
        known = merger_known (m, m->awake[m->awakes - 1]);
        hi = MIN (hi, known);
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
        uint64_t place = start - m->starts, lo = m->lo;
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

/* The weight has changed since the union grew. */
static void merger_weight_sum (struct merger *m, const struct span_sum *s)
{
    struct span_weighted *w = &m->weighted[s - m->sum];

    w->length +=
        (uint128_t)(s->length - w->ns) * m->weights->item[w->weight].weight;
    w->ns = s->length;
    w->weight = m->weight;
}

/* As above, of all unions of a target. */
static __attribute__ ((noinline)) void merger_weight (struct merger *m,
                                                      struct merger_target *t)
{
    for (struct span_sum *const *l = t->link; l < t->end; l++)
        if (m->weighted[*l - m->sum].weight != m->weight)
            merger_weight_sum (m, *l);
    t->weight = m->weight;
}

/* The interval of a target reaches behind where the weight changes: go on to
 * the weight at its start. 1: it has been added, as it has several. */
static __attribute__ ((noinline)) int merger_cross (struct merger *m,
                                                    struct merger_target *t,
                                                    uint64_t start,
                                                    uint64_t end)
{
    if (start >= m->until)
        merger_weight_from (m, spanweights_next (m->weights, m->weight, start));
    if (end <= m->until)
        return 0;
    merger_weight (m, t);
    for (struct span_sum *const *l = t->link; l < t->end; l++) {
        struct span_sum *s = *l;
        struct span_weighted *w = &m->weighted[s - m->sum];
        uint64_t from = MAX (start, s->done);

        if (end <= from)
            continue;
        w->length += spanweights_clock (m->weights, end) -
                     spanweights_clock (m->weights, from);
        w->ns += end - from;
        s->length += end - from;
        s->done = end;
    }
    return 1;
}

/* Add n sorted intervals to their unions. */
static inline __attribute__ ((always_inline)) void
merger_add_up (struct merger *m, size_t n, int weighted)
{
    struct merger_target *targets = m->target;
    const uint64_t *sorted = m->sort.a;
    const uint32_t *lengths = m->lengths;
    uint64_t lo = m->lo;
    unsigned shift = m->shift;

    for (size_t i = 0; i < n; i++) {
        uint32_t place = (uint32_t)sorted[i];
        struct merger_target *t = &targets[place >> shift];
        uint64_t start = lo + (sorted[i] >> 32), end = start + lengths[place];

        if (lengths[place] == SPAN_WIDE)
            end = start + m->cursor[place >> shift].wide;
        if (weighted && end > m->until && merger_cross (m, t, start, end))
            continue;
        if (weighted && t->weight != m->weight)
            merger_weight (m, t);

        /* no branch on times: none could be foretold, as others have this time
           in about half of the cases */
        for (struct span_sum *const *l = t->link; l < t->end; l++) {
            struct span_sum *s = *l;
            uint64_t done = s->done, from = MAX (start, done);
            uint64_t to = MAX (end, done);

            s->length += to - from;
            s->done = to;
        }
    }
}

void merger_run (struct merger *m)
{
    while (drop_empty (m)) {
        size_t runs = gather (m, horizon (m)), n = m->sort.run[runs];

        spansort_runs (&m->sort, runs);
        if (m->weights)
            merger_add_up (m, n, 1);
        else
            merger_add_up (m, n, 0);
        /* also those that have few: the first one to run out ends a round,
           and a round looks at all that are awake */
        for (size_t i = 0; i < m->awakes; i++) {
            struct span_cursor *c = &m->cursor[m->awake[i]];

            if (c->more && 2 * (c->count - c->at) < c->room)
                spancursor_fill (c);
        }
    }
    for (size_t s = 0; m->weights && s < m->sums; s++)
        merger_weight_sum (m, &m->sum[s]);
}

enum {
    SLICES_MAX = 64,       /* of the time */
    SLICE_BYTES = 1 << 17, /* packed; less is no work for a thread */
    THREAD_SLICES = 3      /* each begins in the midst of all logs' blocks, and
                              unpacks what is before it there in vain */
};

/* --- all slices --------------------------------------------------------- */

struct slices {
    struct spanlinks links;
    size_t count;
    uint64_t from[SLICES_MAX + 1]; /* the last one is where it ends */
    pthread_mutex_t lock;          /* of links.length */
};

static void do_slice (void *cookie, size_t i, int worker)
{
    struct slices *p = cookie;
    struct merger m;

    merger_open (&m, &p->links, p->from[i], p->from[i + 1]);
    merger_run (&m);
    pthread_mutex_lock (&p->lock);
    for (size_t s = 0; s < p->links.sums; s++)
        p->links.length[s] += m.sum[s].length;
    for (size_t s = 0; m.weights && s < p->links.sums; s++)
        p->links.weighted[s] += m.weighted[s].length;
    pthread_mutex_unlock (&p->lock);
    merger_close (&m);
}

static int spanunion_by_time (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return ORDER (x, y);
}

/* Pieces with about as many packed bytes each. */
static void spanunion_cut (struct slices *p, size_t blocks, uint64_t bytes)
{
    size_t n = 0, slices = bytes / SLICE_BYTES;
    size_t threads = pool_threads ();
    uint64_t *from;

    p->count = 1;
    p->from[0] = 0;
    p->from[1] = UINT64_MAX;
    if (slices > SLICES_MAX)
        slices = SLICES_MAX;
    if (slices > THREAD_SLICES * threads)
        slices = THREAD_SLICES * threads;
    if (slices < 2 || threads < 2)
        return;
    NEW (from, blocks);
    for (size_t i = 0; i < p->links.targets; i++)
        for (const struct span_block *b = p->links.target[i].log->first; b;
             b = b->next)
            if (b->room == SPANLOG_BLOCK_MAX)
                from[n++] = b->from;
    SORT (from, n, spanunion_by_time);
    for (size_t i = 1; i < slices && n; i++) {
        uint64_t at = from[i * n / slices];

        if (at > p->from[p->count - 1]) {
            p->from[p->count++] = at;
            p->from[p->count] = UINT64_MAX;
        }
    }
    free (from);
}

static void all_slices (struct slices *p)
{
    size_t blocks = 0;
    uint64_t bytes = 0;

    for (size_t i = 0; i < p->links.targets; i++) {
        const struct spanlog *log = p->links.target[i].log;

        bytes += log->bytes;
        for (const struct span_block *b = log->first; b; b = b->next)
            blocks++;
    }
    spanunion_cut (p, blocks, bytes);
    pool_run (p->count, 0, do_slice, p);
}

void spans_bills (const struct span_member *members,
                  size_t n,
                  uint64_t *length,
                  size_t sums,
                  const struct span_bills *to)
{
    struct slices p = {.lock = PTHREAD_MUTEX_INITIALIZER};

    spanlinks_make (&p.links, members, n, sums, to);
    if (p.links.targets)
        all_slices (&p);
    spanlinks_end (&p.links, to->bill, to->count);
    memcpy (length, p.links.length, sums * sizeof (*length));
    spanlinks_clear (&p.links);
}

/* All logs as members of sum 0; malloc'd. */
static struct span_member *
same_members (const struct spanlog *const *logs, size_t n, size_t *count)
{
    static const uint32_t first = 0;
    struct span_member *members = ZEROED (members, n + 1);

    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (logs[i] && !spanlog_empty (logs[i]))
            members[(*count)++] =
                (struct span_member){.log = logs[i], .sum = &first, .sums = 1};
    return members;
}

void spans_length (const struct spanlog *const *logs, size_t n, uint64_t *out)
{
    size_t count;
    struct span_member *members = same_members (logs, n, &count);

    *out = 0;
    spans_bills (members, count, out, 1, &(struct span_bills){NULL, 0, NULL});
    free (members);
}

void spans_length_in (const struct spanlog *const *logs,
                      size_t n,
                      uint64_t lo,
                      uint64_t hi,
                      uint64_t *out)
{
    struct slices p = {
        .count = 1, .from = {lo, hi}, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct span_target *target = ZEROED (target, n + 1);
    static const uint32_t first;
    uint64_t length[1] = {0};

    *out = 0;
    p.links = (struct spanlinks){
        .target = target, .length = length, .sums = 1, .links = n};
    for (size_t i = 0; i < n; i++)
        if (logs[i] && !spanlog_empty (logs[i]))
            target[p.links.targets++] =
                (struct span_target){logs[i], &first, 1};
    if (p.links.targets && lo < hi)
        do_slice (&p, 0, 0);
    *out = length[0];
    free (target);
}

/* The common time is the sum of both lengths without the length of their union.
 */
void spans_common (const struct spanlog *const *a,
                   size_t na,
                   const struct spanlog *const *b,
                   size_t nb,
                   uint64_t *out)
{
    const struct spanlog **all = ZEROED (all, na + nb + 1);
    uint64_t in_a, in_b, in_all;

    *out = 0;
    if (na)
        memcpy (all, a, na * sizeof (*a));
    if (nb)
        memcpy (all + na, b, nb * sizeof (*b));
    spans_length (a, na, &in_a);
    spans_length (b, nb, &in_b);
    if (in_a && in_b) {
        spans_length (all, na + nb, &in_all);
        *out = in_a + in_b - in_all;
    }
    free (all);
}
