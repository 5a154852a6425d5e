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

/* Logs of the waits for others of main threads; all zero is empty. */
struct equals_waits {
    const struct spanlog **log; /* owned; the logs are the processes' */
    size_t n;
};

static void equals_add_waits (struct equals_waits *w, const struct process *p)
{
    for (const struct spans *x = p->spans; x; x = x->next) {
        if (!x->main || !call_waits_for_others (x->key.call))
            continue;
        w->log = xreallocarray (w->log, w->n + 1, sizeof (*w->log));
        w->log[w->n++] = &x->log;
    }
}

/* Those of the parent of p, of each program that it ran beside it, and the last
 * of these. w is to be freed. */
static void equals_parent (struct equals_waits *w,
                           const struct process **parent,
                           const struct process *p,
                           const struct totals *t)
{
    const struct trace_process *who = p->who;

    *w = (struct equals_waits){.n = 0};
    *parent = NULL;
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *of = &t->process[i];

        if (of->who->p.pid != who->p.ppid || of->end <= p->start ||
            of->start > p->end || of->rank != p->rank ||
            strcmp (of->who->text[SHARD_STRING_HOST],
                    who->text[SHARD_STRING_HOST]) != 0)
            continue;
        *parent = of;
        equals_add_waits (w, of);
    }
}

struct equals_list {
    struct interval *item; /* owned */
    size_t n, room;
};

static void equals_keep (void *cookie, uint64_t start, uint64_t end)
{
    struct equals_list *g = cookie;

    GROW (g->item, g->room, g->n + 1);
    g->item[g->n++] = (struct interval){start, end};
}

static int equals_by_start (const void *va, const void *vb)
{
    const struct interval *a = va, *b = vb;

    return ORDER (a->start, b->start);
}

/* When it lives and does not wait for others. */
static void equals_at_work (struct spanlog *to, const struct process *p)
{
    struct equals_waits w = {.n = 0};
    struct equals_list g = {.n = 0};
    uint64_t until = p->start;
    equals_add_waits (&w, p);

    for (size_t i = 0; i < w.n; i++)
        spanlog_each (w.log[i], equals_keep, &g);
    if (g.n > 1)
        SORT (g.item, g.n, equals_by_start);
    for (size_t i = 0; i < g.n; i++) {
        if (g.item[i].start > until)
            spanlog_add (to, until, g.item[i].start);
        if (g.item[i].end > until)
            until = g.item[i].end;
    }
    if (until < p->end)
        spanlog_add (to, until, p->end);
    free (g.item);
    free (w.log);
}

static void equals_slept (double *s, const struct process *p)
{
    for (const struct spans *x = p->spans; x; x = x->next) {
        const struct spanlog *log = &x->log;
        uint64_t ns = 0;

        if (!x->main || x->key.call != CALL_wait_sleep)
            continue;
        spans_length (&log, 1, &ns);
        *s += equals_s (0, ns);
    }
}

/* How long the parent waits while of the equal ones only one works: its waits
 * while any works, less those while another one does. */
static void
equals_waited (struct equals *e, const struct equal *of, const struct totals *t)
{
    const struct process *who = e->most.who;
    size_t n = e->most.equals;
    struct spanlog *work = ZEROED (work, n);
    const struct spanlog **log = ZEROED (log, n);
    const struct process *parent;
    struct equals_waits w = {.n = 0};
    uint64_t any = 0, others = 0;
    size_t k = 1; /* the first is who's */
    equals_parent (&w, &parent, who, t);

    for (size_t i = 0; w.n && i < n; i++) {
        size_t at = of[i].p == who ? 0 : k++;

        log[at] = &work[at];
        equals_at_work (&work[at], of[i].p);
    }
    if (w.n)
        spans_common (w.log, w.n, log, n, &any);
    if (w.n)
        spans_common (w.log, w.n, log + 1, n - 1, &others);
    equals_slept (&e->slept_s, who);
    e->waited_s = 0 == 0 && w.n ? equals_s (others, any) : -1;
    for (size_t i = 0; i < n; i++)
        spanlog_clear (&work[i]);
    free (work);
    free (log);
    free (w.log);
}

/* --- pools ------------------------------------------------------------------
 */

/* Times of a child: UINT64_MAX and 0 if there are none. */
struct pools_times {
    uint64_t first, last; /* it asks for work, or reads data */
};

static void pools_time (void *cookie, uint64_t start, uint64_t end)
{
    struct pools_times *a = cookie;

    if (start < a->first)
        a->first = start;
    if (end > a->last)
        a->last = end;
}

/* Its start is over when it works, and with the last of its program's files. */
static void pools_look (struct pools_times *work, const struct process *p)
{
    struct pools_times imports = {UINT64_MAX, 0};

    *work = imports;
    for (const struct spans *x = p->spans; x; x = x->next)
        if (x->main && (call_waits_for_others (x->key.call) ||
                        (x->key.storage && x->key.bill == BILL_read)))
            spanlog_each (&x->log, pools_time, work);
        else if (x->main && x->key.bill == BILL_imports)
            spanlog_each (&x->log, pools_time, &imports);
    if (imports.last < work->first)
        work->first = imports.last;
}

/* Add what the parent waits for the start of a set, and for its end, which
 * takes no longer: it may be work that is not seen. */
static void pools_add (uint64_t *ns,
                       const struct equals_waits *w,
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
        if (of[k].p->end > until)
            until = of[k].p->end;
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
    struct equals_waits w;
    uint64_t ns = 0;
    size_t sets = 0;
    equals_parent (&w, &to->parent, of[0].p, t);

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

/* Keep the one that ends last, if it is alone for longer than any before. */
static void equals_last (struct unequal *to, const struct equal *of, size_t n)
{
    struct unequal u = {.who = of[0].p, .equals = n};
    uint64_t next = 0;

    for (size_t i = 1; i < n; i++)
        if (of[i].p->end > u.who->end)
            u.who = of[i].p;
    for (size_t i = 0; i < n; i++)
        if (of[i].p != u.who && of[i].p->end > next)
            next = of[i].p->end;
    u.self_s = equals_s (u.who->start, u.who->end);
    u.next_s = equals_s (u.who->start, next);
    if (equals_beyond (&u) > equals_beyond (to))
        *to = u;
}

/* Keep the one with most work; where nobody is seen to wait there is none. */
static void equals_most (struct unequal *to, const struct equal *of, size_t n)
{
    struct unequal u = {.who = of[0].p, .equals = n};
    uint64_t next = 0, waited = of[0].p->n.waited_ns;

    for (size_t i = 1; i < n; i++) {
        waited += of[i].p->n.waited_ns;
        if (equals_work (of[i].p) > equals_work (u.who))
            u.who = of[i].p;
    }
    for (size_t i = 0; i < n; i++)
        if (of[i].p != u.who && equals_work (of[i].p) > next)
            next = equals_work (of[i].p);
    u.self_s = equals_s (0, equals_work (u.who));
    u.next_s = equals_s (0, next);
    if (waited && equals_beyond (&u) > equals_beyond (to))
        *to = u;
}

/* Look at n equal ones that overlap, by their starts. */
static void equals_look (struct equals *e, const struct equal *of, size_t n)
{
    uint64_t first = of[0].p->start, end = 0;

    for (size_t i = 0; i < n; i++)
        if (of[i].p->end > end)
            end = of[i].p->end;
    if (n < (of[0].rank ? 2 : EQUALS_LEAST) ||
        equals_s (first, of[n - 1].p->start) >
            EQUALS_TOGETHER * equals_s (first, end))
        return;
    equals_last (&e->last, of, n);
    equals_most (&e->most, of, n);
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
    const struct process *a = *(const struct process *const *)va;
    const struct process *b = *(const struct process *const *)vb;

    return ORDER (a->start, b->start);
}

/* Return the number of sets, each of which begins when all before have ended.
 */
static size_t workers_sets (const struct process **p, size_t n)
{
    uint64_t until = 0;
    size_t sets = 0;

    SORT (p, n, workers_order);
    for (size_t i = 0; i < n; i++) {
        sets += !i || p[i]->start >= until;
        if (p[i]->end > until)
            until = p[i]->end;
    }
    return sets;
}

static uint64_t workers_time (const struct process *p)
{
    return p->time[SET_LOADER] ? p->time[SET_LOADER] : p->time[SET_READ];
}

static void
workers_compare (struct workers *w, const struct process **p, size_t n)
{
    const struct process *most = p[0];
    uint64_t next = 0;

    for (size_t i = 1; i < n; i++)
        if (workers_time (p[i]) > workers_time (most))
            most = p[i];
    for (size_t i = 0; i < n; i++)
        if (p[i] != most && workers_time (p[i]) > next)
            next = workers_time (p[i]);
    if (!next || equals_s (next, workers_time (most)) <= w->most_s - w->next_s)
        return;
    w->most_s = equals_s (0, workers_time (most));
    w->next_s = equals_s (0, next);
    w->slowest = most;
    w->most_of = n;
}

/* Add how long the slowest worker of each set but the first one takes from its
 * start until it loads. p: by start. */
static void
workers_latency (uint64_t *ns, const struct process *const *p, size_t n)
{
    uint64_t until = 0, most = 0;
    size_t sets = 0;

    for (size_t i = 0; i < n; i++) {
        struct pools_times load = {UINT64_MAX, 0};

        if (!i || p[i]->start >= until) {
            *ns += sets++ > 1 ? most : 0;
            most = 0;
        }
        until = MAX (p[i]->end, until);
        for (const struct spans *x = p[i]->spans; x; x = x->next)
            if (x->key.sets & 1u << SET_LOADER)
                spanlog_each (&x->log, pools_time, &load);
        if (load.last && load.first - p[i]->start > most)
            most = load.first - p[i]->start;
    }
    *ns += sets > 1 ? most : 0;
}

static void workers_restarts (struct workers *w,
                              const struct counts *of,
                              const struct process *const *p,
                              size_t n,
                              size_t sets)
{
    uint64_t ns = 0;

    if (sets < 2 || !of->workers.count)
        return;
    workers_latency (&ns, p, n);
    ns += (of->workers.ns + of->loader_end.ns) / sets * (sets - 1);
    if (equals_s (0, ns) > w->restart_s)
        w->restart_s = equals_s (0, ns);
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

static void workers_add (struct workers *w,
                         const struct bill_lane *lane,
                         const struct process **p,
                         size_t n)
{
    size_t sets = n ? workers_sets (p, n) : 0;

    w->lanes += n > 0;
    w->waves += sets;
    if (sets == 1)
        workers_compare (w, p, n);
    workers_restarts (w, &lane->first->n, p, n, sets);
}

void workers_find (struct workers *w,
                   const struct summary *s,
                   const struct totals *t)
{
    const struct process **p =
        xcalloc (t->processes + 1, sizeof (const struct process *));
    size_t *first = ZEROED (first, s->ranks + 1);
    size_t *next = ZEROED (next, t->processes + 1);

    *w = (struct workers){.restart_s = -1};
    workers_lists (t, first, next);
    for (size_t k = 0; k < s->lanes; k++) {
        const struct bill_lane *lane = &s->lane[k];
        size_t n = 0;

        for (size_t i = first[lane->rank]; lane->asks && i; i = next[i - 1])
            if (workers_is_one (&t->process[i - 1], lane))
                p[n++] = &t->process[i - 1];
        workers_add (w, lane, p, n);
    }
    free (p);
    free (first);
    free (next);
}
