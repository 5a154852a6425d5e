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

/* --- times of a process -----------------------------------------------------
 */

static void rankwait_keep (void *cookie, uint64_t start, uint64_t end)
{
    struct intervals *l = cookie;

    GROW (l->item, l->room, l->count + 1);
    l->item[l->count++] = (struct interval){start, end};
}

static int rankwait_by_begin (const void *va, const void *vb)
{
    const struct interval *a = va, *b = vb;

    return ORDER (a->start, b->start);
}

void spans_gather (struct intervals *to,
                   const struct process *p,
                   spans_are_fn *are)
{
    size_t n = 0;

    *to = (struct intervals){.count = 0};
    for (const struct spans *x = p->spans; x; x = x->next)
        if (are (x))
            spanlog_each (&x->log, rankwait_keep, to);
    if (to->count)
        SORT (to->item, to->count, rankwait_by_begin);
    for (size_t i = 0; i < to->count; i++)
        if (n && to->item[i].start <= to->item[n - 1].end)
            to->item[n - 1].end = MAX (to->item[n - 1].end, to->item[i].end);
        else
            to->item[n++] = to->item[i];
    to->count = n;
}

void spanlogs_add (struct span_logs *to,
                   const struct process *p,
                   spans_are_fn *are)
{
    for (const struct spans *x = p->spans; x; x = x->next)
        if (are (x)) {
            GROW (to->log, to->room, to->n + 1);
            to->log[to->n++] = &x->log;
        }
}

/* --- waits inside of compute regions ----------------------------------------
 */

/* Return the first one that ends after a time. */
static size_t rankwait_place (const struct intervals *l, uint64_t after)
{
    return FIRST_NOT (l->count, i, l->item[i].end <= after);
}

/* The main thread waits for others, and no other thread of its process runs:
 * waits, without `runs`. */
struct rankwait_idle {
    struct intervals waits, runs;
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
    const struct intervals *l = &idle->runs;

    for (size_t i = rankwait_place (l, start);
         i < l->count && l->item[i].start < end && start < end; i++) {
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
    const struct intervals *l = &idle->waits;

    for (size_t i = rankwait_place (l, start);
         i < l->count && l->item[i].start < end; i++)
        rankwait_add_idle (idle, MAX (l->item[i].start, start),
                           MIN (l->item[i].end, end));
}

void rankwait_find (struct spanlog to[RANKWAIT_LOGS], const struct process *p)
{
    struct rankwait_idle idle = {.to = NULL};
    int log = 0;

    spans_gather (&idle.waits, p, rankwait_is_wait);
    spans_gather (&idle.runs, p, rankwait_is_run);
    for (const struct spans *x = p->spans; x; x = x->next)
        if (x->main && x->key.bill == BILL_compute) {
            idle.to = &to[log];
            log += log + 1 < RANKWAIT_LOGS;
            spanlog_each (&x->log, rankwait_in_region, &idle);
        }
    intervals_clear (&idle.waits);
    intervals_clear (&idle.runs);
}

/* --- the rank that comes late -----------------------------------------------
 */

static int rankwait_order (const void *va, const void *vb)
{
    const struct bill_lane *a = *(const struct bill_lane *const *)va;
    const struct bill_lane *b = *(const struct bill_lane *const *)vb;

    return ORDER (a->first->who->p.step_id, b->first->who->p.step_id)
               ?: ORDER (a->time[BILL_ranks], b->time[BILL_ranks]);
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

static int rankwait_is_ranks (const struct spans *x)
{
    return x->main && x->key.bill == BILL_ranks;
}

/* When a lane begins to wait for others. */
static uint64_t rankwait_since (const struct bill_lane *lane,
                                const struct totals *t)
{
    struct span_logs logs = {.n = 0};
    uint64_t lo = lane->start, hi = lane->end, all, ns;

    for (size_t i = 0; i < t->processes; i++)
        if (t->process[i].rank == lane->rank)
            spanlogs_add (&logs, &t->process[i], rankwait_is_ranks);
    GROW (logs.log, logs.room, logs.n + RANKWAIT_LOGS);
    for (int i = 0; i < RANKWAIT_LOGS; i++)
        logs.log[logs.n++] = &lane->waits[i];
    spans_length_in (logs.log, logs.n, lo, hi, &all);
    for (int i = 0; i < RANKWAIT_STEPS; i++) {
        uint64_t half = lo + (hi - lo) / 2;

        spans_length_in (logs.log, logs.n, lane->start, half, &ns);
        if ((double)ns < RANKWAIT_BEGINS * (double)all)
            lo = half;
        else
            hi = half;
    }
    free (logs.log);
    return lo;
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
        late->since = rankwait_since (next, t);
    free (lane);
}
