/* SPDX-License-Identifier: MIT
 *
 * summary.c - totals of a job -> ranks and the facts that metrics are made of
 *
 * In:  struct totals, from load.c
 * Out: struct summary, to metrics.c and views.c
 */
#include "config.h"

#include "analyze/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- ranks ---------------------------------------------------------------- */

static const char *host_of (const struct process *p)
{
    return p->who->text[SHARD_STRING_HOST];
}

static int on_host (const struct process *a, const struct process *b)
{
    return strcmp (host_of (a), host_of (b)) == 0;
}

/* The traced process that p came from, or NULL: the program that called exec
 * in the same process, else the one that started it. The youngest older one
 * counts: the system uses process ids again. */
static struct process *parent_of (struct totals *t, const struct process *p)
{
    struct process *parent = NULL, *before = NULL;

    for (size_t i = 0; i < t->processes; i++) {
        struct process *q = &t->process[i];
        struct process **found = q->who->p.pid == p->who->p.pid    ? &before
                                 : q->who->p.pid == p->who->p.ppid ? &parent
                                                                   : NULL;

        if (!found || q == p || !on_host (q, p) ||
            q->who->p.start_real > p->who->p.start_real)
            continue;
        if (!*found || q->who->p.start_real > (*found)->who->p.start_real)
            *found = q;
    }
    return before ? before : parent;
}

/* The process that stands for the rank of p: the first one of the same step
 * and rank, or the eldest ancestor without a rank. */
static struct process *head_of (struct totals *t, struct process *p)
{
    struct process *head = p, *up;

    if (p->who->p.rank < 0) {
        for (size_t depth = 0; depth < t->processes; depth++) {
            if (!(up = parent_of (t, head)) || up->who->p.rank >= 0)
                break;
            head = up;
        }
        return head;
    }
    for (size_t i = 0; i < t->processes; i++) {
        struct process *q = &t->process[i];

        if (q->who->p.rank == p->who->p.rank &&
            q->who->p.step_id == p->who->p.step_id &&
            q->who->p.job_id == p->who->p.job_id &&
            q->who->p.restart == p->who->p.restart)
            return q;
    }
    return head;
}

static size_t rank_index (struct summary *s, const struct process *head)
{
    for (size_t i = 0; i < s->ranks; i++)
        if (s->rank[i].first == head)
            return i;
    s->rank[s->ranks].first = head;
    return s->ranks++;
}

static int make_ranks (struct summary *s, struct totals *t)
{
    if (!(s->rank = calloc (t->processes + 1, sizeof (*s->rank))))
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        struct process *p = &t->process[i];

        p->rank = rank_index (s, head_of (t, p));
        s->rank[p->rank].processes++;
    }
    for (size_t i = 0; i < s->ranks; i++)
        s->numbered += s->rank[i].first->who->p.rank >= 0;
    return 0;
}

/* --- times ---------------------------------------------------------------- */

/* The logs of some sets, over the processes of one rank (SIZE_MAX: of all);
 * how many. */
static size_t collect (const struct totals *t,
                       size_t rank,
                       unsigned sets,
                       const struct spanlog **logs)
{
    size_t n = 0;

    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        if (rank != SIZE_MAX && p->rank != rank)
            continue;
        for (int set = 0; set < SET_COUNT; set++)
            for (uint32_t k = 0; sets & 1u << set && k < p->threads; k++)
                if (p->set[set] && !spanlog_empty (&p->set[set][k]))
                    logs[n++] = &p->set[set][k];
    }
    return n;
}

static int rank_times (struct summary *s,
                       const struct totals *t,
                       int set,
                       const struct spanlog **logs)
{
    struct over_ranks *over = &s->over[set];

    for (size_t r = 0; r < s->ranks; r++) {
        uint64_t *time = &s->rank[r].time[set];

        if (spans_length (logs, collect (t, r, 1u << set, logs), time) < 0)
            return -1;
        over->ranks += *time > 0;
        over->sum += *time;
        if (*time > over->max)
            over->max = *time;
    }
    return 0;
}

/* Two groups of sets, in the whole job and rank by rank. */
static int cross (struct overlap *o,
                  const struct totals *t,
                  size_t rank,
                  const struct spanlog **a,
                  const struct spanlog **b)
{
    size_t na = collect (t, rank, o->what, a);
    size_t nb = collect (t, rank, 1u << SET_COMPUTE, b);
    uint64_t length, compute, common;

    if (spans_length (a, na, &length) < 0 ||
        spans_length (b, nb, &compute) < 0 ||
        spans_common (a, na, b, nb, &common) < 0)
        return -1;
    if (rank == SIZE_MAX) {
        o->job = length;
        o->job_common = common;
        return 0;
    }
    o->ranks += length > 0;
    o->sum += length;
    o->common += common;
    if (length - common > o->alone_max)
        o->alone_max = length - common;
    if (compute - common > o->compute_alone_max)
        o->compute_alone_max = compute - common;
    return 0;
}

static int make_overlaps (struct summary *s,
                          const struct totals *t,
                          const struct spanlog **a,
                          const struct spanlog **b)
{
    s->overlap[OVERLAP_IO].what = 1u << SET_READ | 1u << SET_WRITE;
    s->overlap[OVERLAP_LOADER].what = 1u << SET_LOADER;
    for (int i = 0; i < OVERLAP_COUNT; i++) {
        if (cross (&s->overlap[i], t, SIZE_MAX, a, b) < 0)
            return -1;
        for (size_t r = 0; s->overlap[i].job && r < s->ranks; r++)
            if (cross (&s->overlap[i], t, r, a, b) < 0)
                return -1;
    }
    return 0;
}

static size_t count_threads (const struct totals *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->processes; i++)
        n += t->process[i].threads;
    return n;
}

static int make_times (struct summary *s, const struct totals *t)
{
    size_t room = SET_COUNT * count_threads (t) + 1;
    const struct spanlog **a = calloc (room, sizeof (*a));
    const struct spanlog **b = calloc (room, sizeof (*b));
    int rc = a && b ? 0 : -1;

    for (int set = 0; rc == 0 && set < SET_COUNT; set++) {
        size_t n = collect (t, SIZE_MAX, 1u << set, a);

        rc = spans_length (a, n, &s->job_time[set]);
        if (rc == 0 && s->job_time[set])
            rc = rank_times (s, t, set, a);
    }
    if (rc == 0)
        rc = make_overlaps (s, t, a, b);
    free (a);
    free (b);
    return rc;
}

/* --- the rest ---------------------------------------------------------------
 */

/* Processes of a host are sorted by start, so the program that exec put in
 * the place of p, if there is one, comes after it. */
static int was_replaced (const struct totals *t, size_t index)
{
    const struct process *p = &t->process[index];

    for (size_t i = index + 1; i < t->processes; i++) {
        const struct process *q = &t->process[i];

        if (!on_host (p, q))
            return 0;
        if (q->who->p.pid == p->who->p.pid)
            return 1;
    }
    return 0;
}

static enum ending ending_of (const struct totals *t, size_t i)
{
    const struct shard_process *p = &t->process[i].who->p;

    if (p->end_ns)
        return ENDING_ORDERLY;
    return p->exec_ns || was_replaced (t, i) ? ENDING_EXEC : ENDING_UNKNOWN;
}

static void mark_ends (struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++)
        t->process[i].ending = ending_of (t, i);
}

static void add_processes (struct summary *s, const struct totals *t)
{
    const char *host = NULL; /* processes are sorted by host */

    s->processes = t->processes;
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        counts_add (&s->n, &p->n);
        s->layers |= p->who->p.layers;
        s->unfinished += p->ending == ENDING_UNKNOWN;
        s->untraced += p->who->p.untraced;
        s->rings += p->who->p.rings;
        if (!host || strcmp (host, host_of (p)) != 0)
            s->hosts++;
        host = host_of (p);
        if (!i || p->start < s->start)
            s->start = p->start;
        if (p->end > s->end)
            s->end = p->end;
    }
}

int source_damaged (const struct source *src, const struct health *h)
{
    return !src->file || health_lost (h) || h->chunks_bad || h->heads_bad ||
           h->file.chunks_cut || h->file.bytes_skipped || h->file.cut ||
           h->file.lost_names || h->io_errors;
}

static void
add_health (struct summary *s, const struct totals *t, const struct job *job)
{
    s->files = t->sources;
    for (size_t i = 0; i < t->sources; i++) {
        s->unreadable += !job->source[i].file;
        s->damaged += (size_t)source_damaged (&job->source[i], &t->health[i]);
        s->lost += health_lost (&t->health[i]);
        s->lost_names += t->health[i].file.lost_names;
    }
}

int summary_make (struct summary *s,
                  struct totals *t,
                  const struct job *job,
                  struct errtext *err)
{
    memset (s, 0, sizeof (*s));
    mark_ends (t);
    add_processes (s, t);
    add_health (s, t, job);
    if (make_ranks (s, t) == 0 && make_times (s, t) == 0)
        return 0;
    (void)errf (err, "%s: %s", job->label, strerror (errno));
    summary_clear (s);
    return -1;
}

void summary_clear (struct summary *s)
{
    free (s->rank);
    memset (s, 0, sizeof (*s));
}
