/* SPDX-License-Identifier: MIT
 *
 * lanes.c - main threads of the ranks and what their time went into
 *
 * In:  processes with their ranks and packed times, from times.c
 * Out: what times are charged to; the rows of bill.def and costs.def, to
 *      summary.h
 */
#include "config.h"

#include "analyze/facts/lanes.h"

#include <stdlib.h>
#include <string.h>

#define STEP_BATCH 0xfffffffbu /* SLURM_BATCH_SCRIPT */

/* Of a rank: processes that train, and the lane of the last one. */
struct trainers {
    uint32_t count, lane;
};

/* --- who has a lane ---------------------------------------------------------
 */

/* Bits 1 << enum bill: rows that its main thread has something of. */
static unsigned lanes_rows (const struct process *p)
{
    unsigned rows = 0;

    for (const struct spans *x = p->spans; x; x = x->next)
        if (x->main && !spanlog_empty (&x->log))
            rows |= 1u << x->key.bill;
    return rows;
}

/* Its main thread computes, or waits for batches. */
static int lanes_trains (const struct process *p)
{
    return (lanes_rows (p) & (1u << BILL_compute | 1u << BILL_loader)) != 0;
}

static struct bill_lane *lanes_new (struct lanes *l, size_t rank)
{
    struct bill_lane *lane = &l->s->lane[l->s->lanes++];

    lane->rank = rank;
    lane->first = l->s->rank[rank].first;
    lane->start = UINT64_MAX;
    return lane;
}

static void lanes_widen (struct bill_lane *lane, const struct process *p)
{
    if (p->start < lane->start)
        lane->start = p->start;
    if (p->end > lane->end)
        lane->end = p->end;
}

/* The lane that a process helps: of its rank, or its parent's where several of
 * the rank train; 0: none. */
static uint32_t lanes_helps (const struct lanes *l,
                             const struct process *p,
                             const struct trainers *of)
{
    if (of->count < 2)
        return of->lane;
    for (uint32_t k = 0; k < l->s->lanes; k++) {
        const struct bill_lane *lane = &l->s->lane[k];

        if (lane->rank == p->rank &&
            (lane->first == p || lane->first->who->p.pid == p->who->p.ppid))
            return k + 1;
    }
    return 0;
}

/* trainers: of each rank. */
static void lanes_of_trainers (struct lanes *l, struct trainers *trainers)
{
    for (size_t i = 0; i < l->t->processes; i++) {
        const struct process *p = &l->t->process[i];
        struct bill_lane *lane;

        if (!l->of[i])
            continue;
        lane = lanes_new (l, p->rank);
        lane->first = p;
        lane->step = p->startup.step_first;
        lane->last = p->startup.step_last;
        lane->asks = (lanes_rows (p) & bill_asks) != 0;
        lanes_widen (lane, p);
        l->of[i] = trainers[p->rank].lane = (uint32_t)l->s->lanes;
    }
    for (size_t i = 0; i < l->t->processes; i++) {
        const struct process *p = &l->t->process[i];
        const struct trainers *of = &trainers[p->rank];

        if (of->count == 1)
            lanes_widen (&l->s->lane[of->lane - 1], p);
        l->helped[i] = lanes_helps (l, p, of);
    }
}

static int lanes_is_batch (const struct rank *r)
{
    return r->first->who->p.step_id == (int64_t)STEP_BATCH;
}

/* A lane for each rank that has a number, else for each. */
static int lanes_of_ranks (struct lanes *l)
{
    struct summary *s = l->s;
    uint32_t *lane = calloc (s->ranks + 1, sizeof (*lane));
    size_t steps = 0;

    if (!lane)
        return -1;
    for (size_t r = 0; r < s->ranks; r++)
        steps +=
            s->rank[r].first->who->p.rank >= 0 && !lanes_is_batch (&s->rank[r]);
    for (size_t r = 0; r < s->ranks; r++)
        if (!steps || (s->rank[r].first->who->p.rank >= 0 &&
                       !lanes_is_batch (&s->rank[r]))) {
            (void)lanes_new (l, r);
            lane[r] = (uint32_t)s->lanes;
        }
    for (size_t i = 0; i < l->t->processes; i++) {
        const struct process *p = &l->t->process[i];

        l->of[i] = lane[p->rank];
        if (l->of[i])
            lanes_widen (&s->lane[l->of[i] - 1], p);
    }
    free (lane);
    return 0;
}

static int lanes_find (struct lanes *l)
{
    struct trainers *trainers = calloc (l->s->ranks + 1, sizeof (*trainers));
    size_t all = 0;

    if (!trainers)
        return -1;
    for (size_t i = 0; i < l->t->processes; i++)
        if (lanes_trains (&l->t->process[i])) {
            l->of[i] = 1;
            trainers[l->t->process[i].rank].count++;
            all++;
        }
    if (all)
        lanes_of_trainers (l, trainers);
    free (trainers);
    return all ? 0 : lanes_of_ranks (l);
}

/* Until the first step a lane is at its start, after the last one at its end.
 */
static int lanes_begin (struct lanes *l)
{
    const struct summary *s = l->s;

    l->start = calloc (s->lanes + 1, sizeof (*l->start));
    l->end = calloc (s->lanes + 1, sizeof (*l->end));
    l->bill = calloc (s->lanes + 1, sizeof (*l->bill));
    if (!l->start || !l->end || !l->bill)
        return -1;
    l->bill[0].unions = 1;
    for (size_t k = 0; k < s->lanes; k++) {
        const struct bill_lane *lane = &s->lane[k];

        if (spanlog_add (&l->start[k], lane->start, lane->step) < 0 ||
            (lane->last && spanlog_add (&l->end[k], lane->last, lane->end) < 0))
            return -1;
        l->s->lanes_ended += lane->last != 0;
        for (int c = 0; c < bill_ordered; c++)
            if (bill_asks >> bill_order[c] & 1)
                l->bill[k + 1].asks |= (uint64_t)1 << c;
    }
    return 0;
}

int lanes_open (struct lanes *l, struct summary *s, const struct totals *t)
{
    *l = (struct lanes){.s = s, .t = t};
    l->of = calloc (t->processes + 1, sizeof (*l->of));
    l->helped = calloc (t->processes + 1, sizeof (*l->helped));
    s->lane = calloc (t->processes + s->ranks + 1, sizeof (*s->lane));
    if (!l->of || !l->helped || !s->lane)
        return -1;
    return lanes_find (l) < 0 ? -1 : lanes_begin (l);
}

void lanes_clear (struct lanes *l)
{
    for (size_t k = 0; l->start && k < l->s->lanes; k++)
        spanlog_clear (&l->start[k]);
    for (size_t k = 0; l->end && k < l->s->lanes; k++)
        spanlog_clear (&l->end[k]);
    free (l->start);
    free (l->end);
    free (l->bill);
    free (l->of);
    free (l->helped);
}

/* --- what times are charged to ----------------------------------------------
 */

_Static_assert(BILL_COUNT - 1 <= SPANBILL_CLASSES,
               "a class for each row but the rest");

static uint32_t lanes_class (enum bill row)
{
    uint32_t class = 0;

    while (bill_order[class] != row)
        class ++;
    return class;
}

struct span_charge lanes_start (size_t lane)
{
    return (struct span_charge){(uint32_t)lane + 1, lanes_class (BILL_start)};
}

struct span_charge lanes_end (size_t lane)
{
    return (struct span_charge){(uint32_t)lane + 1, lanes_class (BILL_end)};
}

/* What a helper does for the data; its loader regions are decoding. */
static enum bill lanes_help (const struct spans *x)
{
    if (x->key.bill < BILL_NONE && bill_helps >> x->key.bill & 1)
        return (enum bill)x->key.bill;
    return x->key.sets & 1u << SET_LOADER ? BILL_decode : BILL_NONE;
}

uint32_t lanes_charges (const struct lanes *l,
                        size_t i,
                        const struct spans *x,
                        struct span_charge charge[SPAN_CHARGES])
{
    uint32_t n = 0, beside = l->helped[i] ? l->helped[i] : l->of[i];

    if (x->key.storage)
        charge[n++] =
            (struct span_charge){0, cost_of_call ((enum call)x->key.call)};
    if (x->main && l->of[i]) {
        if (x->key.bill < BILL_NONE)
            charge[n++] = (struct span_charge){
                l->of[i], lanes_class ((enum bill)x->key.bill)};
        return n;
    }
    if (l->helped[i] && l->s->lane[l->helped[i] - 1].asks &&
        lanes_help (x) != BILL_NONE)
        charge[n++] = (struct span_charge){
            l->helped[i], SPANBILL_HELPER + lanes_class (lanes_help (x))};
    if (beside && x->key.storage && x->key.bill < BILL_NONE)
        charge[n++] = (struct span_charge){beside, lanes_class (BILL_threads)};
    return n;
}

/* --- what comes of it -------------------------------------------------------
 */

static void lanes_put_lane (struct bill_lane *lane,
                            const struct spanbill *bill,
                            struct summary *s)
{
    uint64_t left = lane->end - lane->start;

    for (int c = 0; c < bill_ordered; c++) {
        uint64_t ns = bill->own[c] + bill->own[SPANBILL_HELPER + c];

        lane->time[bill_order[c]] = ns;
        left -= ns < left ? ns : left;
    }
    lane->time[BILL_other] = left;
    s->billed += lane->end - lane->start;
    for (int row = 0; row < BILL_COUNT; row++)
        s->bill[row] += lane->time[row];
}

#define LANES_TOGETHER 0.9

static int lanes_by_start (const void *a, const void *b)
{
    const struct bill_lane *const *x = a, *const *y = b;

    return ((*x)->start > (*y)->start) - ((*x)->start < (*y)->start);
}

/* Ranks run side by side, the commands of a script one after another: what
 * their main threads wait for costs the job their sum divided by how many of
 * them run at once. 0, or -1 (ENOMEM). */
static int lanes_put_at_once (struct summary *s)
{
    const struct bill_lane **lane = calloc (s->lanes + 1, sizeof (*lane));
    uint64_t any = 0, until = 0;

    if (!lane)
        return -1;
    for (size_t k = 0; k < s->lanes; k++)
        lane[k] = &s->lane[k];
    qsort (lane, s->lanes, sizeof (*lane), lanes_by_start);
    for (size_t k = 0; k < s->lanes; k++)
        if (lane[k]->end > until) {
            any += lane[k]->end -
                   (lane[k]->start > until ? lane[k]->start : until);
            until = lane[k]->end;
        }
    s->lanes_at_once = any ? (double)s->billed / (double)any : 1;
    if (s->lanes_at_once > LANES_TOGETHER * (double)s->lanes)
        s->lanes_at_once = (double)s->lanes; /* so that it is their mean */
    free (lane);
    return 0;
}

int lanes_put (struct lanes *l)
{
    struct summary *s = l->s;

    for (int row = 0; row < COST_COUNT; row++) {
        s->cost[row].own = l->bill[0].own[row];
        s->cost[row].all = l->bill[0].all[row];
        s->io_time += l->bill[0].own[row];
    }
    for (size_t k = 0; k < s->lanes; k++)
        lanes_put_lane (&s->lane[k], &l->bill[k + 1], s);
    return lanes_put_at_once (s);
}

int lanes_add_faults (struct process *p, const struct mm_log *log)
{
    const struct mm_seen *f = log->faults.item;

    for (int main = 0; main < 2; main++) {
        struct spans *x = calloc (1, sizeof (*x));
        int rc = x ? 0 : -1;

        for (size_t i = 0; rc == 0 && i < log->faults.count; i++)
            if ((f[i].tid == p->who->p.pid) == main)
                rc = spanlog_add (&x->log, f[i].start, f[i].end);
        if (rc < 0 || spanlog_empty (&x->log)) {
            spans_clear (x);
            if (rc < 0)
                return -1;
            continue;
        }
        x->key = (struct span_key){
            .call = CALL_page_fault, .bill = BILL_fault, .storage = 1};
        x->main = (uint8_t)main;
        x->next = p->spans;
        p->spans = x;
    }
    return 0;
}
