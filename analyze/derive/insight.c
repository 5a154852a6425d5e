/* SPDX-License-Identifier: MIT
 *
 * insight.c - numbers of a job -> what is worth saying: insights.def
 *
 * In:  struct summary and struct totals
 * Out: findings, to viewrows.c and results.c
 */
#include "config.h"

#include "analyze/derive/insight.h"

#include "analyze/query/totals/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/derive/clocks.h"
#include "lib/model/pattern.h"

enum { BELOW = 1, ABOVE = 0 };

const struct insight_info insight_table[INSIGHT_COUNT] = {
#define INSIGHT(NAME, APPLIES, A, B, SIDE, LIMIT, CRITICAL, TEXT, WHAT_A, \
                WHAT_B, FROM, TRY)                                        \
    {#NAME, TEXT, WHAT_A, WHAT_B, FROM, TRY, SIDE, LIMIT, CRITICAL},
#include "lib/model/insights.def"
#undef INSIGHT
};

/* What the rules are made of. */
struct facts {
    double job_s, stall_s, compute_s, io_s, io_common_s, checkpoint_s;
    double reads, read_bytes, read_ns, posix_ns, meta_ns;
    double samples, sample_bytes, data_opens;
    double placed_reads, random_reads, extent, extent_bytes;
    double loader_max_s, loader_min_s, read_max_s, read_min_s;
    double read_sum_s, read_union_s, readers;
    double steps, step_p50, step_p99;
    double cold_first_s, cold_later_s, wait_s;
    double checkpoint_ranks, checkpoint_best, checkpoint_worst;
    double fault_stall_s, fault_bytes, fault_used;
    double nodes, skew_s;
    double lost, events, ranks, ranks_found, ranks_expected;
};

static void add_calls (struct facts *f, const struct tally *t)
{
    for (int i = 0; i < CALL_MAX; i++) {
        const struct call_total *c = t->call[i];

        if (!c || call_table[i].category != CALL_CATEGORY_POSIX)
            continue;
        f->posix_ns += (double)c->time.sum;
        if (call_table[i].class == CALL_CLASS_META)
            f->meta_ns += (double)c->time.sum;
    }
}

static void add_files (struct facts *f, const struct tally *t)
{
    for (size_t i = 0; i < strmap_count (t->files); i++) {
        const struct file_total *file = strmap_value (t->files, i);

        if (file->kind != KIND_DATA)
            continue;
        f->data_opens += (double)file->opens;
        for (int p = PLACED_CONSECUTIVE; p < PLACED_COUNT; p++)
            f->placed_reads += (double)file->placed[p];
        f->random_reads += (double)file->placed[PLACED_RANDOM];
        if (file->extent) {
            f->extent += (double)file->extent;
            f->extent_bytes += (double)file->read_bytes;
        }
    }
}

/* What layer mmap says; used is what the application says it used, else what
 * it touched. */
static void add_faults (struct facts *f, const struct summary *s)
{
    f->fault_stall_s = (double)s->mm.sum.stall_ns / 1e9;
    f->fault_bytes = (double)s->mm.sum.fault_bytes;
    f->fault_used =
        (double)(s->n.sample.bytes ? s->n.sample.bytes : s->mm.sum.touched);
}

/* The operation that is a step, the most frequent one. */
static void add_steps (struct facts *f, const struct tally *t)
{
    size_t *order = operations_sorted (t); /* of equal ones the longest */

    for (size_t i = 0; order && i < strmap_count (t->ops); i++) {
        size_t length;
        const char *category = strmap_key (t->ops, order[i], &length);
        const struct op_total *op = strmap_value (t->ops, order[i]);
        size_t n = strlen (category);

        if (n >= length || (double)op->time.count <= f->steps ||
            !pattern_match ("step,train_step,*.step", category + n + 1))
            continue;
        f->steps = (double)op->time.count;
        f->step_p50 = (double)hist_quantile (&op->time, 0.5);
        f->step_p99 = (double)hist_quantile (&op->time, 0.99);
    }
    free (order);
}

static void
spread (const struct summary *s, enum set set, double *max, double *min)
{
    uint64_t least = UINT64_MAX;

    for (size_t r = 0; r < s->ranks; r++)
        if (s->rank[r].time[set] && s->rank[r].time[set] < least)
            least = s->rank[r].time[set];
    if (s->over[set].ranks < 2)
        return;
    *max = (double)s->over[set].max / 1e9;
    *min = (double)least / 1e9;
}

static void add_processes (struct facts *f, const struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        f->readers += p->n.read.count > 0;
        if ((double)p->who->p.ranks > f->ranks_expected)
            f->ranks_expected = (double)p->who->p.ranks;
    }
}

#define LAUNCH_NS 30e9 /* a step may start that much later on a node */

/* Offsets known by barriers; those known by starts only when they are more
 * than the launch of a step can explain. */
static void add_clocks (struct facts *f, const struct totals *t)
{
    struct clocks c;

    if (clocks_make (&c, t) < 0)
        return;
    f->nodes = (double)c.nodes;
    for (size_t i = 0; i < c.nodes; i++) {
        double apart = fabs ((double)c.node[i].offset);

        if (c.node[i].source == CLOCK_STARTS && apart < LAUNCH_NS)
            continue;
        if (apart / 1e9 > f->skew_s)
            f->skew_s = apart / 1e9;
    }
    clocks_clear (&c);
}

static void
facts_of (struct facts *f, const struct summary *s, const struct totals *t)
{
    const struct overlap *io = &s->overlap[OVERLAP_IO];

    memset (f, 0, sizeof (*f));
    f->job_s = (double)(s->end - s->start) / 1e9;
    f->stall_s = (double)s->over[SET_STALL].max / 1e9;
    f->compute_s = (double)s->over[SET_COMPUTE].max / 1e9;
    f->io_s = (double)io->sum / 1e9;
    f->io_common_s = (double)io->common / 1e9;
    f->checkpoint_s = (double)s->over[SET_CHECKPOINT].max / 1e9;
    f->reads = (double)s->n.read.count;
    f->read_bytes = (double)s->n.read.bytes;
    f->read_ns = (double)s->n.read.ns;
    f->read_sum_s = f->read_ns / 1e9;
    f->read_union_s = (double)s->job_time[SET_READ] / 1e9;
    f->samples = (double)s->n.sample.count;
    f->sample_bytes = (double)s->n.sample.bytes;
    f->cold_first_s = s->cold.first / 1e9;
    f->cold_later_s = s->cold.later / 1e9;
    f->wait_s = (double)s->start_up.wait_max / 1e9;
    f->checkpoint_ranks = (double)s->checkpoint.ranks;
    f->checkpoint_best = s->checkpoint.best;
    f->checkpoint_worst = s->checkpoint.worst;
    f->lost = (double)s->lost;
    f->events = (double)s->n.events;
    f->ranks = (double)s->ranks;
    f->ranks_found = (double)s->numbered;
    spread (s, SET_LOADER, &f->loader_max_s, &f->loader_min_s);
    spread (s, SET_READ, &f->read_max_s, &f->read_min_s);
    add_faults (f, s);
    add_calls (f, &t->tally);
    add_files (f, &t->tally);
    add_steps (f, &t->tally);
    add_processes (f, t);
    add_clocks (f, t);
}

static int beyond (const struct insight_info *rule, double value, double limit)
{
    return rule->below ? value < limit : value > limit;
}

static void
judge (struct finding *found, enum insight i, int applies, double a, double b)
{
    const struct insight_info *rule = &insight_table[i];

    memset (found, 0, sizeof (*found));
    if (!applies || !(b > 0))
        return;
    found->a = a;
    found->b = b;
    found->value = a / b;
    if (beyond (rule, found->value, rule->limit))
        found->severity = beyond (rule, found->value, rule->critical)
                              ? SEVERITY_CRITICAL
                              : SEVERITY_WARNING;
}

void insights_find (struct finding found[INSIGHT_COUNT],
                    const struct summary *s,
                    const struct totals *t)
{
    struct facts all, *f = &all;

    facts_of (f, s, t);
#define INSIGHT(NAME, APPLIES, A, B, SIDE, LIMIT, CRITICAL, TEXT, WHAT_A, \
                WHAT_B, FROM, TRY)                                        \
    judge (&found[INSIGHT_##NAME], INSIGHT_##NAME, APPLIES, (double)(A),  \
           (double)(B));
#include "lib/model/insights.def"
#undef INSIGHT
}

int insights_any (const struct summary *s, const struct totals *t)
{
    struct finding found[INSIGHT_COUNT];
    int any = 0;

    insights_find (found, s, t);
    for (int i = 0; i < INSIGHT_COUNT; i++)
        any |= found[i].severity != SEVERITY_NONE;
    return any;
}

const char *severity_name (enum severity severity)
{
    static const char *const names[] = {"none", "warning", "critical"};

    return names[severity];
}
