/* SPDX-License-Identifier: MIT
 *
 * insight.c - numbers of a job -> what is worth saying: insights.def
 *
 * In:  struct summary and struct totals
 * Out: findings, to viewrows.c and results.c
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/facts/clocks.h"
#include "analyze/facts/insight.h"
#include "analyze/facts/sharedfiles.h"
#include "analyze/facts/summary.h"
#include "analyze/scan/load.h"
#include "analyze/scan/tally.h"
#include "lib/model/kind.h"

struct insightfiles {
    /* the file on Lustre with most writing ranks for a stripe; 0: none */
    double stripe_writers, stripes;
    double
        stripe_cost_s; /* of what was waited for writes and syncs, its part */
    /* data files of which bytes were moved over the network */
    double network_files, network_bytes;
    double network_cost_s; /* of what was waited for metadata, their part */
};

/* Seconds are those of the process that has most of it, since a job waits for
 * that; all else are sums over the job. */
struct abovefacts {
    double h5_calls, h5_ns;     /* main threads, all calls of HDF5 */
    double h5_meta, h5_meta_ns; /* of these: no reads and writes of datasets */
    double h5_meta_s;
    double h5_data, h5_data_bytes, h5_data_s;
    double h5_shared, h5_independent, h5_independent_bytes, h5_independent_s;
    double h5_chunked_bytes, h5_chunked_posix, h5_chunked_s;
    double mpi_calls; /* reads and writes */
    double mpi_callers;
    double mpi_independent, mpi_independent_bytes, mpi_independent_s;
    double mpi_coll, mpi_coll_bytes, mpi_coll_s;
    double mpi_posix, mpi_posix_bytes, mpi_posix_s; /* inside collective ones */
    double mpi_aggregators;
    double mpi_placed, mpi_random;  /* of mpi_posix */
    double mpi_opens, mpi_unhinted; /* of several processes; without hints */
    double mpi_max_s, mpi_mean_s;   /* in MPI-IO, of the ranks that use it */
    double mpi_max_bytes, mpi_min_bytes;
};

/* --- files with the file systems they are on -> what findings say -----------
 */

/* The part of what main threads waited that calls of this time were. */
static double insightfiles_part (double waited_s, uint64_t ns, uint64_t all)
{
    return all ? waited_s * (double)ns / (double)all : 0;
}

/* Find the file on Lustre with the most writing ranks for a stripe. */
static void insightfiles_stripes (struct insightfiles *f,
                                  const struct totals *t,
                                  double waited_s)
{
    struct sharedfiles s;
    uint64_t all = 0, ns = 0;

    if (sharedfiles_make (&s, t, 1) < 0)
        return;
    for (size_t i = 0; i < s.count; i++) {
        const struct sharedfile *file = &s.item[i];
        double stripes = (double)file->total->stripes;

        all += file->write_ns;
        if (stripes <= 0 ||
            (f->stripes > 0 &&
             (double)file->writers * f->stripes <= f->stripe_writers * stripes))
            continue;
        f->stripe_writers = (double)file->writers;
        f->stripes = stripes;
        ns = file->write_ns;
    }
    f->stripe_cost_s = insightfiles_part (waited_s, ns, all);
    sharedfiles_clear (&s);
}

static void insightfiles_network (struct insightfiles *f,
                                  const struct tally *t,
                                  double waited_s)
{
    uint64_t all = 0, there = 0;

    for (size_t i = 0; t->mounts && i < strmap_count (t->files); i++) {
        const struct file_total *file = strmap_value (t->files, i);
        size_t n;
        const char *path = strmap_key (t->files, i, &n);
        const struct mount_entry *m = mounts_find (t->mounts, path, n);

        if (file->class != FILE_CLASS_STORAGE)
            continue;
        all += file->meta_ns;
        if (file->kind != KIND_DATA || !m || !mounts_is_shared (m) ||
            !(file->read_bytes + file->write_bytes))
            continue;
        there += file->meta_ns;
        f->network_files++;
        f->network_bytes += (double)(file->read_bytes + file->write_bytes);
    }
    f->network_cost_s = insightfiles_part (waited_s, there, all);
}

/* Seconds waited: those of the job's main threads. Never fails; what memory was
 * short for is 0. */
static void insightfiles_find (struct insightfiles *f,
                               const struct totals *t,
                               double waited_write_s,
                               double waited_open_s)
{
    *f = (struct insightfiles){0};
    insightfiles_stripes (f, t, waited_write_s);
    insightfiles_network (f, &t->tally, waited_open_s);
}

/* --- counts of processes -> facts on MPI-IO and HDF5 ------------------------
 */

static void abovefacts_max (double *to, uint64_t ns)
{
    *to = fmax (*to, (double)ns / 1e9);
}

static void abovefacts_hdf5 (struct abovefacts *a, const struct counts *n)
{
    a->h5_calls += (double)(n->h5_data.count + n->h5_meta.count);
    a->h5_ns += (double)(n->h5_data.ns + n->h5_meta.ns);
    a->h5_meta += (double)n->h5_meta.count;
    a->h5_meta_ns += (double)n->h5_meta.ns;
    abovefacts_max (&a->h5_meta_s, n->h5_meta.ns);
    a->h5_data += (double)n->h5_data.count;
    a->h5_data_bytes += (double)n->h5_data.bytes;
    abovefacts_max (&a->h5_data_s, n->h5_data.ns);
    a->h5_shared += (double)n->h5_shared.count;
    a->h5_independent += (double)n->h5_independent.count;
    a->h5_independent_bytes += (double)n->h5_independent.bytes;
    abovefacts_max (&a->h5_independent_s, n->h5_independent.ns);
    a->h5_chunked_bytes += (double)n->h5_chunked.bytes;
    a->h5_chunked_posix += (double)n->h5_chunked_posix;
    abovefacts_max (&a->h5_chunked_s, n->h5_chunked.ns);
}

static void abovefacts_mpi (struct abovefacts *a, const struct counts *n)
{
    uint64_t ones = n->mpi_write.count + n->mpi_read.count;
    uint64_t ones_ns = n->mpi_write.ns + n->mpi_read.ns;
    uint64_t colls = n->mpi_coll_write.count + n->mpi_coll_read.count;
    uint64_t colls_ns = n->mpi_coll_write.ns + n->mpi_coll_read.ns;
    uint64_t posix =
        n->mpi_coll_write_posix.count + n->mpi_coll_read_posix.count;
    uint64_t posix_ns = n->mpi_coll_write_posix.ns + n->mpi_coll_read_posix.ns;
    double bytes = (double)(n->mpi_write.bytes + n->mpi_read.bytes +
                            n->mpi_coll_write.bytes + n->mpi_coll_read.bytes);

    a->mpi_opens += (double)n->mpi_opens;
    a->mpi_unhinted += (double)(n->mpi_opens - n->mpi_opens_hints);
    if (!ones && !colls)
        return;
    a->mpi_calls += (double)(ones + colls);
    a->mpi_independent += (double)ones;
    a->mpi_independent_bytes +=
        (double)(n->mpi_write.bytes + n->mpi_read.bytes);
    abovefacts_max (&a->mpi_independent_s, ones_ns);
    a->mpi_coll += (double)colls;
    a->mpi_coll_bytes +=
        (double)(n->mpi_coll_write.bytes + n->mpi_coll_read.bytes);
    abovefacts_max (&a->mpi_coll_s, colls_ns);
    a->mpi_posix += (double)posix;
    a->mpi_posix_bytes +=
        (double)(n->mpi_coll_write_posix.bytes + n->mpi_coll_read_posix.bytes);
    abovefacts_max (&a->mpi_posix_s, posix_ns);
    a->mpi_aggregators += posix > 0;
    a->mpi_placed += (double)n->mpi_coll_placed;
    a->mpi_random += (double)n->mpi_coll_random;
    abovefacts_max (&a->mpi_max_s, ones_ns + colls_ns);
    a->mpi_mean_s += (double)(ones_ns + colls_ns) / 1e9;
    a->mpi_min_bytes =
        a->mpi_callers > 0 ? fmin (a->mpi_min_bytes, bytes) : bytes;
    a->mpi_max_bytes = fmax (a->mpi_max_bytes, bytes);
    a->mpi_callers++;
}

static void abovefacts_of (struct abovefacts *a,
                           const struct summary *s,
                           const struct totals *t)
{
    memset (a, 0, sizeof (*a));
    if (!s->n.mpi && !s->n.hdf5)
        return;
    for (size_t i = 0; i < t->processes; i++) {
        abovefacts_hdf5 (a, &t->process[i].n);
        abovefacts_mpi (a, &t->process[i].n);
    }
    if (a->mpi_callers > 0)
        a->mpi_mean_s /= a->mpi_callers;
}

/* --- all of it --------------------------------------------------------------
 */
enum { BELOW = 1, ABOVE = 0 };
enum { BY_COST = 0, COSTLESS = -1 };

const struct insight_info insight_table[INSIGHT_COUNT] = {
#define INSIGHT(NAME, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT,      \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                            \
    {#NAME, TEXT,    WHAT_A, WHAT_B, FROM, TRY, SIDE, (CRITICAL) == BY_COST, \
     LIMIT, CRITICAL},
#include "lib/model/insights.def"
#undef INSIGHT
};

/* The numbers that the rules compare. */
struct facts {
    double job_s, stall_s, compute_s, io_s, io_common_s, checkpoint_s;
    double reads, read_bytes, read_ns, posix_ns;
    double samples, sample_bytes, data_opens;
    double placed_reads, random_reads, extent, extent_bytes;
    double loader_max_s, loader_min_s, read_max_s, read_min_s;
    double read_sum_s, read_union_s, readers;
    double steps, step_p50, step_p99, step_sum;
    double cold_first_s, cold_later_s, wait_s;
    double checkpoint_ranks, checkpoint_best, checkpoint_worst;
    double fault_stall_s, fault_bytes, fault_used;
    double maps, maps_lost, mapped_bytes, unlooked;
    double nodes, skew_s;
    double lost, events, ranks, ranks_found, ranks_expected;
    /* what main threads waited for, s of the job (bill.def, lanes_at_once) */
    double waited_read_s, waited_open_s, waited_fault_s, blocked_s;
    double start_s, ranks_wait_s, sync_s, write_s, threads_s;
    double mpi_own_s, format_own_s;
    double waited_read_max_s; /* of all ranks the largest */
    double io_alone_s, data_meta_ns, step_excess_s;
    double loader_mean_s, read_mean_s, checkpoint_mean_s;
    struct insightfiles on;  /* by file system */
    struct abovefacts above; /* MPI-IO, HDF5 */
};

static void add_calls (struct facts *f, const struct tally *t)
{
    for (int i = 0; i < CALL_MAX; i++) {
        const struct call_total *c = t->call[i];

        if (!c || call_table[i].category != CALL_CATEGORY_POSIX)
            continue;
        f->posix_ns += (double)c->time.sum;
    }
}

static double least (double a, double b)
{
    return a < b ? a : b;
}

static double facts_mean (uint64_t ns, size_t n)
{
    return n ? (double)ns / 1e9 / (double)n : 0;
}

/* s of the job, of ns of all its main threads. */
static double facts_mean_cost (uint64_t ns, const struct summary *s)
{
    return s->lanes ? (double)ns / 1e9 / s->lanes_at_once : 0;
}

/* Return the seconds of the main thread that has most of a row of the bill: a
 * job may wait for that one thread. */
static double facts_cost (enum bill row, const struct summary *s)
{
    double cost = facts_mean_cost (s->bill[row], s);

    for (size_t i = 0; i < s->lanes; i++)
        cost = fmax (cost, (double)s->lane[i].time[row] / 1e9);
    return cost;
}

/* A profile does not say who waited. A rank waited at most as long as its
 * threads and processes took, added up. */
static void facts_add_sums (struct facts *f,
                            const struct summary *s,
                            const struct totals *t)
{
    enum { READ, OPEN, SYNC, WRITE, SUMS };
    double (*sum)[SUMS] = calloc (s->ranks + 1, sizeof (*sum));

    for (size_t i = 0; sum && i < t->processes; i++) {
        const struct counts *n = &t->process[i].n;
        double *of = sum[t->process[i].rank];

        of[READ] += (double)(n->read.ns + n->other_read.ns) / 1e9;
        of[OPEN] += (double)n->cost[COST_meta].ns / 1e9;
        of[SYNC] += (double)n->cost[COST_sync].ns / 1e9;
        of[WRITE] += (double)n->write.ns / 1e9;
    }
    for (size_t r = 0; sum && r < s->ranks; r++) {
        f->waited_read_s = fmax (f->waited_read_s, sum[r][READ]);
        f->waited_open_s = fmax (f->waited_open_s, sum[r][OPEN]);
        f->sync_s = fmax (f->sync_s, sum[r][SYNC]);
        f->write_s = fmax (f->write_s, sum[r][WRITE]);
    }
    free (sum);
    f->waited_read_max_s = f->waited_read_s;
    f->blocked_s = f->waited_read_s + f->sync_s + f->write_s;
}

/* Set the costs that follow from the time of the main threads. */
static void facts_add_bill (struct facts *f,
                            const struct summary *s,
                            const struct totals *t)
{
    f->waited_read_s = facts_cost (BILL_read, s);
    f->waited_open_s = facts_cost (BILL_open, s);
    f->waited_fault_s = facts_cost (BILL_fault, s);
    if (!mm_all_seen (&s->mm.sum)) /* at most what all threads slept */
        f->waited_fault_s = least (facts_mean_cost (s->mm.sum.stall_ns, s),
                                   facts_mean_cost (s->billed, s));
    f->start_s = facts_cost (BILL_start, s);
    f->ranks_wait_s = facts_cost (BILL_ranks, s);
    f->sync_s = facts_cost (BILL_sync, s);
    f->write_s = facts_cost (BILL_write, s);
    f->threads_s = facts_cost (BILL_threads, s);
    f->mpi_own_s = facts_cost (BILL_mpi, s);
    f->format_own_s = facts_cost (BILL_format, s);
    f->blocked_s = f->waited_read_s + f->sync_s + f->write_s +
                   facts_cost (BILL_checkpoint, s);
    for (size_t i = 0; i < s->lanes; i++)
        if ((double)s->lane[i].time[BILL_read] / 1e9 > f->waited_read_max_s)
            f->waited_read_max_s = (double)s->lane[i].time[BILL_read] / 1e9;
    f->io_alone_s =
        facts_mean (s->overlap[OVERLAP_IO].sum - s->overlap[OVERLAP_IO].common,
                    s->overlap[OVERLAP_IO].ranks);
    if (summary_is_profile (s))
        facts_add_sums (f, s, t);
    f->data_meta_ns = (double)s->n.data_meta.ns;
    f->loader_mean_s =
        facts_mean (s->over[SET_LOADER].sum, s->over[SET_LOADER].ranks);
    f->read_mean_s =
        facts_mean (s->over[SET_READ].sum, s->over[SET_READ].ranks);
    f->checkpoint_mean_s =
        facts_mean (s->over[SET_CHECKPOINT].sum, s->over[SET_CHECKPOINT].ranks);
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
        f->random_reads += (double)file->placed[PLACED_BACKWARD];
        if (file->extent) {
            f->extent += (double)file->extent;
            f->extent_bytes += (double)file->read_bytes;
        }
    }
}

/* Set the facts of layer mmap; used is the number of bytes that the application
 * reports, else that it touched. */
static void add_faults (struct facts *f, const struct summary *s)
{
    if (s->mm.sum.stall_known)
        f->fault_stall_s = (double)s->mm.sum.stall_ns / 1e9;
    f->fault_bytes = (double)s->mm.sum.fault_bytes;
    f->maps = (double)s->n.maps;
    f->maps_lost = (double)s->mm.sum.lost.maps;
    f->mapped_bytes = (double)s->n.mapped_bytes;
    f->unlooked = (double)s->mm.sum.lost.unlooked;
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
        f->step_sum = (double)op->time.sum;
    }
    free (order);
}

static void
insight_spread (const struct summary *s, enum set set, double *max, double *min)
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

static void insight_add_processes (struct facts *f, const struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        f->readers += p->n.read.count > 0;
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
    facts_add_bill (f, s, t);
    f->checkpoint_ranks = (double)s->checkpoint.ranks;
    f->checkpoint_best = s->checkpoint.best;
    f->checkpoint_worst = s->checkpoint.worst;
    f->lost = (double)s->lost;
    f->events = (double)s->n.events;
    f->ranks = (double)s->ranks;
    f->ranks_found = (double)s->launched.found;
    f->ranks_expected = (double)s->launched.started;
    insight_spread (s, SET_LOADER, &f->loader_max_s, &f->loader_min_s);
    insight_spread (s, SET_READ, &f->read_max_s, &f->read_min_s);
    add_faults (f, s);
    add_calls (f, &t->tally);
    add_files (f, &t->tally);
    insightfiles_find (&f->on, t, f->write_s + f->sync_s, f->waited_open_s);
    add_steps (f, &t->tally);
    if (f->step_sum > f->steps * f->step_p50)
        f->step_excess_s = facts_mean_cost (
            (uint64_t)(f->step_sum - f->steps * f->step_p50), s);
    insight_add_processes (f, t);
    abovefacts_of (&f->above, s, t);
    add_clocks (f, t);
}

static int beyond (const struct insight_info *rule, double value, double limit)
{
    return rule->below ? value < limit : value > limit;
}

/* Parts of the job's time. */
#define COST_WARNING  0.01
#define COST_CRITICAL 0.10

static enum severity insight_severity (const struct finding *found,
                                       const struct insight_info *rule,
                                       double job_s)
{
    if (!found->costs)
        return beyond (rule, found->value, rule->critical) ? SEVERITY_CRITICAL
                                                           : SEVERITY_WARNING;
    return found->cost >= COST_CRITICAL * job_s  ? SEVERITY_CRITICAL
           : found->cost >= COST_WARNING * job_s ? SEVERITY_WARNING
                                                 : SEVERITY_MINOR;
}

/* Fill *found; 0 when the rule found nothing. */
static size_t insight_judge (struct finding *found,
                             enum insight i,
                             const struct facts *f,
                             int applies,
                             const double what[3])
{
    const struct insight_info *rule = &insight_table[i];
    double a = what[0], b = what[1], cost = what[2];

    if (!applies || !(b > 0) || !beyond (rule, a / b, rule->limit))
        return 0;
    *found = (struct finding){.rule = i, .a = a, .b = b, .value = a / b};
    found->costs = rule->costs;
    if (found->costs) /* a job of many ranks takes no longer than it took */
        found->cost = cost > 0 ? least (cost, f->job_s) : 0;
    found->percent = f->job_s > 0 ? 100 * found->cost / f->job_s : 0;
    found->severity = insight_severity (found, rule, f->job_s);
    return 1;
}

static int insight_order (const void *va, const void *vb)
{
    const struct finding *a = va, *b = vb;

    if (a->costs != b->costs)
        return a->costs - b->costs;
    if (a->cost != b->cost)
        return a->cost < b->cost ? 1 : -1;
    return (int)a->rule - (int)b->rule;
}

size_t insights_find (struct finding found[INSIGHT_COUNT],
                      const struct summary *s,
                      const struct totals *t)
{
    struct facts all, *f = &all;
    size_t n = 0;

    facts_of (f, s, t);
#define INSIGHT(NAME, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                       \
    n += insight_judge (                                                \
        &found[n], INSIGHT_##NAME, f, APPLIES,                          \
        (const double[3]){(double)(A), (double)(B), (double)(COST)});
#include "lib/model/insights.def"
#undef INSIGHT
    qsort (found, n, sizeof (*found), insight_order);
    return n;
}

int insights_any (const struct summary *s, const struct totals *t)
{
    struct finding found[INSIGHT_COUNT];

    return insights_find (found, s, t) > 0;
}

const char *severity_name (enum severity severity)
{
    static const char *const names[] = {"none", "minor", "warning", "critical"};

    return names[severity];
}
