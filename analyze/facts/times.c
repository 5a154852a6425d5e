/* SPDX-License-Identifier: MIT
 *
 * times.c - when calls and regions were running -> unions and overlaps
 *
 * In:  packed times of all threads, from load.c
 * Out: lengths of unions and intersections: of each call in the job, of the
 *      sets of time in processes, ranks and the job, to summary.c; the chain
 *      of processes, and when each row of the bill was
 *
 * All of them come from one sweep over the times (spanunion.h). What two sets
 * have in common is what they have more than their union.
 */
#include "config.h"

#include "analyze/facts/lanes.h"
#include "analyze/facts/times.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/model/metric.h"
#include "lib/util/xalloc.h"

/* --- unions and overlaps
 * --------------------------------------------------------------
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

static void
times_groups (struct times *m, const struct summary *s, const struct totals *t)
{
    NEW (m->process, t->processes + 1);
    NEW (m->rank, s->ranks + 1);
    NEW (m->covered, t->processes + 1);
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

static void times_members (struct times *m, const struct totals *t)
{
    size_t all =
        m->members + (3 + RANKWAIT_LOGS) * m->lanes.s->lanes + 3 * t->processes;
    uint32_t *list;

    NEW (m->member, all + 1);
    NEW (m->lists, m->members * TIMES_LIST_MAX + 1);
    NEW (m->length, m->sums + 1);
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

void times_make (struct summary *s, struct totals *t)
{
    struct times m = {.process = NULL};

    times_groups (&m, s, t);
    lanes_open (&m.lanes, s, t);
    times_members (&m, t);
    spans_bills (m.member, m.members, m.length, m.sums,
                 &(struct span_bills){
                     m.lanes.bill, m.lanes.bills,
                     m.lanes.wall.shared ? &m.lanes.wall.weights : NULL});
    times_count_lanes (&m, s, t);
    lanes_put (&m.lanes);
    times_put_sets (&m, s, t);
    for (int row = 0; row < BILL_COUNT; row++)
        s->any[row] = m.length[m.row[row]];
    for (int which = 0; which < OVERLAP_COUNT; which++)
        times_put_overlap (&m, s, which);
    lanes_clear (&m.lanes);
    free (m.process);
    free (m.rank);
    free (m.covered);
    free (m.member);
    free (m.lists);
    free (m.length);
}

/* --- processes one after another -> the least time that a job can take ------
 *
 * The CPU time outside of calls on storage and fetches of the chain of
 * processes that has most of it, each of which begins when the one before it
 * has ended.
 */
struct chain_link {
    uint64_t start, end, busy;
    uint64_t best; /* of the chains that end here or before */
};

/* Rows of calls on storage, and of fetching a batch. Their CPU time goes with
 * them: a job without these calls does not compute it, and workers can fetch.
 */
enum {
    CHAIN_CALLS = 1 << BILL_loader | 1 << BILL_decode | 1 << BILL_read |
                  1 << BILL_open | 1 << BILL_write | 1 << BILL_sync |
                  1 << BILL_checkpoint | 1 << BILL_other_io | 1 << BILL_imports
};

/* Return the time that a main thread was on a CPU, or wanted one, less its
 * calls on storage; add its waits. */
static uint64_t chain_add (struct summary *s, const struct process *p)
{
    uint64_t busy = 0, calls = 0;

    for (const struct spans *x = p->spans; x; x = x->next) {
        uint64_t ns = x->main ? spanlog_length (&x->log) : 0;

        if (call_is_wait (x->key.call))
            s->waited[x->key.call] += ns;
        if (x->key.call == CALL_wait_run || x->key.call == CALL_wait_runq)
            busy += ns;
        else if (CHAIN_CALLS >> x->key.bill & 1)
            calls += ns;
    }
    return busy > calls ? busy - calls : 0;
}

static int chain_order (const void *va, const void *vb)
{
    const struct chain_link *a = va, *b = vb;

    return ORDER (a->end, b->end);
}

/* The best of the first n links, sorted by their ends, that end by a time. */
static uint64_t
chain_until (const struct chain_link *link, size_t n, uint64_t time)
{
    size_t before = FIRST_NOT (n, i, link[i].end <= time);

    return before ? link[before - 1].best : 0;
}

void chain_find (struct summary *s, const struct totals *t)
{
    struct chain_link *link = ZEROED (link, t->processes + 1);
    size_t n = 0;

    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        link[n++] = (struct chain_link){p->start, p->end, chain_add (s, p), 0};
    }
    if (n > 1)
        SORT (link, n, chain_order);
    for (size_t i = 0; i < n; i++) {
        uint64_t with = link[i].busy + chain_until (link, i, link[i].start);

        link[i].best = i && link[i - 1].best > with ? link[i - 1].best : with;
        s->chain_busy = link[i].best;
    }
    free (link);
}

/* --- when each row of the bill was, and in whom -----------------------------
 */

/* Return the row that the times are of; BILL_COUNT: of none. Of other threads
 * it is what holds up their main thread. */
static enum bill rowtimes_row (const struct spans *x)
{
    if (x->main)
        return x->key.bill < BILL_NONE ? x->key.bill : BILL_COUNT;
    if (x->key.sets & 1u << SET_LOADER)
        return BILL_decode;
    return x->key.storage ? BILL_threads : BILL_COUNT;
}

static void rowtimes_widen (struct row_time *to, uint64_t from, uint64_t until)
{
    to->from = MIN (from, to->from);
    to->until = MAX (until, to->until);
}

/* Return the length of a log; *to is widened to it. A log that cannot be read
 * again counts with its length alone. */
static uint64_t rowtimes_add (struct row_time *to, const struct spanlog *log)
{
    if (spanlog_empty (log))
        return 0;
    spanlog_widen (log, &to->from, &to->until);
    return spanlog_length (log);
}

/* Keep those with most time, the first one with most. */
static void rowtimes_keep (struct row_time *to, size_t process, uint64_t ns)
{
    size_t at = to->processes < ROW_MOST ? to->processes : ROW_MOST - 1;

    if (to->processes++ >= ROW_MOST && to->most[at].ns >= ns)
        return;
    for (; at && to->most[at - 1].ns < ns; at--)
        to->most[at] = to->most[at - 1];
    to->most[at] = (struct row_part){process, ns};
}

/* What a lane has beside the times of its process: its start, and the waits
 * inside of its compute regions. */
static void rowtimes_add_lane (struct row_time when[BILL_COUNT],
                               uint64_t ns[BILL_COUNT],
                               const struct bill_lane *lane)
{
    for (int log = 0; log < RANKWAIT_LOGS; log++)
        ns[BILL_ranks] += rowtimes_add (&when[BILL_ranks], &lane->waits[log]);
    if (lane->step <= lane->start)
        return;
    rowtimes_widen (&when[BILL_start], lane->start, lane->step);
    ns[BILL_start] += lane->step - lane->start;
}

void rowtimes_make (struct summary *s, const struct totals *t)
{
    size_t lane = 0; /* of processes that train; they are in their order */

    for (int row = 0; row < BILL_COUNT; row++)
        s->when[row] = (struct row_time){.from = UINT64_MAX};
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];
        uint64_t ns[BILL_COUNT] = {0};

        for (const struct spans *x = p->spans; x; x = x->next) {
            enum bill row = rowtimes_row (x);

            if (row < BILL_COUNT)
                ns[row] += rowtimes_add (&s->when[row], &x->log);
        }
        if (lane < s->lanes && s->lane[lane].first == p)
            rowtimes_add_lane (s->when, ns, &s->lane[lane++]);
        for (int row = 0; row < BILL_COUNT; row++)
            if (ns[row])
                rowtimes_keep (&s->when[row], i, ns[row]);
    }
}
