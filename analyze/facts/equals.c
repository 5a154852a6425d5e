/* SPDX-License-Identifier: MIT
 *
 * equals.c - processes that should have equal work -> who has more
 *
 * In:  processes with their parents, programs, starts and ends
 * Out: the latest of a group of equal ones, workers of data loaders
 */
#include "config.h"

#include "analyze/facts/equals.h"

#include <ctype.h>
#include <math.h>

#include "analyze/scan/spanunion.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/xalloc.h"

enum { EQUALS_LEAST = 3 /* siblings; two may well be a server and a client */ };

/* Equal ones start within this part of the time until the last one ends. */
#define EQUALS_TOGETHER 0.25

static double equals_s (uint64_t from, uint64_t to)
{
    return to > from ? (to - from) / 1e9 : 0;
}

/* --- groups -----------------------------------------------------------------
 */

/* Compare texts; runs of digits are equal. */
static int equals_text (const char *a, const char *b)
{
    while (*a && (*a == *b || (isdigit ((unsigned char)*a) &&
                               isdigit ((unsigned char)*b)))) {
        int digit = isdigit ((unsigned char)*a) != 0;

        a++;
        b++;
        while (digit && isdigit ((unsigned char)*a))
            a++;
        while (digit && isdigit ((unsigned char)*b))
            b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

struct equal {
    const struct process *p;
    int rank; /* it is what a rank begins with */
};

/* Equal ones are neighbours: ranks by step, all others by host and parent; then
 * by start. */
static int equals_kin (const struct equal *a, const struct equal *b)
{
    const struct trace_process *x = a->p->who, *y = b->p->who;
    int order = a->rank - b->rank;

    if (!order && a->rank)
        order = ORDER (x->p.step_id, y->p.step_id);
    if (!order && !a->rank)
        order = ORDER (x->p.ppid, y->p.ppid);
    if (!order && !a->rank)
        order = strcmp (x->text[SHARD_STRING_HOST], y->text[SHARD_STRING_HOST]);
    if (!order)
        order = strcmp (x->text[SHARD_STRING_EXE], y->text[SHARD_STRING_EXE]);
    return order ? order
                 : equals_text (x->text[SHARD_STRING_ARGV],
                                y->text[SHARD_STRING_ARGV]);
}

static int equals_order (const void *va, const void *vb)
{
    const struct equal *a = va, *b = vb;
    return equals_kin (a, b) ?: ORDER (a->p->start, b->p->start);
}

static double equals_beyond (const struct unequal *u)
{
    return u->self_s - u->next_s;
}

/* Time in which a process does not wait for others. */
static uint64_t equals_work (const struct process *p)
{
    uint64_t life = p->end - p->start;

    return p->n.waited_ns < life ? life - p->n.waited_ns : 0;
}

/* --- who waits for them -----------------------------------------------------
 */

static int equals_waits (const struct spans *x)
{
    return x->main && call_waits_for_others (x->key.call);
}

static int equals_sleeps (const struct spans *x)
{
    return x->main && x->key.call == CALL_wait_sleep;
}

/* Add the waits for others of the main thread of the parent of p, of each
 * program that it ran beside it. Return the last of these, NULL: none. */
static const struct process *equals_parent (struct span_logs *waits,
                                            const struct process *p,
                                            const struct totals *t)
{
    const struct trace_process *who = p->who;
    const struct process *parent = NULL;

    for (size_t i = 0; i < t->processes; i++) {
        const struct process *of = &t->process[i];

        if (of->who->p.pid != who->p.ppid || of->end <= p->start ||
            of->start > p->end || of->rank != p->rank ||
            strcmp (of->who->text[SHARD_STRING_HOST],
                    who->text[SHARD_STRING_HOST]) != 0)
            continue;
        parent = of;
        spanlogs_add (waits, of, equals_waits);
    }
    return parent;
}

/* When it lives and does not wait for others. */
static void equals_at_work (struct spanlog *to, const struct process *p)
{
    struct intervals waits;
    uint64_t until = p->start;

    spans_gather (&waits, p, equals_waits);
    for (size_t i = 0; i < waits.count; i++) {
        spanlog_add (to, until, waits.item[i].start);
        until = MAX (until, waits.item[i].end);
    }
    spanlog_add (to, until, p->end);
    intervals_clear (&waits);
}

/* How long the parent waits while of the equal ones only one works: its waits
 * while any works, less those while another one does. */
static void
equals_waited (struct equals *e, const struct equal *of, const struct totals *t)
{
    const struct process *who = e->most.who;
    size_t n = e->most.equals, k = 1; /* the first is who's */
    struct spanlog *work = ZEROED (work, n);
    const struct spanlog **log = ZEROED (log, n);
    struct span_logs waits = {.n = 0};
    uint64_t any = 0, others = 0;

    equals_parent (&waits, who, t);
    for (size_t i = 0; waits.n && i < n; i++) {
        size_t at = of[i].p == who ? 0 : k++;

        log[at] = &work[at];
        equals_at_work (&work[at], of[i].p);
    }
    e->waited_s = -1;
    if (waits.n) {
        spans_common (waits.log, waits.n, log, n, &any);
        spans_common (waits.log, waits.n, log + 1, n - 1, &others);
        e->waited_s = equals_s (others, any);
    }
    waits.n = 0;
    spanlogs_add (&waits, who, equals_sleeps);
    for (size_t i = 0; i < waits.n; i++) {
        spans_length (&waits.log[i], 1, &any);
        e->slept_s += equals_s (0, any);
    }
    for (size_t i = 0; i < n; i++)
        spanlog_clear (&work[i]);
    free (work);
    free (log);
    free (waits.log);
}

/* --- pools ------------------------------------------------------------------
 */

/* Times of a child: UINT64_MAX and 0 if there are none. */
struct pools_times {
    uint64_t first, last; /* it asks for work, or reads data */
};

/* Its start is over when it works, and with the last of its program's files. */
static void pools_look (struct pools_times *work, const struct process *p)
{
    struct pools_times imports = {UINT64_MAX, 0};

    *work = imports;
    for (const struct spans *x = p->spans; x; x = x->next)
        if (equals_waits (x) ||
            (x->main && x->key.storage && x->key.bill == BILL_read))
            spanlog_widen (&x->log, &work->first, &work->last);
        else if (x->main && x->key.bill == BILL_imports)
            spanlog_widen (&x->log, &imports.first, &imports.last);
    work->first = MIN (work->first, imports.last);
}

/* Add what the parent waits for the start of a set, and for its end, which
 * takes no longer: it may be work that is not seen. */
static void pools_add (uint64_t *ns,
                       const struct span_logs *w,
                       const struct equal *of,
                       size_t n)
{
    uint64_t start = of[0].p->start, first = UINT64_MAX, last = 0, end = 0;
    uint64_t starting = 0, ending = 0;

    for (size_t i = 0; i < n; i++) {
        struct pools_times work;

        pools_look (&work, of[i].p);
        first = MIN (work.first, first);
        last = MAX (work.last, last);
        end = MAX (of[i].p->end, end);
    }
    if (first > start && last)
        spans_length_in (w->log, w->n, start, first, &starting);
    if (last && last < end)
        spans_length_in (w->log, w->n, last, end, &ending);
    *ns += starting + MIN (ending, starting);
}

/* Return the number of equal ones that overlap, from the first of n on. */
static size_t equals_set (const struct equal *of, size_t n)
{
    uint64_t until = of[0].p->end;
    size_t k = 1;

    for (; k < n && equals_kin (&of[0], &of[k]) == 0 && of[k].p->start < until;
         k++)
        until = MAX (until, of[k].p->end);
    return k;
}

/* Return how many sets of two or more n equal ones of one parent are. */
static size_t pools_sets (const struct equal *of, size_t n)
{
    size_t sets = 0;

    for (size_t i = 0, k; i < n; i += k) {
        k = equals_set (&of[i], n - i);
        sets += k > 1;
    }
    return sets;
}

static uint64_t pools_life (const struct equal *of, size_t n)
{
    return of[n - 1].p->end - of[0].p->start;
}

/* n equal ones, with the sets of them. */
static void pools_make (struct pools *to,
                        const struct equal *of,
                        size_t n,
                        const struct totals *t)
{
    struct span_logs w = {.n = 0};
    uint64_t ns = 0;
    size_t sets = 0;

    to->parent = equals_parent (&w, of[0].p, t);
    for (size_t i = 0, k; w.n && i < n; i += k) {
        k = equals_set (&of[i], n - i);
        if (k > 1 && sets++ > 0)
            pools_add (&ns, &w, &of[i], k);
    }
    to->sets = sets;
    to->cost_s = equals_s (0, ns);
    free (w.log);
}

/* Look at the equal ones of one parent that have sets for the longest time. */
static void pools_find (struct pools *to,
                        const struct equal *of,
                        size_t n,
                        const struct totals *t)
{
    const struct equal *longest = NULL;
    size_t of_longest = 0;

    for (size_t i = 0, k; i < n; i += k) {
        for (k = 1; i + k < n && equals_kin (&of[i], &of[i + k]) == 0;)
            k++;
        if (of[i].rank || pools_sets (&of[i], k) < 2 ||
            (longest &&
             pools_life (&of[i], k) <= pools_life (longest, of_longest)))
            continue;
        longest = &of[i];
        of_longest = k;
    }
    if (longest)
        pools_make (to, longest, of_longest, t);
}

/* --- who has more -----------------------------------------------------------
 */

/* The one with most of a number, and what the next one has. */
static struct unequal
equals_compare (const struct equal *of,
                size_t n,
                uint64_t (*number) (const struct process *),
                uint64_t *next)
{
    struct unequal u = {.who = of[0].p, .equals = n};

    *next = 0;
    for (size_t i = 1; i < n; i++)
        if (number (of[i].p) > number (u.who))
            u.who = of[i].p;
    for (size_t i = 0; i < n; i++)
        if (of[i].p != u.who)
            *next = MAX (*next, number (of[i].p));
    u.self_s = equals_s (0, number (u.who));
    u.next_s = equals_s (0, *next);
    return u;
}

static uint64_t equals_end (const struct process *p)
{
    return p->end;
}

static void equals_keep (struct unequal *to, const struct unequal *u)
{
    if (equals_beyond (u) > equals_beyond (to))
        *to = *u;
}

/* Look at n equal ones that overlap, by their starts. */
static void equals_look (struct equals *e, const struct equal *of, size_t n)
{
    uint64_t first = of[0].p->start, next, waited = 0;
    struct unequal last = equals_compare (of, n, equals_end, &next);
    struct unequal most;

    if (n < (of[0].rank ? 2 : EQUALS_LEAST) ||
        equals_s (first, of[n - 1].p->start) >
            EQUALS_TOGETHER * equals_s (first, last.who->end))
        return;
    last.self_s = equals_s (last.who->start, last.who->end);
    last.next_s = equals_s (last.who->start, next);
    equals_keep (&e->last, &last); /* alone for longer than any before */
    most = equals_compare (of, n, equals_work, &next);
    for (size_t i = 0; i < n; i++)
        waited += of[i].p->n.waited_ns;
    if (waited) /* else nobody is seen to wait */
        equals_keep (&e->most, &most);
}

void equals_find (struct equals *e,
                  const struct summary *s,
                  const struct totals *t)
{
    struct equal *of = ZEROED (of, t->processes + 1), *most = NULL;
    size_t n = 0;

    *e = (struct equals){.waited_s = -1};
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        if (p->ending != ENDING_EXEC && p->who->p.ppid > 1)
            of[n++] = (struct equal){p, p->who->p.rank >= 0 &&
                                            s->rank[p->rank].first == p};
    }
    if (n > 1)
        SORT (of, n, equals_order);
    for (size_t i = 0, k; i < n; i += k) {
        const struct process *was = e->most.who;

        k = equals_set (&of[i], n - i);
        equals_look (e, &of[i], k);
        if (e->most.who != was)
            most = &of[i];
    }
    if (most)
        equals_waited (e, most, t);
    pools_find (&e->pools, of, n, t);
    free (of);
}

/* --- workers of data loaders ------------------------------------------------
 */

static int workers_is_one (const struct process *p, const struct bill_lane *of)
{
    return p != of->first && p->who->p.ppid == of->first->who->p.pid &&
           (p->time[SET_LOADER] || p->n.read.count);
}

static int workers_order (const void *va, const void *vb)
{
    const struct equal *a = va, *b = vb;

    return ORDER (a->p->start, b->p->start);
}

static uint64_t workers_time (const struct process *p)
{
    return p->time[SET_LOADER] ? p->time[SET_LOADER] : p->time[SET_READ];
}

/* How long a worker takes from its start until it loads; 0: it does not. */
static uint64_t workers_latency (const struct process *p)
{
    struct pools_times load = {UINT64_MAX, 0};

    for (const struct spans *x = p->spans; x; x = x->next)
        if (x->key.sets & 1u << SET_LOADER)
            spanlog_widen (&x->log, &load.first, &load.last);
    return load.last ? load.first - p->start : 0;
}

/* The processes of each rank as a list: first[rank] and next[process] are
 * numbers plus 1; 0: none. */
static void workers_lists (const struct totals *t, size_t *first, size_t *next)
{
    for (size_t i = t->processes; i-- > 0;) {
        next[i] = first[t->process[i].rank];
        first[t->process[i].rank] = i + 1;
    }
}

/* Add the n workers of a lane, in sets each of which begins when all before
 * have ended. A start anew costs what the slowest one of its set takes until it
 * loads, and the start and end of a loader. */
static void workers_add (struct workers *w,
                         const struct bill_lane *lane,
                         struct equal *of,
                         size_t n)
{
    const struct counts *c = &lane->first->n;
    uint64_t until = 0, slowest = 0, ns = 0, next;
    size_t sets = 0;

    if (!n)
        return;
    SORT (of, n, workers_order);
    for (size_t i = 0; i < n; i++) {
        if (!i || of[i].p->start >= until) {
            ns += sets++ > 1 ? slowest : 0;
            slowest = 0;
        }
        until = MAX (until, of[i].p->end);
        slowest = MAX (slowest, workers_latency (of[i].p));
    }
    ns += sets > 1 ? slowest : 0;
    w->lanes++;
    w->waves += sets;
    if (sets == 1) {
        struct unequal u = equals_compare (of, n, workers_time, &next);

        if (next)
            equals_keep (&w->slow, &u);
    } else if (c->workers.count) {
        ns += (c->workers.ns + c->loader_end.ns) / sets * (sets - 1);
        w->restart_s = fmax (w->restart_s, equals_s (0, ns));
    }
}

void workers_find (struct workers *w,
                   const struct summary *s,
                   const struct totals *t)
{
    struct equal *of = ZEROED (of, t->processes + 1);
    size_t *first = ZEROED (first, s->ranks + 1);
    size_t *next = ZEROED (next, t->processes + 1);

    *w = (struct workers){.restart_s = -1};
    workers_lists (t, first, next);
    for (size_t k = 0; k < s->lanes; k++) {
        const struct bill_lane *lane = &s->lane[k];
        size_t n = 0;

        for (size_t i = first[lane->rank]; lane->asks && i; i = next[i - 1])
            if (workers_is_one (&t->process[i - 1], lane))
                of[n++].p = &t->process[i - 1];
        workers_add (w, lane, of, n);
    }
    free (of);
    free (first);
    free (next);
}
