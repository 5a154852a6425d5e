/* SPDX-License-Identifier: MIT
 *
 * rankwait.c - waits of ranks for each other, and the one that comes late
 *
 * In:  times of processes; bills of the lanes
 * Out: waits inside of compute regions, to times.c; the late rank, to
 * rulefacts.c
 */
#include "config.h"

#include "analyze/facts/equals.h"
#include "analyze/scan/spanunion.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/xalloc.h"

/* --- waits inside of compute regions ----------------------------------------
 */

/* Disjoint and sorted times. */
struct rankwait_list {
    struct interval *item; /* owned */
    size_t n, room;
};

static void rankwait_keep (void *cookie, uint64_t start, uint64_t end)
{
    struct rankwait_list *l = cookie;

    GROW (l->item, l->room, l->n + 1);
    l->item[l->n++] = (struct interval){start, end};
}

static int rankwait_by_begin (const void *va, const void *vb)
{
    const struct interval *a = va, *b = vb;

    return (a->start > b->start) - (a->start < b->start);
}

static void rankwait_sort (struct rankwait_list *l)
{
    size_t n = 0;

    if (l->n > 1)
        SORT (l->item, l->n, rankwait_by_begin);
    for (size_t i = 0; i < l->n; i++)
        if (n && l->item[i].start <= l->item[n - 1].end) {
            if (l->item[i].end > l->item[n - 1].end)
                l->item[n - 1].end = l->item[i].end;
        } else
            l->item[n++] = l->item[i];
    l->n = n;
}

/* Return the first one that ends after a time. */
static size_t rankwait_place (const struct rankwait_list *l, uint64_t after)
{
    size_t from = 0, to = l->n;

    while (from < to) {
        size_t half = from + (to - from) / 2;

        if (l->item[half].end > after)
            to = half;
        else
            from = half + 1;
    }
    return from;
}

/* The main thread waits for others, and no other thread of its process runs:
 * waits, without `runs`. */
struct rankwait_idle {
    struct rankwait_list waits, runs;
    struct spanlog *to;
};

static int rankwait_is_wait (const struct spans *x)
{
    return x->main && call_waits_for_others (x->key.call) &&
           x->key.call != CALL_wait_gil && x->key.call != CALL_wait_child;
}

static int rankwait_is_run (const struct spans *x)
{
    return !x->main && x->key.call == CALL_wait_run;
}

/* Add what of [start, end) no other thread runs in. */
static void
rankwait_add_idle (struct rankwait_idle *idle, uint64_t start, uint64_t end)
{
    const struct rankwait_list *l = &idle->runs;

    for (size_t i = rankwait_place (l, start);
         i < l->n && l->item[i].start < end && start < end; i++) {
        if (l->item[i].start > start)
            spanlog_add (idle->to, start, l->item[i].start);
        start = l->item[i].end;
    }
    if (start < end)
        spanlog_add (idle->to, start, end);
}

/* A compute region by itself. */
static void rankwait_in_region (void *cookie, uint64_t start, uint64_t end)
{
    struct rankwait_idle *idle = cookie;
    const struct rankwait_list *l = &idle->waits;

    for (size_t i = rankwait_place (l, start);
         i < l->n && l->item[i].start < end; i++)
        rankwait_add_idle (idle, MAX (l->item[i].start, start),
                           MIN (l->item[i].end, end));
}

void rankwait_find (struct spanlog to[RANKWAIT_LOGS], const struct process *p)
{
    struct rankwait_idle idle = {.to = NULL};
    int log = 0;

    for (const struct spans *x = p->spans; x; x = x->next)
        if (rankwait_is_wait (x) || rankwait_is_run (x))
            spanlog_each (&x->log, rankwait_keep,
                          x->main ? &idle.waits : &idle.runs);
    rankwait_sort (&idle.waits);
    rankwait_sort (&idle.runs);
    for (const struct spans *x = p->spans; x; x = x->next)
        if (x->main && x->key.bill == BILL_compute) {
            idle.to = &to[log];
            log += log + 1 < RANKWAIT_LOGS;
            spanlog_each (&x->log, rankwait_in_region, &idle);
        }
    free (idle.waits.item);
    free (idle.runs.item);
}

/* --- the rank that comes late -----------------------------------------------
 */

static int rankwait_order (const void *va, const void *vb)
{
    const struct bill_lane *a = *(const struct bill_lane *const *)va;
    const struct bill_lane *b = *(const struct bill_lane *const *)vb;
    int64_t x = a->first->who->p.step_id, y = b->first->who->p.step_id;

    if (x != y)
        return x < y ? -1 : 1;
    return (a->time[BILL_ranks] > b->time[BILL_ranks]) -
           (a->time[BILL_ranks] < b->time[BILL_ranks]);
}

/* Find the row that it has most more of than the others, which are behind it.
 * Rows start, end and not explained say nothing. */
static void rankwait_why (struct late_rank *late,
                          const struct bill_lane *const *lane)
{
    static const unsigned no =
        1u << BILL_ranks | 1u << BILL_start | 1u << BILL_end | 1u << BILL_other;

    late->why = BILL_COUNT;
    for (int row = 0; row < BILL_COUNT; row++) {
        double others = 0, more;

        for (size_t i = 1; i < late->ranks; i++)
            others += lane[i]->time[row];
        more =
            ((double)lane[0]->time[row] - others / (double)(late->ranks - 1)) /
            1e9;
        if (!(no >> row & 1) && more > late->why_s) {
            late->why = row;
            late->why_s = more;
        }
    }
}

/* Look at n ranks of a step, the one that waits least first. */
static void rankwait_look (struct late_rank *to,
                           const struct bill_lane *const *lane,
                           size_t n,
                           const struct bill_lane **next)
{
    struct late_rank late = {.lane = lane[0], .ranks = n};

    if (n < 2 || lane[1]->time[BILL_ranks] <= lane[0]->time[BILL_ranks])
        return;
    late.cost_s = (lane[1]->time[BILL_ranks] - lane[0]->time[BILL_ranks]) / 1e9;
    if (late.cost_s <= to->cost_s)
        return;
    for (size_t i = 1; i < n; i++)
        late.others_s += lane[i]->time[BILL_ranks] / 1e9 / (double)(n - 1);
    rankwait_why (&late, lane);
    *next = lane[1];
    *to = late;
}

/* Before `since` is less than this part of the waits. */
#define RANKWAIT_BEGINS 0.01
enum { RANKWAIT_STEPS = 14 }; /* of the time of the lane */

/* When a lane begins to wait for others. */
static void rankwait_since (uint64_t *since,
                            const struct bill_lane *lane,
                            const struct totals *t)
{
    const struct spanlog **log = NULL;
    size_t n = 0;
    uint64_t lo = lane->start, hi = lane->end, all, ns;

    for (size_t i = 0; i < t->processes; i++)
        for (const struct spans *x = t->process[i].spans; x; x = x->next)
            n += t->process[i].rank == lane->rank && x->main &&
                 x->key.bill == BILL_ranks;
    NEW (log, n + RANKWAIT_LOGS);
    n = 0;
    for (size_t i = 0; i < t->processes; i++)
        for (const struct spans *x = t->process[i].spans; x; x = x->next)
            if (t->process[i].rank == lane->rank && x->main &&
                x->key.bill == BILL_ranks)
                log[n++] = &x->log;
    for (int i = 0; i < RANKWAIT_LOGS; i++)
        log[n++] = &lane->waits[i];
    spans_length_in (log, n, lo, hi, &all);
    for (int i = 0; i < RANKWAIT_STEPS; i++) {
        uint64_t half = lo + (hi - lo) / 2;

        spans_length_in (log, n, lane->start, half, &ns);
        if ((double)ns < RANKWAIT_BEGINS * (double)all)
            lo = half;
        else
            hi = half;
    }
    *since = lo;
    free (log);
}

void rankwait_late (struct late_rank *late,
                    const struct summary *s,
                    const struct totals *t)
{
    const struct bill_lane **lane = ZEROED (lane, s->lanes + 1);
    const struct bill_lane *next = NULL;
    size_t n = 0;

    *late = (struct late_rank){.lane = NULL};
    for (size_t k = 0; k < s->lanes; k++)
        if (s->lane[k].first->who->p.rank >= 0)
            lane[n++] = &s->lane[k];
    if (n > 1)
        SORT (lane, n, rankwait_order);
    for (size_t i = 0, k; i < n; i += k) {
        for (k = 1; i + k < n && lane[i + k]->first->who->p.step_id ==
                                     lane[i]->first->who->p.step_id;)
            k++;
        rankwait_look (late, &lane[i], k, &next);
    }
    for (size_t i = 0; next && i < t->processes; i++)
        if (t->process[i].rank == next->rank)
            late->times += t->process[i].n.regions[ROLE_BARRIER] +
                           t->process[i].n.regions[ROLE_COLLECTIVE];
    if (next)
        rankwait_since (&late->since, next, t);
    free (lane);
}
