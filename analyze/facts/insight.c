/* SPDX-License-Identifier: MIT
 *
 * insight.c - numbers of a job -> what is worth saying: insights.def
 *
 * In:  struct summary and struct totals
 * Out: findings, to viewrows.c and results.c
 */
#include "config.h"

#include <stdarg.h>

#include "analyze/facts/clocks.h"
#include "analyze/facts/equals.h"
#include "analyze/facts/insight.h"
#include "analyze/facts/sharedfiles.h"
#include "analyze/facts/summary.h"
#include "analyze/scan/load.h"
#include "analyze/scan/tally.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
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
    double mpi_max_s, mpi_next_s; /* in MPI-IO, of those that have most of it */
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
        double stripes = file->total->stripes;

        all += file->write_ns;
        if (stripes <= 0 ||
            (f->stripes > 0 &&
             (double)file->writers * f->stripes <= f->stripe_writers * stripes))
            continue;
        f->stripe_writers = file->writers;
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
        f->network_bytes += file->read_bytes + file->write_bytes;
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
    *to = fmax (*to, ns / 1e9);
}

/* Keep the two largest times. */
static void abovefacts_most (double *most, double *next, uint64_t ns)
{
    double s = ns / 1e9;

    if (s > *most) {
        *next = *most;
        *most = s;
    } else if (s > *next)
        *next = s;
}

static void abovefacts_hdf5 (struct abovefacts *a, const struct counts *n)
{
    a->h5_calls += n->h5_data.count + n->h5_meta.count;
    a->h5_ns += n->h5_data.ns + n->h5_meta.ns;
    a->h5_meta += n->h5_meta.count;
    a->h5_meta_ns += n->h5_meta.ns;
    abovefacts_max (&a->h5_meta_s, n->h5_meta.ns);
    a->h5_data += n->h5_data.count;
    a->h5_data_bytes += n->h5_data.bytes;
    abovefacts_max (&a->h5_data_s, n->h5_data.ns);
    a->h5_shared += n->h5_shared.count;
    a->h5_independent += n->h5_independent.count;
    a->h5_independent_bytes += n->h5_independent.bytes;
    abovefacts_max (&a->h5_independent_s, n->h5_independent.ns);
    a->h5_chunked_bytes += n->h5_chunked.bytes;
    a->h5_chunked_posix += n->h5_chunked_posix;
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
    double bytes = n->mpi_write.bytes + n->mpi_read.bytes +
                   n->mpi_coll_write.bytes + n->mpi_coll_read.bytes;

    a->mpi_opens += n->mpi_opens;
    a->mpi_unhinted += n->mpi_opens - n->mpi_opens_hints;
    if (!ones && !colls)
        return;
    a->mpi_calls += ones + colls;
    a->mpi_independent += ones;
    a->mpi_independent_bytes += (n->mpi_write.bytes + n->mpi_read.bytes);
    abovefacts_max (&a->mpi_independent_s, ones_ns);
    a->mpi_coll += colls;
    a->mpi_coll_bytes += (n->mpi_coll_write.bytes + n->mpi_coll_read.bytes);
    abovefacts_max (&a->mpi_coll_s, colls_ns);
    a->mpi_posix += posix;
    a->mpi_posix_bytes +=
        (n->mpi_coll_write_posix.bytes + n->mpi_coll_read_posix.bytes);
    abovefacts_max (&a->mpi_posix_s, posix_ns);
    a->mpi_aggregators += posix > 0;
    a->mpi_placed += n->mpi_coll_placed;
    a->mpi_random += n->mpi_coll_random;
    abovefacts_most (&a->mpi_max_s, &a->mpi_next_s, ones_ns + colls_ns);
    a->mpi_min_bytes =
        a->mpi_callers > 0 ? fmin (a->mpi_min_bytes, bytes) : bytes;
    a->mpi_max_bytes = fmax (a->mpi_max_bytes, bytes);
    a->mpi_callers++;
}

static void abovefacts_of (struct abovefacts *a,
                           const struct summary *s,
                           const struct totals *t)
{
    ZERO (a);
    if (!s->n.mpi && !s->n.hdf5)
        return;
    for (size_t i = 0; i < t->processes; i++) {
        abovefacts_hdf5 (a, &t->process[i].n);
        abovefacts_mpi (a, &t->process[i].n);
    }
}

/* --- all of it --------------------------------------------------------------
 */
enum { BELOW = 1, ABOVE = 0 };
enum { BY_COST = 0, UNSURE = -1, COSTLESS = -1 };

/* Sets of rows of the bill, and the flag of a rule that is about all of them.
 */
#define PART(ROW) (1u << BILL_##ROW)
#define PART_DATA \
    (PART (read) | PART (open) | PART (fault) | PART (decode) | PART (loader))
#define PART_STORAGE (PART (read) | PART (write) | PART (sync) | PART (open))
#define PART_MPI     (PART (mpi) | PART_STORAGE)
#define PART_FORMAT  (PART (format) | PART_STORAGE)
#define WHOLE        (1u << 31)
#define ANY_PART     (WHOLE - 1)

_Static_assert(BILL_COUNT < 31, "a bit for each row, and one for WHOLE");

const struct insight_info insight_table[INSIGHT_COUNT] = {
#define INSIGHT(NAME, PARTS, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                              \
    {.name = #NAME,                                                            \
     .finding = TEXT,                                                          \
     .what_a = WHAT_A,                                                         \
     .what_b = WHAT_B,                                                         \
     .from = FROM,                                                             \
     .advice = TRY,                                                            \
     .parts = (PARTS)&ANY_PART,                                                \
     .whole = ((PARTS)&WHOLE) != 0,                                            \
     .below = SIDE,                                                            \
     .costs = (PARTS) != 0,                                                    \
     .limit = LIMIT,                                                           \
     .critical = CRITICAL},
#include "lib/model/insights.def"
#undef INSIGHT
};

/* The numbers that the rules compare. */
struct facts {
    double job_s, stall_s, compute_s, io_s, io_common_s, checkpoint_s;
    double reads, read_bytes, read_ns, posix_ns, seek_ns, lock_ns, meta_ns;
    double samples, sample_bytes, data_opens;
    double placed_reads, random_reads, extent, extent_bytes;
    double loader_max_s, loader_min_s, loader_next_s;
    double read_max_s, read_min_s, read_next_s;
    double steps, step_p50, step_p99, step_sum;
    double cold_first_s, cold_later_s, wait_s;
    double checkpoint_ranks, checkpoint_best, checkpoint_worst;
    double checkpoint_next_s;
    double fault_stall_s, fault_bytes, fault_used;
    double maps, maps_lost, mapped_bytes, unlooked;
    double nodes, skew_s;
    double lost, events, ranks, ranks_found, ranks_expected;
    /* s of the job that main threads waited, at most (bill.def) */
    double row_s[BILL_COUNT];
    double most_s[BILL_COUNT]; /* the same, the job's where it is not known */
    double data_s;             /* for data, of the ranks that wait for it */
    double waited_s[CALL_MAX]; /* in waits, sums over the main threads */
    double blocked_part; /* of the time of main threads whose use is known: in
                            which they are not on a CPU and do not want one */
    double io_alone_s, step_excess_s;
    int cached;          /* reads are as fast as those of memory */
    struct workers work; /* of data loaders */
    double restart_s;
    struct equals equal;
    double others_s; /* that the job waits for other processes and threads */
    struct late_rank late;
    struct insightfiles on;  /* by file system */
    struct abovefacts above; /* MPI-IO, HDF5 */
};

#define ROW_S(ROW) f->row_s[BILL_##ROW]

static double least (double a, double b)
{
    return a < b ? a : b;
}

static void add_calls (struct facts *f, const struct tally *t)
{
    for (int i = 0; i < CALL_MAX; i++) {
        const struct call_total *c = t->call[i];

        if (!c || call_table[i].category != CALL_CATEGORY_POSIX)
            continue;
        f->posix_ns += c->time.sum;
        if (call_table[i].class == CALL_CLASS_META)
            f->meta_ns += c->time.sum;
        if (i == CALL_flock || i == CALL_lockf || i == CALL_fcntl)
            f->lock_ns += c->time.sum;
        if (i == CALL_lseek)
            f->seek_ns += c->time.sum;
    }
}

/* s of the job, of ns of all its main threads. */
static double facts_mean_cost (uint64_t ns, const struct summary *s)
{
    return s->lanes ? ns / 1e9 / s->lanes_at_once : 0;
}

static double facts_mean (uint64_t ns, size_t n)
{
    return n ? ns / 1e9 / (double)n : 0;
}

/* --- tracing's own time -----------------------------------------------------
 */

/* Measured with a million lseeks on an idle x86 machine: a call takes so much
 * longer, of which one look at the clock is inside its duration. */
#define TRACE_INSIDE_NS  24
#define TRACE_OUTSIDE_NS 55

/* The part of the time of calls that is not tracing. */
static double facts_own (const struct transfer *n, const struct summary *s)
{
    double traced = (double)n->count * TRACE_INSIDE_NS;

    if (s->foreign || !n->ns)
        return 1;
    return traced < (double)n->ns ? 1 - traced / (double)n->ns : 0;
}

/* --- costs ------------------------------------------------------------------
 */

/* Return 1 if several ranks go through the job side by side. */
static int facts_is_parallel (const struct summary *s)
{
    return s->lanes > 1 && s->launched.found > 1;
}

/* Return the seconds of the job that can be saved at most in a row of the bill.
 * In calls on storage it is all the time in which a main thread was there, and
 * not waiting for a CPU: who else was there may have waited for it. But the job
 * has what it computes, one process after another. Ranks may spin where they
 * wait, and wait for the one that has most: beside what others than ranks have
 * it is the most of a rank. */
static double facts_row (enum bill row, const struct summary *s)
{
    double wall = s->wall[row], any = fmax (wall, s->any[row]);
    double job = s->end - s->start, most = 0;

    if (row == BILL_cpu_wait)
        return wall / 1e9;
    if (!facts_is_parallel (s))
        return least (least (any, fmax (wall, s->bill[row])),
                      job - (double)s->chain_busy) /
               1e9;
    for (size_t i = 0; i < s->lanes; i++)
        most = fmax (most, s->lane[i].time[row]);
    most += wall - (double)s->bill[row] / (double)s->lanes;
    return (s->any[row] ? least (any, most) : fmax (wall, most)) / 1e9;
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

        of[READ] += (n->read.ns + n->other_read.ns) / 1e9;
        of[OPEN] += n->cost[COST_meta].ns / 1e9;
        of[SYNC] += n->cost[COST_sync].ns / 1e9;
        of[WRITE] += n->write.ns / 1e9;
    }
    for (size_t r = 0; sum && r < s->ranks; r++) {
        ROW_S (read) = fmax (ROW_S (read), sum[r][READ]);
        ROW_S (open) = fmax (ROW_S (open), sum[r][OPEN]);
        ROW_S (sync) = fmax (ROW_S (sync), sum[r][SYNC]);
        ROW_S (write) = fmax (ROW_S (write), sum[r][WRITE]);
    }
    free (sum);
}

static double facts_lane_data (const struct bill_lane *lane)
{
    uint64_t ns = 0;

    for (int row = 0; row < BILL_COUNT; row++)
        if (PART_DATA >> row & 1)
            ns += lane->time[row];
    return ns / 1e9;
}

/* Without its waits for data a rank would still have all else, and end no
 * earlier: the rank with the least of them bounds what can be saved, where its
 * waits for others are seen, too. Else a rank may wait where it seems to
 * compute: the bound is the one with the most of them. */
static void facts_add_data (struct facts *f, const struct summary *s)
{
    double bound = f->job_s;
    int seen = f->steps > 0 && (double)s->n.regions[ROLE_COLLECTIVE] >=
                                   f->steps * (double)s->lanes;

    for (size_t i = 0; i < s->lanes; i++) {
        const struct bill_lane *lane = &s->lane[i];
        double data = facts_lane_data (lane), ns;

        if (!lane->asks)
            continue;
        f->data_s = fmax (f->data_s, data);
        ns = (double)lane->time[BILL_ranks] + (double)(s->end - lane->end) +
             (double)(lane->start - s->start);
        bound = least (bound, data + ns / 1e9);
    }
    if (seen)
        f->data_s = least (f->data_s, bound);
}

static double
facts_scaled (enum bill row, double share, const struct summary *s)
{
    return facts_row (row, s) * share;
}

/* Set what main threads waited in each row, without what tracing took. */
static void facts_add_bill (struct facts *f,
                            const struct summary *s,
                            const struct totals *t)
{
    const struct transfer *n = s->n.cost;
    int profile = summary_is_profile (s);

    for (int row = 0; row < BILL_COUNT && !profile; row++)
        f->row_s[row] = facts_row (row, s);
    if (profile)
        facts_add_sums (f, s, t);
    else {
        ROW_S (read) = facts_scaled (BILL_read, facts_own (&s->n.read, s), s);
        ROW_S (open) =
            facts_scaled (BILL_open, facts_own (&s->n.data_meta, s), s);
        ROW_S (write) =
            facts_scaled (BILL_write, facts_own (&n[COST_write], s), s);
        ROW_S (sync) =
            facts_scaled (BILL_sync, facts_own (&n[COST_sync], s), s);
    }
    if (!s->n.waits && !mm_all_seen (&s->mm.sum)) /* what all threads slept */
        ROW_S (fault) = least (facts_mean_cost (s->mm.sum.stall_ns, s),
                               facts_mean_cost (s->billed, s));
    for (int row = 0; row < BILL_COUNT; row++)
        f->most_s[row] =
            profile && f->row_s[row] <= 0 ? f->job_s : f->row_s[row];
    f->io_alone_s =
        facts_mean (s->overlap[OVERLAP_IO].sum - s->overlap[OVERLAP_IO].common,
                    s->overlap[OVERLAP_IO].ranks);
    for (int call = 0; call < CALL_MAX; call++)
        f->waited_s[call] = s->waited[call] / 1e9;
    facts_add_data (f, s);
}

/* Count a main thread as blocked for all of its time if its waits are not
 * known. */
static void facts_add_blocked (struct facts *f)
{
    double busy = f->waited_s[CALL_wait_run] + f->waited_s[CALL_wait_runq];
    double all = 0;

    for (int call = 0; call < CALL_MAX; call++)
        if (call_is_wait ((unsigned)call))
            all += f->waited_s[call];
    f->blocked_part = all > 0 ? (all - busy) / all : 1;
}

static void facts_add_equals (struct facts *f, const struct summary *s)
{
    f->work = s->work;
    f->equal = s->equal;
    f->others_s = ROW_S (pipe) + ROW_S (lock) + ROW_S (network) +
                  ROW_S (ranks) + ROW_S (loader);
    if (f->equal.waited_s >= 0)
        f->others_s = f->equal.waited_s;
    if (f->work.next_s > 0) { /* as the regions of a data loader say */
        f->equal.most = (struct unequal){.who = f->work.slowest,
                                         .equals = f->work.most_of,
                                         .self_s = f->work.most_s,
                                         .next_s = f->work.next_s};
        f->others_s = f->job_s;
    }
    f->restart_s =
        ROW_S (loader) + ROW_S (decode) + ROW_S (spawn) + ROW_S (imports);
    if (f->work.restart_s >= 0)
        f->restart_s = least (f->restart_s, f->work.restart_s);
}

static void facts_add_late (struct facts *f, const struct summary *s)
{
    f->late = s->late;
    f->late.steps = f->late.lane && f->steps > 0;
    if (f->late.steps)
        f->late.times = f->steps / (double)f->late.ranks;
}

/* A read from memory takes some microseconds and half a nanosecond for each
 * byte; one from storage ten times as long. */
#define CACHED_CALL_NS 10e3
#define CACHED_BYTE_NS 0.5

static void facts_add_reads (struct facts *f, const struct summary *s)
{
    const struct transfer *n = &s->n.read;

    f->reads = n->count;
    f->read_bytes = n->bytes;
    f->read_ns = n->ns;
    f->cached = n->bytes > 0 && f->read_ns < f->reads * CACHED_CALL_NS +
                                                 f->read_bytes * CACHED_BYTE_NS;
}

static void add_files (struct facts *f, const struct tally *t)
{
    for (size_t i = 0; i < strmap_count (t->files); i++) {
        const struct file_total *file = strmap_value (t->files, i);

        if (file->kind != KIND_DATA)
            continue;
        f->data_opens += file->opens;
        for (int p = PLACED_CONSECUTIVE; p < PLACED_COUNT; p++)
            f->placed_reads += file->placed[p];
        f->random_reads += file->placed[PLACED_BACKWARD];
        if (file->extent) {
            f->extent += file->extent;
            f->extent_bytes += file->read_bytes;
        }
    }
}

/* Set the facts of layer mmap; used is the number of bytes that the application
 * reports, else that it touched. */
static void add_faults (struct facts *f, const struct summary *s)
{
    if (s->mm.sum.stall_known)
        f->fault_stall_s = s->mm.sum.stall_ns / 1e9;
    f->fault_bytes = s->mm.sum.fault_bytes;
    f->maps = s->n.maps;
    f->maps_lost = s->mm.sum.lost.maps;
    f->mapped_bytes = s->n.mapped_bytes;
    f->unlooked = s->mm.sum.lost.unlooked;
    f->fault_used = (s->n.sample.bytes ? s->n.sample.bytes : s->mm.sum.touched);
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
        struct hist time;

        if (n >= length || (double)op->time.count <= f->steps ||
            !pattern_match ("step,train_step,*.step", category + n + 1))
            continue;
        f->steps = op->time.count;
        thinhist_to (&op->time, &time);
        f->step_p50 = hist_quantile (&time, 0.5);
        f->step_p99 = hist_quantile (&time, 0.99);
        f->step_sum = op->time.sum;
    }
    free (order);
}

/* The largest, the second and the least time of a set over the ranks. */
struct spread {
    double most, next, least;
};

static struct spread insight_spread (const struct summary *s, enum set set)
{
    struct spread of = {0, 0, 0};
    uint64_t least = UINT64_MAX;

    if (s->over[set].ranks < 2)
        return of;
    for (size_t r = 0; r < s->ranks; r++) {
        uint64_t time = s->rank[r].time[set];

        abovefacts_most (&of.most, &of.next, time);
        if (time && time < least)
            least = time;
    }
    of.least = least / 1e9;
    return of;
}

static void insight_add_spreads (struct facts *f, const struct summary *s)
{
    struct spread of = insight_spread (s, SET_LOADER);

    f->loader_max_s = of.most;
    f->loader_next_s = of.next;
    f->loader_min_s = of.least;
    of = insight_spread (s, SET_READ);
    f->read_max_s = of.most;
    f->read_next_s = of.next;
    f->read_min_s = of.least;
    f->checkpoint_next_s = insight_spread (s, SET_CHECKPOINT).next;
}

#define LAUNCH_NS 30e9 /* a step may start that much later on a node */

/* Offsets known by barriers; those known by starts only when they are more
 * than the launch of a step can explain. */
static void add_clocks (struct facts *f, const struct totals *t)
{
    struct clocks c;

    if (clocks_make (&c, t) < 0)
        return;
    f->nodes = c.nodes;
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

    ZERO (f);
    f->job_s = (s->end - s->start) / 1e9;
    f->stall_s = s->over[SET_STALL].max / 1e9;
    f->compute_s = s->over[SET_COMPUTE].max / 1e9;
    f->io_s = io->sum / 1e9;
    f->io_common_s = io->common / 1e9;
    f->checkpoint_s = s->over[SET_CHECKPOINT].max / 1e9;
    facts_add_reads (f, s);
    f->samples = s->n.sample.count;
    f->sample_bytes = s->n.sample.bytes;
    f->cold_first_s = s->cold.first / 1e9;
    f->cold_later_s = s->cold.later / 1e9;
    f->wait_s = s->start_up.wait_max / 1e9;
    add_steps (f, &t->tally);
    facts_add_bill (f, s, t);
    facts_add_blocked (f);
    facts_add_equals (f, s);
    facts_add_late (f, s);
    f->checkpoint_ranks = s->checkpoint.ranks;
    f->checkpoint_best = s->checkpoint.best;
    f->checkpoint_worst = s->checkpoint.worst;
    f->lost = s->lost;
    f->events = s->n.events;
    f->ranks = s->ranks;
    f->ranks_found = s->launched.found;
    f->ranks_expected = s->launched.started;
    insight_add_spreads (f, s);
    add_faults (f, s);
    add_calls (f, &t->tally);
    add_files (f, &t->tally);
    insightfiles_find (&f->on, t, ROW_S (write) + ROW_S (sync), ROW_S (open));
    if (f->step_sum > f->steps * f->step_p50)
        f->step_excess_s =
            facts_mean_cost ((f->step_sum - f->steps * f->step_p50), s);
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
    if (found->cost < COST_WARNING * job_s)
        return SEVERITY_MINOR;
    return found->cost >= COST_CRITICAL * job_s && rule->critical == BY_COST
               ? SEVERITY_CRITICAL
               : SEVERITY_WARNING;
}

/* Find the part with most time, and the most that all parts have. */
static double insight_bound (struct finding *found,
                             const struct insight_info *rule,
                             const struct facts *f)
{
    double sum = 0, most = 0;

    found->part = BILL_COUNT;
    for (int row = 0; row < BILL_COUNT; row++) {
        if (!(rule->parts >> row & 1))
            continue;
        sum += f->most_s[row];
        if (rule->parts != ANY_PART && f->most_s[row] > most) {
            most = f->most_s[row];
            found->part = row;
        }
    }
    return rule->parts == ANY_PART ? f->job_s : least (sum, f->job_s);
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
    if (found->costs) { /* a job of many ranks takes no longer than it took */
        found->cost = least (cost, insight_bound (found, rule, f));
        if (!(found->cost > 0))
            return 0;
    }
    found->percent = f->job_s > 0 ? 100 * found->cost / f->job_s : 0;
    found->severity = insight_severity (found, rule, f->job_s);
    return 1;
}

/* --- findings on the same time ----------------------------------------------
 */

/* Nearly as much: the cause is known, and the rule on the whole says no more.
 */
#define INSIGHT_NEARLY 0.9

static int insight_is_said (const struct finding *all,
                            size_t n,
                            const struct finding *whole)
{
    const struct insight_info *rule = &insight_table[whole->rule];

    for (size_t i = 0; rule->whole && i < n; i++)
        if (insight_table[all[i].rule].parts == rule->parts &&
            !insight_table[all[i].rule].whole &&
            all[i].cost >= INSIGHT_NEARLY * whole->cost)
            return 1;
    return 0;
}

static size_t insight_drop_said (struct finding *found, size_t n)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++)
        if (!found[i].costs || !insight_is_said (found, n, &found[i]))
            found[used++] = found[i];
    return used;
}

/* In a job that waits for batches all waits for data are one. */
static unsigned insight_group (const struct finding *found,
                               const struct facts *f)
{
    unsigned parts = insight_table[found->rule].parts;

    if (parts == ANY_PART || found->part == BILL_COUNT)
        return 0;
    parts = 1u << found->part;
    return f->stall_s > 0 && parts & PART_DATA ? PART_DATA : parts;
}

/* A cause with half of the cost stands before what has it whole. */
#define INSIGHT_HALF 0.5

/* Return 1 if `other` stands for the time of both rather than `lead`. */
static int insight_leads (const struct finding *other,
                          const struct finding *lead,
                          double most)
{
    int cause =
        !insight_table[other->rule].whole && other->cost >= INSIGHT_HALF * most;
    int was =
        !insight_table[lead->rule].whole && lead->cost >= INSIGHT_HALF * most;

    if (cause != was)
        return cause;
    return other->cost > lead->cost ||
           (other->cost == lead->cost && other->rule < lead->rule);
}

/* Return 1 if `late` is about one that comes late because of what `what` is
 * about: its sleep, or what the late rank has most more of. */
static int insight_delays (const struct finding *late,
                           const struct finding *what,
                           const struct facts *f)
{
    int of_rank = insight_table[what->rule].whole ||
                  what->rule == INSIGHT_loader_straggler ||
                  what->rule == INSIGHT_read_straggler;

    if (late->rule == INSIGHT_lagging_worker)
        return what->rule == INSIGHT_sleep_wait &&
               f->equal.slept_s >= INSIGHT_HALF * what->cost;
    if (late->rule == INSIGHT_late_rank && what->rule == INSIGHT_lagging_worker)
        return f->equal.most.who->rank == f->late.lane->rank;
    return late->rule == INSIGHT_late_rank && of_rank &&
           f->late.why < BILL_COUNT &&
           insight_group (what, f) >> f->late.why & 1;
}

/* Return the finding that is the cause of what: that a rank is late, for which
 * others wait. what itself if there is none. */
static const struct finding *insight_late (const struct finding *found,
                                           size_t n,
                                           const struct finding *what,
                                           const struct facts *f)
{
    for (size_t k = 0; k < n; k++)
        if (found[k].cost >= INSIGHT_HALF * what->cost &&
            insight_delays (&found[k], what, f))
            return &found[k];
    return what;
}

static const struct finding *insight_lead_of (const struct finding *found,
                                              size_t n,
                                              size_t i,
                                              const struct facts *f)
{
    unsigned group = insight_group (&found[i], f);
    const struct finding *lead = insight_late (found, n, &found[i], f);
    double most = found[i].cost;

    if (lead != &found[i])
        return lead;
    for (size_t k = 0; group && k < n; k++)
        if (insight_group (&found[k], f) == group)
            most = fmax (most, found[k].cost);
    for (size_t k = 0; group && k < n; k++)
        if (insight_group (&found[k], f) == group &&
            insight_leads (&found[k], lead, most))
            lead = &found[k];
    return lead;
}

/* Findings on the same time are one on the first screen. */
static void
insight_lead (struct finding *found, size_t n, const struct facts *f)
{
    for (size_t i = 0; i < n; i++) {
        const struct finding *lead = insight_lead_of (found, n, i, f);

        found[i].lead = lead->rule;
        found[i].lead_cost = lead->cost;
        found[i].lead_severity = lead->severity;
    }
    for (size_t i = 0; i < n; i++)
        if (found[i].lead != found[i].rule &&
            found[i].severity > SEVERITY_DETAIL)
            found[i].severity = SEVERITY_DETAIL;
}

static int insight_order (const void *va, const void *vb)
{
    const struct finding *a = va, *b = vb;

    if (a->costs != b->costs)
        return a->costs - b->costs;
    if (a->lead_severity != b->lead_severity)
        return a->lead_severity < b->lead_severity ? 1 : -1;
    if (a->lead_cost != b->lead_cost)
        return a->lead_cost < b->lead_cost ? 1 : -1;
    if (a->lead != b->lead)
        return (int)a->lead - (int)b->lead;
    if ((a->lead == a->rule) != (b->lead == b->rule))
        return a->lead == a->rule ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? 1 : -1;
    return (int)a->rule - (int)b->rule;
}

/* --- who has most of it -----------------------------------------------------
 */

/* Return the ns that a process has of what a row of the bill is about. */
static uint64_t insight_ns_of (const struct process *p, enum bill row)
{
    const struct transfer *n = p->n.cost;

    switch (row) {
    case BILL_read:
        return n[COST_read].ns + n[COST_stdio].ns;
    case BILL_write:
        return n[COST_write].ns + n[COST_copy].ns + n[COST_stdio].ns;
    case BILL_sync:
        return n[COST_sync].ns;
    case BILL_open:
        return n[COST_meta].ns;
    case BILL_checkpoint:
        return p->time[SET_CHECKPOINT] ? p->time[SET_CHECKPOINT]
                                       : p->n.ckpt_write.ns;
    case BILL_other_io:
        return n[COST_read].ns + n[COST_meta].ns;
    case BILL_threads:
        return n[COST_read].ns + n[COST_write].ns + n[COST_sync].ns +
               n[COST_meta].ns;
    default:
        return 0;
    }
}

static const struct process *insight_most (enum bill row,
                                           const struct totals *t)
{
    const struct process *most = NULL;

    for (size_t i = 0; i < t->processes; i++)
        if (insight_ns_of (&t->process[i], row) >
            (most ? insight_ns_of (most, row) : 0))
            most = &t->process[i];
    return most;
}

const struct process *insights_program (const struct totals *t,
                                        const struct bill_lane *lane)
{
    const struct process *last = lane->first;
    uint64_t longest = 0;

    for (size_t i = 0; i < t->processes; i++)
        if (t->process[i].rank == lane->rank &&
            t->process[i].end - t->process[i].start > longest)
            longest = t->process[i].end - t->process[i].start;
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        if (p->rank == lane->rank && p->start >= last->start &&
            p->end - p->start >= longest / 10 * 8)
            last = p;
    }
    return last;
}

/* The main thread that has most of a row; the one with least where the others
 * wait for it. */
static const struct process *
insight_lane (enum bill row, const struct summary *s, const struct totals *t)
{
    const struct bill_lane *of = s->lanes ? &s->lane[0] : NULL;

    for (size_t i = 1; i < s->lanes; i++)
        if (row == BILL_ranks ? s->lane[i].time[row] < of->time[row]
                              : s->lane[i].time[row] > of->time[row])
            of = &s->lane[i];
    return of ? insights_program (t, of) : NULL;
}

static void insight_set_who (struct finding *found,
                             const struct facts *f,
                             const struct summary *s,
                             const struct totals *t)
{
    const struct unequal *u = found->rule == INSIGHT_straggler ? &f->equal.last
                              : found->rule == INSIGHT_lagging_worker
                                  ? &f->equal.most
                                  : NULL;

    if (found->rule == INSIGHT_new_pools)
        found->who = f->equal.pools.parent;
    else if (found->rule == INSIGHT_late_rank) {
        found->late = f->late;
        found->who = insights_program (t, f->late.lane);
        found->equals = f->late.ranks;
    } else if (u) {
        found->who = u->who;
        found->equals = u->equals;
        if (found->rule == INSIGHT_straggler)
            found->since = u->who->start + (uint64_t)(u->next_s * 1e9);
    } else if (found->part < BILL_COUNT) {
        found->who = insight_most (found->part, t);
        if (!found->who)
            found->who = insight_lane (found->part, s, t);
    }
}

/* When it was: its row of the bill; of a finding on one process from when that
 * is alone, or late, until it ends. */
static void insight_set_when (struct finding *found,
                              const struct summary *s,
                              const struct totals *t)
{
    const struct process *who = found->who;

    found->when.from = UINT64_MAX;
    if (found->costs && found->part < BILL_COUNT &&
        found->rule != INSIGHT_late_rank)
        found->when = s->when[found->part];
    if (found->when.processes || !who)
        return;
    found->when.processes = 1;
    found->when.most[0] = (struct row_part){(size_t)(who - t->process), 0};
    if (found->part < BILL_COUNT && found->rule != INSIGHT_late_rank)
        return; /* a profile does not say when */
    found->when.from = found->since        ? found->since
                       : found->late.since ? found->late.since
                                           : who->start;
    found->when.until = who->end;
}

/* --- why a CPU is waited for ------------------------------------------------
 */

/* Return for how long its threads had or wanted a CPU, ns; 0: not known. */
static uint64_t insight_wanted (const struct process *p)
{
    return p->cpu_ns + p->delay_ns + p->n.others_wanted_ns;
}

/* One that waits for its children all its life wants none. */
static int insight_wants_cpu (const struct process *p)
{
    uint64_t wanted = insight_wanted (p);

    return p->who->p.layers != LAYER_KERNEL && p->end > p->start &&
           (!wanted || wanted >= (p->end - p->start) / 2);
}

static int insight_time_order (const void *va, const void *vb)
{
    uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

    return a < b ? -1 : a > b;
}

/* A process that lives so long is sampled if it has threads (preload/waits.h).
 */
enum { SAMPLED_NS = 1000000000 };

/* So many at once for so much of the time in which there is any. */
#define AT_ONCE_MATTERS 0.1

/* Return how many of n intervals, given by sorted starts and sorted ends, are
 * there at once for a time that matters; ns[k]: time of k at once. */
static size_t insight_most_at_once (const uint64_t *start,
                                    const uint64_t *end,
                                    size_t n,
                                    uint64_t *ns) /* n + 1, cleared */
{
    size_t begun = 0, gone = 0, most = n;
    uint64_t at = n ? start[0] : 0, all = 0, above;

    while (gone < n) {
        int begins = begun < n && start[begun] < end[gone];
        uint64_t next = begins ? start[begun] : end[gone];

        ns[begun - gone] += next - at;
        all += begun > gone ? next - at : 0;
        at = next;
        begun += begins;
        gone += !begins;
    }
    above = ns[most];
    while (most > 1 && (double)above < AT_ONCE_MATTERS * (double)all)
        above += ns[--most];
    return most;
}

/* Return how many threads of a process had or wanted a CPU, on average; 0: not
 * known, as of a process that was too short for a sampler to tell of others. */
static double insight_threads (const struct process *p)
{
    return p->cpu_ns && p->end - p->start >= SAMPLED_NS
               ? (double)insight_wanted (p) / (double)(p->end - p->start)
               : 0;
}

/* Set how many processes want a CPU at once for a time that matters, and how
 * many threads of one of them do at most; 0: none, not known, or out of memory.
 */
static void insight_set_at_once (struct finding *found, const struct totals *t)
{
    uint64_t *start = ZEROED (start, 3 * t->processes + 1);
    uint64_t *end = start ? start + t->processes : NULL;
    size_t n = 0;

    for (size_t i = 0; start && i < t->processes; i++)
        if (insight_wants_cpu (&t->process[i])) {
            start[n] = t->process[i].start;
            end[n++] = t->process[i].end;
            found->threads =
                fmax (found->threads, insight_threads (&t->process[i]));
        }
    if (n) {
        SORT (start, n, insight_time_order);
        SORT (end, n, insight_time_order);
        found->at_once =
            insight_most_at_once (start, end, n, end + t->processes);
    }
    free (start);
}

static void insight_add_words (char text[INSIGHT_ADVICE], const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

static void insight_add_words (char text[INSIGHT_ADVICE], const char *fmt, ...)
{
    size_t n = strlen (text);
    va_list ap;

    va_start (ap, fmt);
    vsnprintf (text + n, INSIGHT_ADVICE - n, fmt, ap);
    va_end (ap);
}

/* Tolerance of a mean number of threads. */
#define THREADS_NEAR 0.2

/* Throttling that explains so much of the cost is the cause. */
#define THROTTLED_MATTERS 0.1

static const char *insight_cpu_advice (const struct finding *found,
                                       const struct summary *s)
{
    int limited = s->cpu_limit > 0 && s->cpu_limit < (double)found->at_once &&
                  (!s->cpus || s->cpu_limit < (double)s->cpus);

    if (limited || s->throttled_s > THROTTLED_MATTERS * found->cost)
        return "raise the CPU limit of the cgroup, or run fewer workers";
    if (s->cpus && s->cpus < found->at_once)
        return "more processors (--cpus-per-task), or fewer workers";
    if (s->cpus && found->threads > (double)s->cpus + THREADS_NEAR)
        return "fewer threads in each process, or more processors "
               "(--cpus-per-task)";
    if (s->cpus && found->threads > 0 &&
        found->threads * (double)found->at_once <
            (double)s->cpus + THREADS_NEAR)
        return "others use its processors, it wants no more than it may have: "
               "ask for them alone (--exclusive)";
    if (s->cpus)
        return "fewer threads in each process; do other jobs use its "
               "processors?";
    return insight_table[found->rule].advice;
}

/* How much later, since when, and why. */
static char *insight_late_words (char text[INSIGHT_ADVICE],
                                 const struct late_rank *late,
                                 const struct summary *s)
{
    text[0] = '\0';
    if (late->times > 0)
        insight_add_words (text, "%.3g s later %s of %.0f %s, ",
                           late->cost_s / late->times,
                           late->steps ? "in each" : "at each", late->times,
                           late->steps ? "steps" : "collectives");
    insight_add_words (text, "from %.1f s on; others wait %.3g s",
                       (late->since - s->start) / 1e9, late->others_s);
    if (late->why < BILL_COUNT)
        insight_add_words (text, "; it has %.3g s more of: %s", late->why_s,
                           bill_table[late->why].title);
    return text;
}

char *insight_advice (char text[INSIGHT_ADVICE],
                      const struct finding *found,
                      const struct summary *s)
{
    const char *between = "; ";

    if (found->rule == INSIGHT_late_rank && found->late.lane)
        return insight_late_words (text, &found->late, s);
    if (found->rule != INSIGHT_cpu_wait) {
        snprintf (text, INSIGHT_ADVICE, "%s",
                  insight_table[found->rule].advice);
        return text;
    }
    snprintf (text, INSIGHT_ADVICE, "%s", insight_cpu_advice (found, s));
    if (s->cpus) {
        insight_add_words (text, "%s%" PRIu64 " processor%s allowed", between,
                           s->cpus, s->cpus == 1 ? "" : "s");
        if (found->at_once)
            insight_add_words (text, " for %zu process%s at once",
                               found->at_once, found->at_once == 1 ? "" : "es");
        if (found->threads > 1 + THREADS_NEAR)
            insight_add_words (text, ", in one %.1f threads", found->threads);
        between = ", ";
    }
    if (s->cpu_limit > 0) {
        insight_add_words (text, "%sa limit of %g by cgroup", between,
                           s->cpu_limit);
        between = ", ";
    }
    if (s->throttled_s > 0)
        insight_add_words (text, "%sthrottled for %.3g s by cgroup", between,
                           s->throttled_s);
    return text;
}

/* --- all findings -----------------------------------------------------------
 */

size_t insights_find (struct finding found[INSIGHT_COUNT],
                      const struct summary *s,
                      const struct totals *t)
{
    struct facts all, *f = &all;
    size_t n = 0;

    facts_of (f, s, t);
#define INSIGHT(NAME, PARTS, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                              \
    n += insight_judge (                                                       \
        &found[n], INSIGHT_##NAME, f, APPLIES,                                 \
        (const double[3]){(double)(A), (double)(B), (double)(COST)});
#include "lib/model/insights.def"
#undef INSIGHT
    n = insight_drop_said (found, n);
    insight_lead (found, n, f);
    SORT (found, n, insight_order);
    for (size_t i = 0; i < n; i++) {
        insight_set_who (&found[i], f, s, t);
        insight_set_when (&found[i], s, t);
        if (found[i].rule == INSIGHT_cpu_wait)
            insight_set_at_once (&found[i], t);
    }
    return n;
}

size_t insights_worth (const struct finding *found, size_t n)
{
    size_t worth = 0;

    for (size_t i = 0; i < n; i++)
        worth += found[i].severity > SEVERITY_DETAIL;
    return worth;
}

int insights_any (const struct summary *s, const struct totals *t)
{
    struct finding found[INSIGHT_COUNT];

    return insights_find (found, s, t) > 0;
}

const char *severity_name (enum severity severity)
{
    static const char *const names[] = {"none", "minor", "detail", "warning",
                                        "critical"};

    return names[severity];
}

/* --- what no finding stands for ---------------------------------------------
 */

double insights_unexplained (const struct summary *s)
{
    double left = s->wall[BILL_other];
    double job = s->end - s->start;

    if (!(job > 0) || summary_is_profile (s))
        return 0;
    if (!s->foreign)
        left -=
            (double)s->n.events * TRACE_OUTSIDE_NS / fmax (1, s->lanes_at_once);
    return left > 0 ? 100 * left / job : 0;
}

/* Percent of the job in which any process was in I/O. */
static double insights_io (const struct summary *s)
{
    double job = s->end - s->start, ns = s->io_time;

    if (summary_is_profile (s))
        for (int row = 0; row < COST_COUNT; row++)
            ns += s->n.cost[row].ns;
    return job > 0 ? 100 * least (ns / job, 1) : 0;
}

/* Shares of the job, percent. */
#define IO_MATTERS          1
#define UNEXPLAINED_MATTERS 5

char *insights_nothing (char text[INSIGHT_WORDS], const struct summary *s)
{
    double io = insights_io (s), left = insights_unexplained (s);

    if (io >= IO_MATTERS)
        snprintf (text, INSIGHT_WORDS,
                  "%.1f %% of the job is I/O, none of it known to hold "
                  "up the job.",
                  io);
    else if (left > UNEXPLAINED_MATTERS)
        snprintf (text, INSIGHT_WORDS,
                  "No I/O that was seen costs more than 1 %% of the job.");
    else
        snprintf (text, INSIGHT_WORDS, "%s costs more than 1 %% of the job.",
                  s->untraced ? "Nothing that was traced" : "Nothing here");
    return text;
}
