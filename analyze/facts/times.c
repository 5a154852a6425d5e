/* SPDX-License-Identifier: MIT
 *
 * times.c - when calls and regions were running -> unions and overlaps
 *
 * In:  packed times of all threads, from load.c
 * Out: lengths of unions and intersections: of each call in the job, of the
 *      sets of time in processes, ranks and the job, to summary.c
 *
 * All of them come from one sweep over the times (spanunion.h). What two sets
 * have in common is what they have more than their union.
 */
#include "config.h"

#include "analyze/facts/equals.h"
#include "analyze/facts/times.h"
#include "lib/base/array.h"

/* --- main threads of the ranks and what their time went into ----------------
 */

#define STEP_BATCH 0xfffffffbu /* SLURM_BATCH_SCRIPT */

/* The processes of a rank that train, and the lane of the last one. */
struct trainers {
    uint32_t count, lane;
};

/* --- classes of the bills ---------------------------------------------------
 */

enum {
    LANES_AWAY,   /* of parts: when others have it */
    LANES_STARTS, /* exact waits for short children: before any estimate */
    LANES_RANKS,  /* waits for other ranks where it seems to compute */
    LANES_ROWS,   /* and more: rows in the order of bill_order */
    LANES_SAMPLED = LANES_ROWS + BILL_COUNT - 2, /* the rest, while sampled */
    LANES_CLASSES
};

_Static_assert((int)LANES_CLASSES <= (int)SPANBILL_CLASSES,
               "a class for each row but the rest and nobody's");

static uint32_t lanes_class (enum bill row)
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

/* Estimates of the sampler for a main thread, or for those of a lane, and the
 * kernel's counts. */
struct lanes_sampled {
    struct spanlog log;       /* from its first window to its last one */
    uint64_t row[BILL_COUNT]; /* ns */
    uint64_t told_cpu, told_wait, told_pipe; /* ns, known from events */
    uint64_t sums_wait; /* ns of these that are a sum, behind all calls */
    int windows;        /* its estimates are of windows, else sums */
    int alone;          /* no other thread of the process is known */
    uint64_t cpu, delay, pipe; /* ns, not known from events */
    uint64_t left;             /* ns in which these must have been */
    uint64_t ran, wanted;      /* ns of its other threads: a CPU */
    int gpu;                   /* what is on a CPU may spin for a GPU */
    int gil; /* the main thread waited for Python's: whoever computes has it */
};

/* Times of a process, ns: covered by the events of its main thread, and by
 * those of them that are no sums. */
struct lanes_covered {
    uint64_t all, placed;
};

/* What the kernel counted and events do not tell. CPU time inside of calls
 * cannot be told apart, and is computing, too; more of it than the life of the
 * process is that of several threads, of which one computed for at least its
 * part for each of the processors allowed (0: not known). A sum of CPU time
 * stands where calls were, too: only what lies beside these has a row. Where no
 * event tells that a call waited for a CPU, calls have as much of that as all
 * else. Calls on pipes that are left out waited for the rest, if they took as
 * long. */
static void lanes_count (struct lanes_sampled *to,
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

/* 0, or -1 with errno. */
static int lanes_sample (struct lanes_sampled *to, const struct process *p)
{
    uint64_t start = UINT64_MAX, end = 0, told[BILL_COUNT] = {0};
    int blocked = 0;

    to->alone = 1;
    for (const struct spans *x = p->spans; x; x = x->next) {
        to->alone &= x->main;
        if (!x->main || x->key.bill >= BILL_NONE)
            continue;
        told[x->key.bill] += x->log.packed_length +
                             intervals_length (&x->log.tail) +
                             intervals_length (&x->log.late);
        if (!x->key.estimate)
            continue;
        to->row[x->key.bill] += x->log.packed_length +
                                intervals_length (&x->log.tail) +
                                intervals_length (&x->log.late);
        if (spanlog_widen (&x->log, &start, &end) < 0)
            return -1;
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
        return 0;
    }
    return spanlog_add (&to->log, start, end);
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
static int lanes_of_ranks (struct lanes *l)
{
    struct summary *s = l->s;
    uint32_t *lane = ZEROED (lane, s->ranks + 1);
    size_t steps = 0;

    if (!lane)
        return -1;
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
    return 0;
}

static int lanes_find (struct lanes *l)
{
    struct trainers *trainers = ZEROED (trainers, l->s->ranks + 1);
    size_t all = 0;

    if (!trainers)
        return -1;
    for (size_t i = 0; i < l->t->processes; i++)
        if (lanes_trains (&l->t->process[i])) {
            l->trains[i] = 1;
            trainers[l->t->process[i].rank].count++;
            all++;
        }
    if (all)
        lanes_of_trainers (l, trainers);
    free (trainers);
    return all ? 0 : lanes_of_ranks (l);
}

/* Until the first step a lane is at its start, after the last one at its end;
 * it may begin before the process that trains, and end after it. */
static int lanes_begin_lane (struct lanes *l, size_t k)
{
    const struct bill_lane *lane = &l->s->lane[k];

    l->s->lanes_ended += lane->last != 0;
    if (spanlog_add (&l->start[k], lane->start, lane->step) < 0 ||
        (lane->last && spanlog_add (&l->end[k], lane->last, lane->end) < 0))
        return -1;
    return l->trains[lane->first - l->t->process] &&
                   (spanlog_add (&l->out[k], lane->start, lane->first->start) <
                        0 ||
                    spanlog_add (&l->out[k], lane->first->end, lane->end) < 0)
               ? -1
               : 0;
}

/* Bills of those that have a part of the job's time. */
static int lanes_part (struct lanes *l)
{
    l->bills = 1 + l->s->lanes;
    for (size_t i = 0; i < l->t->processes; i++)
        if ((l->t->process[i].spans || !spanlog_empty (&l->wall.spawn[i])) &&
            !wall_is_away (&l->wall, l->t, i))
            l->part[i] = (uint32_t)l->bills++;
    NEW (l->bill, l->bills);
    return l->bill ? 0 : -1;
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
 * process waits for another rank. 0, or -1 with errno. */
static int lanes_find_waits (struct lanes *l)
{
    for (size_t k = 0; k < l->s->lanes; k++) {
        struct bill_lane *lane = &l->s->lane[k];

        if (l->trains[lane->first - l->t->process] && lanes_has_others (l, k) &&
            rankwait_find (lane->waits, lane->first) < 0)
            return -1;
    }
    return 0;
}

/* Return 1 if a bill is a lane's, of a process that trains. */
static int lanes_trains_in (const struct lanes *l, size_t bill)
{
    return bill <= l->s->lanes &&
           l->trains[l->s->lane[bill - 1].first - l->t->process];
}

static int lanes_begin (struct lanes *l)
{
    const struct summary *s = l->s;

    NEW (l->start, s->lanes + 1);
    NEW (l->end, s->lanes + 1);
    NEW (l->out, s->lanes + 1);
    if (!l->start || !l->end || !l->out || lanes_part (l) < 0 ||
        lanes_find_waits (l) < 0)
        return -1;
    for (size_t k = 0; k < s->lanes; k++)
        if (lanes_begin_lane (l, k) < 0)
            return -1;
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
    return 0;
}

/* Find the lanes of s, whose ranks are known. 0, or -1 (ENOMEM); clear in any
 * case. */
static int lanes_open (struct lanes *l, struct summary *s, struct totals *t)
{
    *l = (struct lanes){.s = s, .t = t};
    NEW (l->of, t->processes + 1);
    NEW (l->helped, t->processes + 1);
    NEW (l->trains, t->processes + 1);
    NEW (l->part, t->processes + 1);
    NEW (l->sampled, t->processes + 1);
    NEW (s->lane, t->processes + s->ranks + 1);
    if (!l->of || !l->helped || !l->trains || !l->part || !l->sampled ||
        !s->lane)
        return -1;
    for (size_t i = 0; i < t->processes; i++)
        if (lanes_sample (&l->sampled[i], &t->process[i]) < 0)
            return -1;
    return lanes_find (l) < 0 || wall_open (&l->wall, s, t, l->trains) < 0
               ? -1
               : lanes_begin (l);
}

static void lanes_clear (struct lanes *l)
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

/* A log's charges on the way. */
struct lanes_charged {
    struct span_charge *charge;
    uint32_t n;
};

static void
lanes_charge (struct lanes_charged *to, uint32_t bill, uint32_t class)
{
    if (bill)
        to->charge[to->n++] = (struct span_charge){bill, class};
}

/* Bill of the part of the process that trains in a lane; 0: nobody does. */
static uint32_t lanes_part_of (const struct lanes *l, uint32_t lane)
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

/* Find the classes to which the times of process i are charged. Return their
 * number. */
static uint32_t lanes_charges (const struct lanes *l,
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

/* 0, or -1 (ENOMEM). */
static int lanes_put_lanes (struct lanes *l)
{
    struct summary *s = l->s;
    struct lanes_sampled *sampled = ZEROED (sampled, s->lanes + 1);

    if (!sampled)
        return -1;
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
    return 0;
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
static int lanes_put_wall (struct lanes *l)
{
    struct summary *s = l->s;
    unsigned fraction = l->wall.shared ? l->wall.weights.fraction : 0;
    uint64_t left = l->wall.covered, all[BILL_COUNT] = {0}, time[BILL_COUNT];

    for (size_t i = 0; i < l->t->processes; i++) {
        static const struct spanbill none;
        uint64_t part;

        if (wall_part (&l->wall, l->t, i, &part) < 0)
            return -1;
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
    return 0;
}

#define LANES_TOGETHER 0.9

static int lanes_by_start (const void *a, const void *b)
{
    const struct bill_lane *const *x = a, *const *y = b;

    return ORDER ((*x)->start, (*y)->start);
}

/* Ranks run side by side, the commands of a script one after another: what
 * their main threads wait for costs the job their sum divided by how many of
 * them run at once. 0, or -1 (ENOMEM). */
static int lanes_put_at_once (struct summary *s)
{
    const struct bill_lane **lane = ZEROED (lane, s->lanes + 1);
    uint64_t any = 0, until = 0;

    if (!lane)
        return -1;
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
    return 0;
}

/* The bills are made: what they say is s's. 0, or -1 (ENOMEM). */
static int lanes_put (struct lanes *l)
{
    struct summary *s = l->s;

    for (int row = 0; row < COST_COUNT; row++) {
        s->cost[row].own = l->bill[0].own[row];
        s->cost[row].all = l->bill[0].all[row];
        s->io_time += l->bill[0].own[row];
    }
    if (lanes_put_lanes (l) < 0 || lanes_put_wall (l) < 0)
        return -1;
    return lanes_put_at_once (s);
}

int lanes_add_faults (struct process *p, const struct mm_log *log)
{
    const struct mm_seen *f = log->faults.item;

    for (int main = 0; main < 2; main++) {
        struct spans *x = ZEROED (x, 1);
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

/* --- all of it --------------------------------------------------------------
 */

/* Unions of one or more sets that are wanted of ranks and the job: the single
 * sets first, then those of the pairs, then busy. */
enum {
    TIMES_PAIR = SET_COUNT,                  /* what of an overlap */
    TIMES_BOTH = TIMES_PAIR + OVERLAP_COUNT, /* with the other */
    TIMES_BUSY = TIMES_BOTH + OVERLAP_COUNT,
    TIMES_WANTED,
    TIMES_OF_JOB = TIMES_BOTH + OVERLAP_LOADER + 1 /* the others: of ranks */
};

/* The union is empty. It would make all of that enum unsigned (gcc 13). */
#define TIMES_NONE UINT32_MAX

static const struct overlap times_pairs[OVERLAP_COUNT] = {
    [OVERLAP_IO] = {.what = 1u << SET_READ | 1u << SET_WRITE,
                    .with = SET_COMPUTE},
    [OVERLAP_LOADER] = {.what = 1u << SET_LOADER, .with = SET_COMPUTE},
    [OVERLAP_LOADER_READ] = {.what = 1u << SET_READ, .with = SET_LOADER},
    [OVERLAP_CKPT] = {.what = 1u << SET_CKPT_WRITE, .with = SET_CHECKPOINT},
    [OVERLAP_CKPT_SYNC] = {.what = 1u << SET_CKPT_SYNC, .with = SET_CHECKPOINT},
    [OVERLAP_CKPT_META] = {.what = 1u << SET_CKPT_WRITE | 1u << SET_CKPT_META,
                           .with = SET_CHECKPOINT},
    [OVERLAP_CKPT_COMM] = {.what = 1u << SET_CKPT_WRITE | 1u << SET_CKPT_META |
                                   1u << SET_COMM,
                           .with = SET_CHECKPOINT},
};

/* A process, a rank or the job. */
struct times_group {
    unsigned all;               /* sets that there is anything of */
    unsigned present;           /* of these, those that count, see below */
    uint32_t sum[TIMES_WANTED]; /* the union; TIMES_NONE */
};

struct times {
    struct times_group *process, *rank, job; /* owned */
    uint32_t call[CALL_MAX];                 /* sum of each */
    uint32_t row[BILL_COUNT];                /* the same; TIMES_NONE */
    uint32_t sums;
    struct span_member *member; /* owned */
    uint32_t *lists;            /* of the members' sums; owned */
    size_t members;
    uint64_t *length; /* of each sum; owned */
    struct times_covered {
        uint32_t all, placed; /* the sums, see lanes_covered; TIMES_NONE */
    } * covered;              /* of each process; owned */
    struct lanes lanes;
};

static unsigned times_sets (int wanted)
{
    if (wanted < TIMES_PAIR)
        return 1u << wanted;
    if (wanted < TIMES_BOTH)
        return times_pairs[wanted - TIMES_PAIR].what;
    if (wanted < TIMES_BUSY)
        return times_pairs[wanted - TIMES_BOTH].what |
               1u << times_pairs[wanted - TIMES_BOTH].with;
    return 1u << SET_STALL | 1u << SET_COMPUTE;
}

/* --- which unions there are -------------------------------------------------
 */

/* A sum for each union that is not that of fewer sets; wanted ones up to
 * last. */
static void times_make_sums (struct times *m, struct times_group *g, int last)
{
    for (int w = 0; w < TIMES_WANTED; w++) {
        unsigned sets = times_sets (w) & g->present;

        g->sum[w] = TIMES_NONE;
        if (!sets || w >= last)
            continue;
        for (int old = 0; old < w && g->sum[w] == TIMES_NONE; old++)
            if (sets == (times_sets (old) & g->present))
                g->sum[w] = g->sum[old];
        if (g->sum[w] == TIMES_NONE)
            g->sum[w] = m->sums++;
    }
}

/* A process that a rank has beside the one that trains does not hold it up: the
 * checkpoints that it takes are asynchronous. One that only reads a checkpoint
 * takes none. */
static unsigned times_count (const struct times *m,
                             const struct totals *t,
                             size_t process,
                             unsigned sets)
{
    const unsigned trains = 1u << SET_STALL | 1u << SET_COMPUTE;
    const struct process *p = &t->process[process];
    int helps =
        (m->rank[p->rank].all & trains) && !(m->process[process].all & trains);
    int reads = !p->n.ckpt_write.count && !p->n.regions[ROLE_CHECKPOINT];

    if (sets & 1u << SET_CKPT_META && reads)
        return sets & ~(1u << SET_CKPT_META | 1u << SET_CHECKPOINT);
    return helps ? sets & ~(1u << SET_CHECKPOINT) : sets;
}

static void times_look (struct times *m, const struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++)
        for (const struct spans *x = t->process[i].spans; x; x = x->next) {
            m->process[i].all |= x->key.sets;
            m->rank[t->process[i].rank].all |= x->key.sets;
        }
}

static int
times_groups (struct times *m, const struct summary *s, const struct totals *t)
{
    NEW (m->process, t->processes + 1);
    NEW (m->rank, s->ranks + 1);
    NEW (m->covered, t->processes + 1);
    if (!m->process || !m->rank || !m->covered)
        return -1;
    for (size_t i = 0; i < t->processes; i++)
        m->covered[i] = t->process[i].cpu_ns || t->process[i].delay_ns
                            ? (struct times_covered){m->sums++, m->sums++}
                            : (struct times_covered){TIMES_NONE, TIMES_NONE};
    for (int call = 0; call < CALL_MAX; call++)
        m->call[call] = t->tally.call[call] ? m->sums++ : TIMES_NONE;
    for (int row = 0; row < BILL_COUNT; row++)
        m->row[row] = m->sums++;
    times_look (m, t);
    for (size_t i = 0; i < t->processes; i++)
        for (const struct spans *x = t->process[i].spans; x; x = x->next) {
            unsigned sets = times_count (m, t, i, x->key.sets);

            m->process[i].present |= sets;
            m->rank[t->process[i].rank].present |= sets;
            m->job.present |= sets;
            m->members++;
        }
    times_make_sums (m, &m->job, s->ranks == 1 ? TIMES_WANTED : TIMES_OF_JOB);
    for (size_t r = 0; r < s->ranks; r++)
        if (s->ranks == 1)
            m->rank[r] = m->job;
        else
            times_make_sums (m, &m->rank[r], TIMES_WANTED);
    for (size_t i = 0; i < t->processes; i++)
        if (s->rank[t->process[i].rank].processes == 1)
            m->process[i] = m->rank[t->process[i].rank];
        else
            times_make_sums (m, &m->process[i], SET_COUNT);
    return 0;
}

/* --- which times belong to them ---------------------------------------------
 */

static void times_belong (uint32_t *list, uint32_t *n, uint32_t sum)
{
    for (uint32_t i = 0; i < *n; i++)
        if (sum == list[i])
            return;
    if (sum != TIMES_NONE)
        list[(*n)++] = sum;
}

static void times_belong_group (uint32_t *list,
                                uint32_t *n,
                                const struct times_group *g,
                                unsigned sets)
{
    for (int w = 0; sets && w < TIMES_WANTED; w++)
        if (sets & times_sets (w))
            times_belong (list, n, g->sum[w]);
}

enum { TIMES_LIST_MAX = 4 + 3 * TIMES_WANTED };

/* A log of a lane, or of a process that has a part. */
static void times_add_log (struct times *m,
                           const struct spanlog *log,
                           uint32_t lane,
                           uint32_t part,
                           uint32_t class)
{
    struct span_member *to = &m->member[m->members++];
    struct lanes_charged charged = {.charge = to->charge};

    *to = (struct span_member){.log = log};
    lanes_charge (&charged, lane, class);
    lanes_charge (&charged, part, class);
    to->charges = charged.n;
}

/* The starts and ends of the lanes, and when who has a part has none. */
static void times_lanes (struct times *m, const struct totals *t)
{
    const struct lanes *l = &m->lanes;

    for (uint32_t k = 0; k < l->s->lanes; k++) {
        uint32_t part = lanes_part_of (l, k + 1);

        times_add_log (m, &l->start[k], k + 1, part, lanes_class (BILL_start));
        times_add_log (m, &l->end[k], k + 1, part, lanes_class (BILL_end));
        times_add_log (m, &l->out[k], 0, part, LANES_AWAY);
        for (int log = 0; log < RANKWAIT_LOGS; log++)
            times_add_log (m, &l->s->lane[k].waits[log], k + 1, part,
                           LANES_RANKS);
    }
    for (size_t i = 0; i < t->processes; i++) {
        times_add_log (m, &l->wall.away[i], 0, l->part[i], LANES_AWAY);
        times_add_log (m, &l->wall.spawn[i], l->of[i], l->part[i],
                       lanes_class (BILL_spawn));
        times_add_log (m, &l->sampled[i].log, l->of[i], l->part[i],
                       LANES_SAMPLED);
        if (m->covered[i].all != TIMES_NONE) {
            m->member[m->members - 1].sum = &m->covered[i].all;
            m->member[m->members - 1].sums = 1;
        }
    }
}

static int times_members (struct times *m, const struct totals *t)
{
    size_t all =
        m->members + (3 + RANKWAIT_LOGS) * m->lanes.s->lanes + 3 * t->processes;
    uint32_t *list;

    NEW (m->member, all + 1);
    NEW (m->lists, m->members * TIMES_LIST_MAX + 1);
    NEW (m->length, m->sums + 1);
    if (!m->member || !m->lists || !m->length)
        return -1;
    list = m->lists;
    m->members = 0;
    for (size_t i = 0; i < t->processes; i++)
        for (const struct spans *x = t->process[i].spans; x; x = x->next) {
            struct span_member *to = &m->member[m->members++];
            unsigned sets = times_count (m, t, i, x->key.sets);

            *to = (struct span_member){.log = &x->log, .sum = list};
            to->charges = lanes_charges (&m->lanes, i, x, to->charge);
            times_belong (list, &to->sums, m->call[x->key.call]);
            if (x->main && x->key.storage && x->key.bill < BILL_NONE)
                times_belong (list, &to->sums, m->row[x->key.bill]);
            if (x->main && x->key.bill < BILL_NONE) {
                times_belong (list, &to->sums, m->covered[i].all);
                if (!x->key.estimate)
                    times_belong (list, &to->sums, m->covered[i].placed);
            }
            times_belong_group (list, &to->sums, &m->process[i], sets);
            times_belong_group (list, &to->sums, &m->rank[t->process[i].rank],
                                sets);
            times_belong_group (list, &to->sums, &m->job, sets);
            list += to->sums;
        }
    times_lanes (m, t);
    return 0;
}

/* --- lengths ----------------------------------------------------------- */

static uint64_t
times_length (const struct times *m, const struct times_group *g, int wanted)
{
    uint32_t sum = g->sum[wanted];

    return sum == TIMES_NONE ? 0 : m->length[sum];
}

static void
times_put_sets (const struct times *m, struct summary *s, struct totals *t)
{
    for (int call = 0; call < CALL_MAX; call++)
        if (t->tally.call[call])
            t->call_union[call] = m->length[m->call[call]];
    for (int set = 0; set < SET_COUNT; set++) {
        struct over_ranks *over = &s->over[set];

        for (size_t i = 0; i < t->processes; i++)
            t->process[i].time[set] = times_length (m, &m->process[i], set);
        for (size_t r = 0; r < s->ranks; r++) {
            uint64_t time = times_length (m, &m->rank[r], set);

            s->rank[r].time[set] = time;
            over->ranks += time > 0;
            over->sum += time;
            if (time > over->max)
                over->max = time;
        }
        s->job_time[set] = times_length (m, &m->job, set);
    }
    for (size_t r = 0; r < s->ranks; r++)
        s->rank[r].busy = times_length (m, &m->rank[r], TIMES_BUSY);
}

/* --- overlaps ---------------------------------------------------------- */

/* Return the time that both sets of an overlap have in common. */
static uint64_t
times_common (const struct times *m, const struct times_group *g, int which)
{
    uint64_t length = times_length (m, g, TIMES_PAIR + which);
    uint64_t other = times_length (m, g, (int)times_pairs[which].with);

    return length && other
               ? length + other - times_length (m, g, TIMES_BOTH + which)
               : 0;
}

static void
times_put_overlap (const struct times *m, struct summary *s, int which)
{
    struct overlap *o = &s->overlap[which];

    *o = times_pairs[which];
    o->job = times_length (m, &m->job, TIMES_PAIR + which);
    if (which <= OVERLAP_LOADER) /* of the others only the ranks are asked */
        o->job_common = times_common (m, &m->job, which);
    for (size_t r = 0; o->job && r < s->ranks; r++) {
        const struct times_group *g = &m->rank[r];
        uint64_t length = times_length (m, g, TIMES_PAIR + which);
        uint64_t common = times_common (m, g, which);
        uint64_t other = times_length (m, g, (int)o->with);

        s->rank[r].common[which] = common;
        o->ranks += length > 0;
        o->sum += length;
        o->common += common;
        if (length - common > o->alone_max)
            o->alone_max = length - common;
        if (other - common > o->compute_alone_max)
            o->compute_alone_max = other - common;
    }
}

/* Tell each process that the kernel counted what events have of its time. */
static void times_count_lanes (struct times *m,
                               const struct summary *s,
                               const struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++)
        if (m->covered[i].all != TIMES_NONE)
            lanes_count (
                &m->lanes.sampled[i], &t->process[i], s->cpus,
                &(struct lanes_covered){m->length[m->covered[i].all],
                                        m->length[m->covered[i].placed]});
}

int times_make (struct summary *s, struct totals *t)
{
    struct times m = {.process = NULL};
    int rc = -1;

    if (times_groups (&m, s, t) == 0 && lanes_open (&m.lanes, s, t) == 0 &&
        times_members (&m, t) == 0)
        rc = spans_bills (m.member, m.members, m.length, m.sums,
                          &(struct span_bills){m.lanes.bill, m.lanes.bills,
                                               m.lanes.wall.shared
                                                   ? &m.lanes.wall.weights
                                                   : NULL});
    if (rc == 0) {
        times_count_lanes (&m, s, t);
        rc = lanes_put (&m.lanes);
    }
    if (rc == 0) {
        times_put_sets (&m, s, t);
        for (int row = 0; row < BILL_COUNT; row++)
            s->any[row] = m.length[m.row[row]];
        for (int which = 0; which < OVERLAP_COUNT; which++)
            times_put_overlap (&m, s, which);
    }
    lanes_clear (&m.lanes);
    free (m.process);
    free (m.rank);
    free (m.covered);
    free (m.member);
    free (m.lists);
    free (m.length);
    return rc;
}
