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

#include "analyze/facts/times.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/facts/lanes.h"

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
    uint32_t sums;
    struct span_member *member; /* owned */
    uint32_t *lists;            /* of the members' sums; owned */
    size_t members;
    uint64_t *length; /* of each sum; owned */
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
 * checkpoints that it takes are asynchronous. */
static unsigned times_count (const struct times *m,
                             const struct totals *t,
                             size_t process,
                             unsigned sets)
{
    const unsigned trains = 1u << SET_STALL | 1u << SET_COMPUTE;
    int helps = (m->rank[t->process[process].rank].all & trains) &&
                !(m->process[process].all & trains);

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
    m->process = calloc (t->processes + 1, sizeof (*m->process));
    m->rank = calloc (s->ranks + 1, sizeof (*m->rank));
    if (!m->process || !m->rank)
        return -1;
    for (int call = 0; call < CALL_MAX; call++)
        m->call[call] = t->tally.call[call] ? m->sums++ : TIMES_NONE;
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

enum { TIMES_LIST_MAX = 1 + 3 * TIMES_WANTED };

/* The starts and ends of the lanes. */
static void times_lanes (struct times *m)
{
    for (size_t k = 0; k < m->lanes.s->lanes; k++) {
        m->member[m->members++] =
            (struct span_member){.log = &m->lanes.start[k],
                                 .charge = {lanes_start (k)},
                                 .charges = 1};
        m->member[m->members++] = (struct span_member){
            .log = &m->lanes.end[k], .charge = {lanes_end (k)}, .charges = 1};
    }
}

static int times_members (struct times *m, const struct totals *t)
{
    size_t all = m->members + 2 * m->lanes.s->lanes;
    uint32_t *list;

    m->member = calloc (all + 1, sizeof (*m->member));
    m->lists = calloc (m->members * TIMES_LIST_MAX + 1, sizeof (*m->lists));
    m->length = calloc (m->sums + 1, sizeof (*m->length));
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
            times_belong_group (list, &to->sums, &m->process[i], sets);
            times_belong_group (list, &to->sums, &m->rank[t->process[i].rank],
                                sets);
            times_belong_group (list, &to->sums, &m->job, sets);
            list += to->sums;
        }
    times_lanes (m);
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

/* What the sets of an overlap and the other one have in common. */
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

int times_make (struct summary *s, struct totals *t)
{
    struct times m = {.process = NULL};
    int rc = -1;

    if (times_groups (&m, s, t) == 0 && lanes_open (&m.lanes, s, t) == 0 &&
        times_members (&m, t) == 0)
        rc = spans_bills (m.member, m.members, m.length, m.sums, m.lanes.bill,
                          s->lanes + 1);
    if (rc == 0)
        rc = lanes_put (&m.lanes);
    if (rc == 0) {
        times_put_sets (&m, s, t);
        for (int which = 0; which < OVERLAP_COUNT; which++)
            times_put_overlap (&m, s, which);
    }
    lanes_clear (&m.lanes);
    free (m.process);
    free (m.rank);
    free (m.member);
    free (m.lists);
    free (m.length);
    return rc;
}
