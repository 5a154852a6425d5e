/* SPDX-License-Identifier: MIT
 *
 * times.c - sets of time of processes -> of ranks and the job
 *
 * In:  spans of processes, from load.c
 * Out: lengths of unions and intersections, to summary.c
 *
 * A union is made only where it is not known already: of one process, of sets
 * of which one is not empty. What two have in common is what they have more
 * than their union.
 */
#include "config.h"

#include "analyze/derive/times.h"

#include <stdlib.h>

#include "analyze/query/spans/spanunion.h"

/* Some processes and the lengths of the sets over all of them. */
struct group {
    const struct process **process;
    size_t count;
    const uint64_t *time; /* [SET_COUNT] */
};

struct times {
    const struct process **process; /* by rank; owned */
    size_t *first;                  /* of each rank, and the end; owned */
    const struct spanlog **logs;    /* room for those of all; owned */
};

static size_t count_spans (const struct totals *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->processes; i++)
        for (const struct spans *s = t->process[i].spans; s; s = s->next)
            n++;
    return n;
}

static int
times_open (struct times *m, const struct summary *s, const struct totals *t)
{
    size_t *at;

    m->process = calloc (t->processes + 1, sizeof (*m->process));
    m->first = calloc (s->ranks + 2, sizeof (*m->first));
    m->logs = calloc (count_spans (t) + 1, sizeof (*m->logs));
    if (!m->process || !m->first || !m->logs)
        return -1;
    for (size_t i = 0; i < t->processes; i++)
        m->first[t->process[i].rank + 2]++;
    for (size_t r = 2; r < s->ranks + 2; r++)
        m->first[r] += m->first[r - 1];
    at = m->first + 1; /* becomes the end of each, the begin of the next */
    for (size_t i = 0; i < t->processes; i++)
        m->process[at[t->process[i].rank]++] = &t->process[i];
    return 0;
}

static void times_close (struct times *m)
{
    free (m->process);
    free (m->first);
    free (m->logs);
}

static struct group
rank_of (const struct times *m, const struct summary *s, size_t r)
{
    return (struct group){m->process + m->first[r],
                          m->first[r + 1] - m->first[r], s->rank[r].time};
}

/* Length of the union of the logs in some of the sets. */
static int unite (const struct times *m,
                  const struct group *g,
                  unsigned sets,
                  uint64_t *out)
{
    size_t n = 0;

    for (size_t i = 0; i < g->count; i++)
        for (const struct spans *s = g->process[i]->spans; s; s = s->next)
            if (s->sets & sets)
                m->logs[n++] = &s->log;
    return spans_length (m->logs, n, out);
}

/* The same where the lengths of single sets are known. */
static int length_of (const struct times *m,
                      const struct group *g,
                      unsigned sets,
                      uint64_t *out)
{
    unsigned some = 0;
    int last = 0;

    *out = 0;
    for (int set = 0; set < SET_COUNT; set++)
        if (sets & 1u << set && g->time[set]) {
            some |= 1u << set;
            last = set;
        }
    if (some & (some - 1))
        return unite (m, g, some, out);
    *out = some ? g->time[last] : 0;
    return 0;
}

/* --- lengths ----------------------------------------------------------- */

static int rank_times (const struct times *m, struct summary *s, int set)
{
    struct over_ranks *over = &s->over[set];

    for (size_t r = 0; r < s->ranks; r++) {
        struct group g = rank_of (m, s, r);
        uint64_t *time = &s->rank[r].time[set];

        if (g.count == 1)
            *time = g.process[0]->time[set];
        else if (unite (m, &g, 1u << set, time) < 0)
            return -1;
        over->ranks += *time > 0;
        over->sum += *time;
        if (*time > over->max)
            over->max = *time;
    }
    return 0;
}

static int
job_times (const struct times *m, struct summary *s, const struct group *job)
{
    for (int set = 0; set < SET_COUNT; set++) {
        if (rank_times (m, s, set) < 0)
            return -1;
        s->job_time[set] = s->over[set].max;
        if (s->over[set].ranks > 1 &&
            unite (m, job, 1u << set, &s->job_time[set]) < 0)
            return -1;
    }
    return 0;
}

/* --- overlaps ---------------------------------------------------------- */

/* Length of the sets, and what they have in common with another. */
static int cross (const struct times *m,
                  const struct group *g,
                  const struct overlap *o,
                  uint64_t *length,
                  uint64_t *common)
{
    uint64_t other = g->time[o->with], all;

    *common = 0;
    if (length_of (m, g, o->what, length) < 0)
        return -1;
    if (!*length || !other)
        return 0;
    if (length_of (m, g, o->what | 1u << o->with, &all) < 0)
        return -1;
    *common = *length + other - all;
    return 0;
}

static int cross_ranks (const struct times *m, struct summary *s, int which)
{
    struct overlap *o = &s->overlap[which];

    for (size_t r = 0; r < s->ranks; r++) {
        struct group g = rank_of (m, s, r);
        uint64_t length, common, other = g.time[o->with];

        if (cross (m, &g, o, &length, &common) < 0)
            return -1;
        s->rank[r].common[which] = common;
        o->ranks += length > 0;
        o->sum += length;
        o->common += common;
        if (length - common > o->alone_max)
            o->alone_max = length - common;
        if (other - common > o->compute_alone_max)
            o->compute_alone_max = other - common;
    }
    return 0;
}

static int make_overlaps (const struct times *m,
                          struct summary *s,
                          const struct group *job)
{
    static const struct overlap pairs[OVERLAP_COUNT] = {
        [OVERLAP_IO] = {.what = 1u << SET_READ | 1u << SET_WRITE,
                        .with = SET_COMPUTE},
        [OVERLAP_LOADER] = {.what = 1u << SET_LOADER, .with = SET_COMPUTE},
        [OVERLAP_LOADER_READ] = {.what = 1u << SET_READ, .with = SET_LOADER},
        [OVERLAP_CKPT] = {.what = 1u << SET_CKPT_WRITE, .with = SET_CHECKPOINT},
    };

    for (int i = 0; i < OVERLAP_COUNT; i++) {
        struct overlap *o = &s->overlap[i];

        *o = pairs[i];
        if (i > OVERLAP_LOADER) { /* only the ranks' are asked for */
            if (length_of (m, job, o->what, &o->job) < 0)
                return -1;
        } else if (cross (m, job, o, &o->job, &o->job_common) < 0)
            return -1;
        if (o->job && cross_ranks (m, s, i) < 0)
            return -1;
    }
    return 0;
}

/* In which a rank computes or waits for its next batch. */
static int make_busy (const struct times *m, struct summary *s)
{
    for (size_t r = 0; r < s->ranks; r++) {
        struct group g = rank_of (m, s, r);

        if (length_of (m, &g, 1u << SET_STALL | 1u << SET_COMPUTE,
                       &s->rank[r].busy) < 0)
            return -1;
    }
    return 0;
}

int times_make (struct summary *s, const struct totals *t)
{
    struct times m = {0};
    int rc = times_open (&m, s, t);
    struct group job = {m.process, t->processes, s->job_time};

    if (rc == 0)
        rc = job_times (&m, s, &job);
    if (rc == 0)
        rc = make_overlaps (&m, s, &job);
    if (rc == 0)
        rc = make_busy (&m, s);
    times_close (&m);
    return rc;
}
