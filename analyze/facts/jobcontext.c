/* SPDX-License-Identifier: MIT
 *
 * jobcontext.c - a job that has been read -> what a query needs to know of it
 *
 * In:  totals and ranks of a job
 * Out: struct query_context
 */
#include "config.h"

#include "analyze/facts/jobcontext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_GOOD = 60 };

/* Does the process train? Steps of others are not what a rank is in. */
static int jobcontext_trains (const struct process *p)
{
    return p->time[SET_COMPUTE] || p->time[SET_STALL];
}

static int jobcontext_windows (struct query_context *c,
                               const struct totals *t,
                               enum mark_kind kind)
{
    for (int any = 0; any < 2; any++)
        for (size_t i = 0; i < t->processes; i++) {
            const struct process *p = &t->process[i];
            struct marks *m = &c->windows[p->rank].of[kind];

            if ((any ? !m->count : jobcontext_trains (p)) &&
                marks_append (m, &p->marks[kind]) < 0)
                return -1;
        }
    for (size_t r = 0; r < c->ranks; r++)
        marks_to_windows (&c->windows[r].of[kind]);
    return 0;
}

/* As a key, in a condition or as numbers. */
static int jobcontext_asks (const struct query *q,
                            enum group_key key,
                            enum where_column column)
{
    int asks =
        query_has_key (q, key) || (q->where && where_has (q->where, column));

    for (int v = 0; !asks && v < q->values; v++)
        asks = q->value[v].column == column;
    return asks;
}

int jobcontext_needs_marks (const struct query *q)
{
    return jobcontext_asks (q, GROUP_step, WHERE_BY_step) ||
           jobcontext_asks (q, GROUP_epoch, WHERE_BY_epoch);
}

static int jobcontext_ranks (struct query_context *c,
                             const struct query *q,
                             const struct totals *t,
                             const struct summary *s)
{
    c->ranks = s->ranks;
    c->windows = calloc (c->ranks + 1, sizeof (*c->windows));
    c->number = calloc (c->ranks + 1, sizeof (*c->number));
    if (!c->windows || !c->number)
        return -1;
    for (size_t i = 0; i < c->ranks; i++)
        c->number[i] = s->rank[i].first->who->p.rank;
    if (jobcontext_asks (q, GROUP_step, WHERE_BY_step) &&
        jobcontext_windows (c, t, MARK_STEP) < 0)
        return -1;
    return jobcontext_asks (q, GROUP_epoch, WHERE_BY_epoch)
               ? jobcontext_windows (c, t, MARK_EPOCH)
               : 0;
}

static int jobcontext_members (struct query_context *c, const struct totals *t)
{
    c->first_start = UINT64_MAX;
    if (!(c->member = calloc (t->processes + 1, sizeof (*c->member))))
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        const struct trace_process *who = t->process[i].who;

        c->member[i] = (struct query_member){who->text[SHARD_STRING_HOST],
                                             who->p.start_real, who->p.pid,
                                             t->process[i].rank};
        if (who->p.start_real < c->first_start)
            c->first_start = who->p.start_real;
    }
    c->members = t->processes;
    return 0;
}

/* 1, 2 or 5 times a power of ten, so that there are at most 60 rows. */
static uint64_t jobcontext_round_interval (uint64_t ns)
{
    uint64_t step = 1;

    for (int i = 0; ns / step > ROWS_GOOD; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

static int jobcontext_choose_interval (struct query_context *c,
                                       const struct query *q,
                                       const struct summary *s,
                                       struct errtext *err)
{
    c->start = s->start;
    c->interval = q->interval ? q->interval
                              : jobcontext_round_interval (s->end - s->start);
    if (query_has_key (q, GROUP_interval) &&
        (s->end - s->start) / c->interval > GROUP_INTERVALS_MAX) {
        errno = EINVAL;
        return errf (err, "--interval: more than %d of them: use longer ones",
                     GROUP_INTERVALS_MAX);
    }
    return 0;
}

int jobcontext_make (struct query_context *c,
                     const struct query *q,
                     const struct job *job,
                     const struct totals *t,
                     const struct summary *s,
                     struct errtext *err)
{
    memset (c, 0, sizeof (*c));
    c->label = job->label;
    if (jobcontext_choose_interval (c, q, s, err) < 0)
        return -1;
    if (jobcontext_ranks (c, q, t, s) == 0 && jobcontext_members (c, t) == 0)
        return 0;
    (void)errf (err, "%s: %s", job->label, strerror (ENOMEM));
    query_context_clear (c);
    return -1;
}
