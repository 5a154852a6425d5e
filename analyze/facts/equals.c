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
#include <stdlib.h>
#include <string.h>

enum { EQUALS_LEAST = 3 /* siblings; two may well be a server and a client */ };

/* Equal ones start within this part of the time until the last one ends. */
#define EQUALS_TOGETHER 0.25

static double equals_s (uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) / 1e9 : 0;
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
        order = (x->p.step_id > y->p.step_id) - (x->p.step_id < y->p.step_id);
    if (!order && !a->rank)
        order = (x->p.ppid > y->p.ppid) - (x->p.ppid < y->p.ppid);
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
    int order = equals_kin (a, b);

    return order ? order
                 : (a->p->start > b->p->start) - (a->p->start < b->p->start);
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

int equals_find (struct equals *e,
                 const struct summary *s,
                 const struct totals *t)
{
    struct equal *of = calloc (t->processes + 1, sizeof (*of));
    size_t n = 0;

    *e = (struct equals){.last = {.who = NULL}};
    if (!of)
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        if (p->ending != ENDING_EXEC && p->who->p.ppid > 1)
            of[n++] = (struct equal){p, p->who->p.rank >= 0 &&
                                            s->rank[p->rank].first == p};
    }
    if (n > 1)
        qsort (of, n, sizeof (*of), equals_order);
    for (size_t i = 0, k; i < n; i = k) {
        uint64_t until = of[i].p->end;

        for (k = i + 1; k < n && equals_kin (&of[i], &of[k]) == 0 &&
                        of[k].p->start < until;
             k++)
            if (of[k].p->end > until)
                until = of[k].p->end;
        equals_look (e, &of[i], k - i);
    }
    free (of);
    return 0;
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

    return (a->start > b->start) - (a->start < b->start);
}

/* Return the number of sets, each of which begins when all before have ended.
 */
static size_t workers_sets (const struct process **p, size_t n)
{
    uint64_t until = 0;
    size_t sets = 0;

    qsort (p, n, sizeof (*p), workers_order);
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

/* The processes of each rank as a list: first[rank] and next[process] are
 * numbers plus 1; 0: none. */
static void workers_lists (const struct totals *t, size_t *first, size_t *next)
{
    for (size_t i = t->processes; i-- > 0;) {
        next[i] = first[t->process[i].rank];
        first[t->process[i].rank] = i + 1;
    }
}

static void workers_add (struct workers *w, const struct process **p, size_t n)
{
    size_t sets = n ? workers_sets (p, n) : 0;

    w->lanes += n > 0;
    w->waves += (double)sets;
    if (sets == 1)
        workers_compare (w, p, n);
}

int workers_find (struct workers *w,
                  const struct summary *s,
                  const struct totals *t)
{
    const struct process **p =
        calloc (t->processes + 1, sizeof (const struct process *));
    size_t *first = calloc (s->ranks + 1, sizeof (*first));
    size_t *next = calloc (t->processes + 1, sizeof (*next));
    int rc = p && first && next ? 0 : -1;

    *w = (struct workers){.lanes = 0};
    if (rc == 0)
        workers_lists (t, first, next);
    for (size_t k = 0; rc == 0 && k < s->lanes; k++) {
        const struct bill_lane *lane = &s->lane[k];
        size_t n = 0;

        for (size_t i = first[lane->rank]; lane->asks && i; i = next[i - 1])
            if (workers_is_one (&t->process[i - 1], lane))
                p[n++] = &t->process[i - 1];
        workers_add (w, p, n);
    }
    free (p);
    free (first);
    free (next);
    return rc;
}
