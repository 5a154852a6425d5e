/* SPDX-License-Identifier: MIT
 *
 * summary.c - totals of a job -> ranks and the facts that metrics are made of
 *
 * In:  struct totals, from load.c
 * Out: struct summary, to metrics.c and views.c
 */
#include "config.h"

#include "analyze/derive/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/derive/phases.h"
#include "analyze/derive/times.h"
#include "lib/core/settings/jobdir.h"

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

/* --- layer mmap -----------------------------------------------------------
 */

/* What layer mmap says, now that all processes have their times. */
static int summary_join_mmap (struct summary *s, struct totals *t)
{
    uint64_t start = UINT64_MAX, end = 0;

    for (size_t i = 0; i < t->processes; i++) {
        start = t->process[i].start < start ? t->process[i].start : start;
        end = t->process[i].end > end ? t->process[i].end : end;
    }
    if (mmjoin_begin (&s->mm, t->processes, start, end) < 0)
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        struct mm_log *log = &t->process[i].mm;

        if (!mmlog_empty (log) && mmjoin_process (&s->mm, i, log) < 0)
            return -1;
        mmlog_clear (log);
    }
    return 0;
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
        s->requests += p->who->p.requests;
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
    return !src->readable || health_lost (h) || h->chunks_bad || h->heads_bad ||
           h->file.chunks_cut || h->file.bytes_skipped || h->file.cut ||
           h->file.lost_names || h->io_errors;
}

static void
add_health (struct summary *s, const struct totals *t, const struct job *job)
{
    s->files = t->sources;
    for (size_t i = 0; i < t->sources; i++) {
        s->unreadable += !job->source[i].readable;
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
    s->stages = job->dir ? jobdir_count_staged (job->dir) : 0;
    if (pointfaults_sort (&t->tally.points) == 0 &&
        summary_join_mmap (s, t) == 0 && make_ranks (s, t) == 0 &&
        times_make (s, t) == 0 && phases_make (s, t) == 0)
        return 0;
    (void)errf (err, "%s: %s", job->label, strerror (errno));
    summary_clear (s);
    return -1;
}

void summary_clear (struct summary *s)
{
    mmjoin_clear (&s->mm);
    free (s->rank);
    memset (s, 0, sizeof (*s));
}
