/* SPDX-License-Identifier: MIT
 *
 * lanes.c - main threads of the ranks -> what their time went into
 *
 * In:  times of processes, who has the wall time (wall.h); lengths, from
 *      times.c
 * Out: what each time is charged to; bills of ranks and of the job, to
 *      summary.c
 */
#include "config.h"

#include "analyze/facts/equals.h"
#include "analyze/facts/lanes.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

#define STEP_BATCH 0xfffffffbu /* SLURM_BATCH_SCRIPT */

/* The processes of a rank that train, and the lane of the last one. */
struct trainers {
    uint32_t count, lane;
};

/* --- classes of the bills ---------------------------------------------------
 */

_Static_assert((int)LANES_CLASSES <= (int)SPANBILL_CLASSES,
               "a class for each row but the rest and nobody's");

uint32_t lanes_class (enum bill row)
{
    uint32_t class = LANES_ROWS;

    while (bill_order[class - LANES_ROWS] != row)
        class ++;
    return class;
}

/* Exact waits for short children go before what the sampler estimates. */
static uint32_t lanes_class_of (const struct spans *x)
{
    return x->key.bill == BILL_spawn && !x->key.estimate &&
                   call_is_wait (x->key.call)
               ? LANES_STARTS
               : lanes_class (x->key.bill);
}

/* While the main thread waits for the process's other threads (lanes_waits),
 * the instant belongs to what these do (wall_does): computing, before
 * anything else. How long they wanted a CPU is known of all of them together
 * only: this time is divided as theirs. */
static const unsigned lanes_waits = 1u << BILL_lock | 1u << BILL_pipe;
enum { LANES_COMPUTES = SPANBILL_HELPER + LANES_STARTS };

/* --- estimates of the sampler -----------------------------------------------
 */

static uint64_t lanes_less (uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t lanes_share (uint64_t ns, uint64_t part, uint64_t all)
{
    return all ? (uint64_t)((uint128_t)ns * part / all) : 0;
}

/* What the kernel counted and events do not tell. CPU time inside of calls
 * cannot be told apart, and is computing, too; more of it than the life of the
 * process is that of several threads, of which one computed for at least its
 * part for each of the processors allowed (0: not known). A sum of CPU time
 * stands where calls were, too: only what lies beside these has a row. Where no
 * event tells that a call waited for a CPU, calls have as much of that as all
 * else. Calls on pipes that are left out waited for the rest, if they took as
 * long. */
void lanes_count (struct lanes_sampled *to,
                  const struct process *p,
                  uint64_t cpus,
                  const struct lanes_covered *covered)
{
    uint64_t life = p->end - p->start, cpu = p->cpu_ns;
    uint64_t sums = lanes_less (covered->all, covered->placed);

    to->left = lanes_less (life, covered->all);
    if (cpu > life)
        cpu = cpus ? cpu / cpus : 0;
    to->cpu = lanes_less (cpu, to->windows ? to->told_cpu
                                           : lanes_less (sums, to->sums_wait));
    to->delay = to->told_wait ? lanes_less (p->delay_ns, to->told_wait)
                              : lanes_share (p->delay_ns, to->left, life);
    if (to->alone) /* the sum of these calls is over all threads */
        to->pipe = lanes_less (p->left_ns[LEFTOUT_pipe], to->told_pipe);
}

static void lanes_sample (struct lanes_sampled *to, const struct process *p)
{
    uint64_t start = UINT64_MAX, end = 0, told[BILL_COUNT] = {0};
    int blocked = 0;

    to->alone = 1;
    for (const struct spans *x = p->spans; x; x = x->next) {
        to->alone &= x->main;
        if (!x->main || x->key.bill >= BILL_NONE)
            continue;
        told[x->key.bill] += spanlog_length (&x->log);
        if (!x->key.estimate)
            continue;
        to->row[x->key.bill] += spanlog_length (&x->log);
        spanlog_widen (&x->log, &start, &end);
    }
    to->told_cpu = told[BILL_cpu];
    to->told_wait = told[BILL_cpu_wait];
    to->told_pipe = told[BILL_pipe];
    to->ran = p->n.others_ran_ns;
    to->wanted = p->n.others_wanted_ns;
    to->gil = wall_gil (p);
    to->gpu = p->gpu;
    for (int row = 0; row < BILL_COUNT; row++)
        blocked |= row != BILL_cpu && row != BILL_cpu_wait && to->row[row];
    to->windows = blocked;
    to->alone &= !blocked; /* a sampler tells of pipes itself */
    if (!blocked) {        /* sums, or samples of a thread that never waits */
        to->sums_wait = to->row[BILL_cpu_wait];
        to->row[BILL_cpu] = to->row[BILL_cpu_wait] = 0;
        return;
    }
    spanlog_add (&to->log, start, end);
}

/* Give a row a share of what is left. */
static void lanes_give (
    uint64_t *time, uint64_t *left, uint64_t from, uint64_t ns, uint64_t of)
{
    uint64_t give = lanes_share (from, MIN (ns, of), of);

    give = give < *left ? give : *left;
    *time += give;
    *left -= give;
}

/* Divide what no row has as the kernel counted the main thread's time; returns
 * what is not explained then. */
static uint64_t
lanes_count_left (const struct lanes_sampled *of, uint64_t left, uint64_t *time)
{
    uint64_t from = left;

    lanes_give (&time[BILL_cpu], &left, from, of->cpu, of->left);
    lanes_give (&time[BILL_cpu_wait], &left, from, of->delay, of->left);
    lanes_give (&time[BILL_pipe], &left, from, of->pipe, of->left);
    if (of->gpu) {
        time[BILL_gpu] += time[BILL_cpu];
        time[BILL_cpu] = 0;
    }
    return left;
}

/* Divide what is left of sampled time in proportion to the estimates. */
static void
lanes_divide (const struct lanes_sampled *of, uint64_t left, uint64_t *time)
{
    uint64_t all = 0;

    for (int row = 0; row < BILL_COUNT; row++)
        all += of->row[row];
    for (int row = 0; all && row < BILL_COUNT; row++)
        time[row] += lanes_share (left, of->row[row], all);
}

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

        if (!l->trains[i])
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
static void lanes_of_ranks (struct lanes *l)
{
    struct summary *s = l->s;
    uint32_t *lane = ZEROED (lane, s->ranks + 1);
    size_t steps = 0;

    for (size_t r = 0; r < s->ranks; r++)
        steps +=
            s->rank[r].first->who->p.rank >= 0 && !lanes_is_batch (&s->rank[r]);
    for (size_t r = 0; r < s->ranks; r++)
        if (!steps || (s->rank[r].first->who->p.rank >= 0 &&
                       !lanes_is_batch (&s->rank[r]))) {
            lanes_new (l, r);
            lane[r] = (uint32_t)s->lanes;
        }
    for (size_t i = 0; i < l->t->processes; i++) {
        const struct process *p = &l->t->process[i];

        l->of[i] = lane[p->rank];
        if (l->of[i])
            lanes_widen (&s->lane[l->of[i] - 1], p);
    }
    free (lane);
}

static void lanes_find (struct lanes *l)
{
    struct trainers *trainers = ZEROED (trainers, l->s->ranks + 1);
    size_t all = 0;

    for (size_t i = 0; i < l->t->processes; i++)
        if (lanes_trains (&l->t->process[i])) {
            l->trains[i] = 1;
            trainers[l->t->process[i].rank].count++;
            all++;
        }
    if (all)
        lanes_of_trainers (l, trainers);
    free (trainers);
    if (!all)
        lanes_of_ranks (l);
}

/* Until the first step a lane is at its start, after the last one at its end;
 * it may begin before the process that trains, and end after it. */
static void lanes_begin_lane (struct lanes *l, size_t k)
{
    const struct bill_lane *lane = &l->s->lane[k];

    l->s->lanes_ended += lane->last != 0;
    spanlog_add (&l->start[k], lane->start, lane->step);
    if (lane->last)
        spanlog_add (&l->end[k], lane->last, lane->end);
    if (l->trains[lane->first - l->t->process]) {
        spanlog_add (&l->out[k], lane->start, lane->first->start);
        spanlog_add (&l->out[k], lane->first->end, lane->end);
    }
}

/* Bills of those that have a part of the job's time. */
static void lanes_part (struct lanes *l)
{
    l->bills = 1 + l->s->lanes;
    for (size_t i = 0; i < l->t->processes; i++)
        if ((l->t->process[i].spans || !spanlog_empty (&l->wall.spawn[i])) &&
            !wall_is_away (&l->wall, l->t, i))
            l->part[i] = (uint32_t)l->bills++;
    NEW (l->bill, l->bills);
}

/* Return 1 if another rank of its step trains, too. */
static int lanes_has_others (const struct lanes *l, size_t k)
{
    const struct trace_process *who = l->s->lane[k].first->who;

    for (size_t i = 0; who->p.rank >= 0 && i < l->s->lanes; i++) {
        const struct trace_process *other = l->s->lane[i].first->who;

        if (other->p.rank >= 0 && other->p.rank != who->p.rank &&
            other->p.step_id == who->p.step_id)
            return 1;
    }
    return 0;
}

/* Ranks that train synchronize inside of their regions, as in the backward pass
 * of DistributedDataParallel: who is blocked there by nothing in its own
 * process waits for another rank. */
static void lanes_find_waits (struct lanes *l)
{
    for (size_t k = 0; k < l->s->lanes; k++) {
        struct bill_lane *lane = &l->s->lane[k];

        if (l->trains[lane->first - l->t->process] && lanes_has_others (l, k))
            rankwait_find (lane->waits, lane->first);
    }
}

/* Return 1 if a bill is a lane's, of a process that trains. */
static int lanes_trains_in (const struct lanes *l, size_t bill)
{
    return bill <= l->s->lanes &&
           l->trains[l->s->lane[bill - 1].first - l->t->process];
}

static void lanes_begin (struct lanes *l)
{
    const struct summary *s = l->s;

    NEW (l->start, s->lanes + 1);
    NEW (l->end, s->lanes + 1);
    NEW (l->out, s->lanes + 1);
    lanes_part (l);
    lanes_find_waits (l);
    for (size_t k = 0; k < s->lanes; k++)
        lanes_begin_lane (l, k);
    l->bill[0].unions = 1;
    for (size_t b = 1; b < l->bills; b++) {
        l->bill[b].weighted = b > s->lanes;
        for (int c = 0; c < bill_ordered; c++)
            if ((lanes_trains_in (l, b) ? bill_asks
                                        : lanes_waits | bill_asks) >>
                    bill_order[c] &
                1)
                l->bill[b].asks |= (uint64_t)1 << lanes_class (bill_order[c]);
    }
}

void lanes_open (struct lanes *l, struct summary *s, struct totals *t)
{
    *l = (struct lanes){.s = s, .t = t};
    NEW (l->of, t->processes + 1);
    NEW (l->helped, t->processes + 1);
    NEW (l->trains, t->processes + 1);
    NEW (l->part, t->processes + 1);
    NEW (l->sampled, t->processes + 1);
    NEW (s->lane, t->processes + s->ranks + 1);
    for (size_t i = 0; i < t->processes; i++)
        lanes_sample (&l->sampled[i], &t->process[i]);
    lanes_find (l);
    wall_open (&l->wall, s, t, l->trains);
    lanes_begin (l);
}

void lanes_clear (struct lanes *l)
{
    wall_close (&l->wall, l->t);
    for (size_t i = 0; l->sampled && i < l->t->processes; i++)
        spanlog_clear (&l->sampled[i].log);
    free (l->sampled);
    for (size_t k = 0; l->start && k < l->s->lanes; k++)
        spanlog_clear (&l->start[k]);
    for (size_t k = 0; l->end && k < l->s->lanes; k++)
        spanlog_clear (&l->end[k]);
    for (size_t k = 0; l->out && k < l->s->lanes; k++)
        spanlog_clear (&l->out[k]);
    free (l->start);
    free (l->end);
    free (l->out);
    free (l->trains);
    free (l->part);
    free (l->bill);
    free (l->of);
    free (l->helped);
}

/* --- what times are charged to ----------------------------------------------
 */

/* Return the class of a helper's time; its loader regions are decoding. */
static enum bill lanes_help (const struct spans *x)
{
    if (x->key.bill < BILL_NONE && bill_helps >> x->key.bill & 1 &&
        !wall_computes (x))
        return x->key.bill;
    return x->key.sets & 1u << SET_LOADER ? BILL_decode : BILL_NONE;
}

void lanes_charge (struct lanes_charged *to, uint32_t bill, uint32_t class)
{
    if (bill)
        to->charge[to->n++] = (struct span_charge){bill, class};
}

uint32_t lanes_part_of (const struct lanes *l, uint32_t lane)
{
    size_t first = lane ? (l->s->lane[lane - 1].first - l->t->process) : 0;

    return lane && l->trains[first] ? l->part[first] : 0;
}

/* Charge a log to a lane, and to the part of its process that trains. */
static void lanes_charge_lane (const struct lanes *l,
                               struct lanes_charged *to,
                               uint32_t lane,
                               uint32_t class)
{
    lanes_charge (to, lane, class);
    lanes_charge (to, lanes_part_of (l, lane), class);
}

/* Charge what another thread does while the main one waits for it. */
static void lanes_charge_work (const struct lanes *l,
                               size_t i,
                               const struct spans *x,
                               uint32_t bill,
                               struct lanes_charged *to)
{
    if (wall_does (x, l->sampled[i].gil))
        lanes_charge (to, bill,
                      wall_computes (x)
                          ? LANES_COMPUTES
                          : SPANBILL_HELPER + lanes_class (x->key.bill));
}

/* A process that does not train has a part, when those of its family that do
 * are not there. */
static void lanes_charge_part (const struct lanes *l,
                               size_t i,
                               const struct spans *x,
                               struct lanes_charged *to)
{
    if (l->trains[i] || x->key.bill >= BILL_NONE)
        return;
    if (x->main) {
        lanes_charge (to, l->part[i], lanes_class_of (x));
        return;
    }
    lanes_charge_work (l, i, x, l->part[i], to);
    if (x->key.storage)
        lanes_charge (to, l->part[i], lanes_class (BILL_threads));
}

uint32_t lanes_charges (const struct lanes *l,
                        size_t i,
                        const struct spans *x,
                        struct span_charge charge[SPAN_CHARGES])
{
    struct lanes_charged to = {.charge = charge};
    uint32_t beside = l->helped[i] ? l->helped[i] : l->of[i];

    if (x->key.storage)
        charge[to.n++] = (struct span_charge){0, cost_of_call (x->key.call)};
    lanes_charge_part (l, i, x, &to);
    if (x->main && l->of[i]) {
        if (x->key.bill < BILL_NONE)
            lanes_charge_lane (l, &to, l->of[i], lanes_class_of (x));
        return to.n;
    }
    if (l->of[i] && !l->trains[i] && x->key.bill < BILL_NONE)
        lanes_charge_work (l, i, x, l->of[i], &to);
    if (l->helped[i] && l->s->lane[l->helped[i] - 1].asks &&
        lanes_help (x) != BILL_NONE)
        lanes_charge_lane (l, &to, l->helped[i],
                           SPANBILL_HELPER + lanes_class (lanes_help (x)));
    if (beside && x->key.storage && x->key.bill < BILL_NONE)
        lanes_charge_lane (l, &to, beside, lanes_class (BILL_threads));
    return to.n;
}

/* --- what comes of it -------------------------------------------------------
 */

static uint64_t lanes_own (const struct spanbill *bill, enum bill row)
{
    uint32_t class = lanes_class (row);

    return bill->own[class] + bill->own[SPANBILL_HELPER + class];
}

/* Give a bill its rows, in its units. */
static void lanes_put_rows (const struct spanbill *bill,
                            const struct lanes_sampled *sampled,
                            uint64_t time[BILL_COUNT])
{
    uint64_t wanted = lanes_share (bill->own[LANES_COMPUTES], sampled->wanted,
                                   sampled->ran + sampled->wanted);

    memset (time, 0, BILL_COUNT * sizeof (*time));
    for (int c = 0; c < bill_ordered; c++)
        time[bill_order[c]] = lanes_own (bill, bill_order[c]);
    time[BILL_spawn] += bill->own[LANES_STARTS];
    time[BILL_ranks] += bill->own[LANES_RANKS];
    time[BILL_cpu] += bill->own[LANES_COMPUTES] - wanted;
    time[BILL_cpu_wait] += wanted;
    lanes_divide (sampled, bill->own[LANES_SAMPLED], time);
}

static void lanes_put_lane (struct bill_lane *lane,
                            const struct spanbill *bill,
                            const struct lanes_sampled *sampled,
                            struct summary *s)
{
    uint64_t left = lane->end - lane->start;

    lanes_put_rows (bill, sampled, lane->time);
    for (int row = 0; row < BILL_COUNT; row++)
        left -= MIN (lane->time[row], left);
    left = lanes_count_left (sampled, left, lane->time);
    lane->time[BILL_other] = left;
    s->billed += lane->end - lane->start;
    for (int row = 0; row < BILL_COUNT; row++)
        s->bill[row] += lane->time[row];
}

static void lanes_put_lanes (struct lanes *l)
{
    struct summary *s = l->s;
    struct lanes_sampled *sampled = ZEROED (sampled, s->lanes + 1);

    for (size_t i = 0; i < l->t->processes; i++) {
        struct lanes_sampled *to = &sampled[l->of[i] ? l->of[i] - 1 : s->lanes];

        for (int row = 0; row < BILL_COUNT; row++)
            to->row[row] += l->sampled[i].row[row];
        to->cpu += l->sampled[i].cpu;
        to->delay += l->sampled[i].delay;
        to->pipe += l->sampled[i].pipe;
        to->left += l->sampled[i].left;
        to->ran += l->sampled[i].ran;
        to->wanted += l->sampled[i].wanted;
        to->gpu |= l->sampled[i].gpu;
    }
    for (size_t k = 0; k < s->lanes; k++)
        lanes_put_lane (&s->lane[k], &l->bill[k + 1], &sampled[k], s);
    free (sampled);
}

/* A brief process is its start, but for what it says that it did. */
static void lanes_start (uint64_t left, uint64_t *time)
{
    static const enum bill start[] = {BILL_cpu, BILL_cpu_wait, BILL_blocked};

    for (size_t k = 0; k < ITEMS (start); k++) {
        time[BILL_spawn] += time[start[k]];
        time[start[k]] = 0;
    }
    time[BILL_spawn] += left;
}

/* Add up the parts. What they lack of the time in which somebody has one is not
 * explained. 0, or -1 (the temporary file cannot be read). */
static void lanes_put_wall (struct lanes *l)
{
    struct summary *s = l->s;
    unsigned fraction = l->wall.shared ? l->wall.weights.fraction : 0;
    uint64_t left = l->wall.covered, all[BILL_COUNT] = {0}, time[BILL_COUNT];

    for (size_t i = 0; i < l->t->processes; i++) {
        static const struct spanbill none;
        uint64_t part;

        wall_part (&l->wall, l->t, i, &part);
        lanes_put_rows (l->part[i] ? &l->bill[l->part[i]] : &none,
                        &l->sampled[i], time);
        for (int row = 0; row < BILL_COUNT; row++)
            part = lanes_less (part, time[row]);
        if (l->wall.brief[i])
            l->sampled[i].pipe = 0;
        part = lanes_count_left (&l->sampled[i], part, time);
        if (l->wall.brief[i])
            lanes_start (part, time);
        for (int row = 0; row < BILL_COUNT; row++)
            all[row] += time[row];
    }
    for (int row = 0; row < BILL_COUNT; row++) {
        uint64_t ns = (all[row] + ((uint64_t)1 << fraction) / 2) >> fraction;

        s->wall[row] = MIN (ns, left);
        left -= s->wall[row];
    }
    s->wall[BILL_other] = left;
    s->wall[BILL_between] = s->end - s->start - l->wall.covered;
}

#define LANES_TOGETHER 0.9

static int lanes_by_start (const void *a, const void *b)
{
    const struct bill_lane *const *x = a, *const *y = b;

    return ORDER ((*x)->start, (*y)->start);
}

/* Ranks run side by side, the commands of a script one after another: what
 * their main threads wait for costs the job their sum divided by how many of
 * them run at once. */
static void lanes_put_at_once (struct summary *s)
{
    const struct bill_lane **lane = ZEROED (lane, s->lanes + 1);
    uint64_t any = 0, until = 0;

    for (size_t k = 0; k < s->lanes; k++)
        lane[k] = &s->lane[k];
    SORT (lane, s->lanes, lanes_by_start);
    for (size_t k = 0; k < s->lanes; k++)
        if (lane[k]->end > until) {
            any += lane[k]->end - MAX (lane[k]->start, until);
            until = lane[k]->end;
        }
    s->lanes_at_once = any ? (double)s->billed / (double)any : 1;
    if (s->lanes_at_once > LANES_TOGETHER * (double)s->lanes)
        s->lanes_at_once = s->lanes; /* so that it is their mean */
    free (lane);
}

void lanes_put (struct lanes *l)
{
    struct summary *s = l->s;

    for (int row = 0; row < COST_COUNT; row++) {
        s->cost[row].own = l->bill[0].own[row];
        s->cost[row].all = l->bill[0].all[row];
        s->io_time += l->bill[0].own[row];
    }
    lanes_put_lanes (l);
    lanes_put_wall (l);
    lanes_put_at_once (s);
}

void lanes_add_faults (struct process *p, const struct mm_log *log)
{
    const struct mm_seen *f = log->faults.item;

    for (int main = 0; main < 2; main++) {
        struct spans *x = ZEROED (x, 1);

        for (size_t i = 0; i < log->faults.count; i++)
            if ((f[i].tid == p->who->p.pid) == main)
                spanlog_add (&x->log, f[i].start, f[i].end);
        if (spanlog_empty (&x->log)) {
            spans_clear (x);
            continue;
        }
        x->key = (struct span_key){
            .call = CALL_page_fault, .bill = BILL_fault, .storage = 1};
        x->main = (uint8_t)main;
        x->next = p->spans;
        p->spans = x;
    }
}
