/* SPDX-License-Identifier: MIT
 *
 * rulefacts.c - a job -> the numbers that rules compare
 *
 * In:  struct summary and struct totals
 * Out: struct facts, to insight.c
 */
#include "config.h"

#include "analyze/facts/clocks.h"
#include "analyze/facts/rulefacts.h"
#include "analyze/scan/tally.h"
#include "analyze/facts/sharedfiles.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

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

    sharedfiles_make (&s, t, 1);
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

static void facts_max (double *to, uint64_t ns)
{
    *to = fmax (*to, ns / 1e9);
}

static void spread_add (struct spread *of, uint64_t ns)
{
    double s = ns / 1e9;

    of->next = fmax (of->next, fmin (s, of->most));
    of->most = fmax (of->most, s);
    if (ns && (of->least <= 0 || s < of->least))
        of->least = s;
}

static struct transfer both (struct transfer a, const struct transfer *b)
{
    transfer_add (&a, b);
    return a;
}

/* MPI-IO of a process, or of all of them. */
static void abovefacts_sums (struct abovefacts *a, const struct counts *n)
{
    a->one = both (n->mpi_write, &n->mpi_read);
    a->coll = both (n->mpi_coll_write, &n->mpi_coll_read);
    a->posix = both (n->mpi_coll_write_posix, &n->mpi_coll_read_posix);
}

static void abovefacts_of (struct abovefacts *a,
                           const struct summary *s,
                           const struct totals *t)
{
    struct spread ns = {0, 0, 0};

    if (!s->n.mpi && !s->n.hdf5)
        return;
    abovefacts_sums (a, &s->n);
    a->mpi_min_bytes = INFINITY;
    for (size_t i = 0; i < t->processes; i++) {
        const struct counts *n = &t->process[i].n;
        struct abovefacts own;
        double bytes;

        facts_max (&a->h5_meta_s, n->h5_meta.ns);
        facts_max (&a->h5_data_s, n->h5_data.ns);
        facts_max (&a->h5_independent_s, n->h5_independent.ns);
        facts_max (&a->h5_chunked_s, n->h5_chunked.ns);
        abovefacts_sums (&own, n);
        if (!own.one.count && !own.coll.count)
            continue;
        bytes = own.one.bytes + own.coll.bytes;
        facts_max (&a->one_s, own.one.ns);
        facts_max (&a->posix_s, own.posix.ns);
        spread_add (&ns, own.one.ns + own.coll.ns);
        a->mpi_aggregators += own.posix.count > 0;
        a->mpi_min_bytes = fmin (a->mpi_min_bytes, bytes);
        a->mpi_max_bytes = fmax (a->mpi_max_bytes, bytes);
        a->mpi_callers++;
    }
    a->mpi_max_s = ns.most;
    a->mpi_next_s = ns.next;
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
        return MIN (MIN (any, fmax (wall, s->bill[row])),
                    job - (double)s->chain_busy) /
               1e9;
    for (size_t i = 0; i < s->lanes; i++)
        most = fmax (most, s->lane[i].time[row]);
    most += wall - (double)s->bill[row] / (double)s->lanes;
    return (s->any[row] ? MIN (any, most) : fmax (wall, most)) / 1e9;
}

/* A profile does not say who waited. A rank waited at most as long as its
 * threads and processes took, added up. */
static void facts_add_sums (struct facts *f,
                            const struct summary *s,
                            const struct totals *t)
{
    enum { READ, OPEN, SYNC, WRITE, SUMS };
    double (*sum)[SUMS] = xcalloc (s->ranks + 1, sizeof (*sum));

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
        bound = MIN (bound, data + ns / 1e9);
    }
    if (seen)
        f->data_s = MIN (f->data_s, bound);
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
        ROW_S (fault) = MIN (facts_mean_cost (s->mm.sum.stall_ns, s),
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
    if (f->work.slow.next_s > 0) { /* as the regions of a data loader say */
        f->equal.most = f->work.slow;
        f->others_s = f->job_s;
    }
    f->restart_s =
        ROW_S (loader) + ROW_S (decode) + ROW_S (spawn) + ROW_S (imports);
    if (f->work.restart_s >= 0)
        f->restart_s = MIN (f->restart_s, f->work.restart_s);
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

/* The operation that is a step, the most frequent one. */
static void add_steps (struct facts *f, const struct tally *t)
{
    size_t *order = operations_sorted (t); /* of equal ones the longest */
    const struct op_total *step = NULL;
    struct hist time;

    for (size_t i = 0; i < strmap_count (t->ops); i++) {
        size_t length;
        const char *category = strmap_key (t->ops, order[i], &length);
        const struct op_total *op = strmap_value (t->ops, order[i]);
        size_t n = strlen (category);

        if (n < length && op->time.count > (step ? step->time.count : 0) &&
            pattern_match ("step,train_step,*.step", category + n + 1))
            step = op;
    }
    free (order);
    if (!step)
        return;
    thinhist_to (&step->time, &time);
    f->steps = step->time.count;
    f->step_p50 = hist_quantile (&time, 0.5);
    f->step_p99 = hist_quantile (&time, 0.99);
    f->step_sum = step->time.sum;
}

/* The times of a set of the ranks, if several have it. */
static struct spread insight_spread (const struct summary *s, enum set set)
{
    struct spread of = {0, 0, 0};

    for (size_t r = 0; s->over[set].ranks > 1 && r < s->ranks; r++)
        spread_add (&of, s->rank[r].time[set]);
    return of;
}

#define LAUNCH_NS 30e9 /* a step may start that much later on a node */

/* Offsets known by barriers; those known by starts only when they are more
 * than the launch of a step can explain. */
static void add_clocks (struct facts *f, const struct totals *t)
{
    struct clocks c;

    clocks_make (&c, t);
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

void facts_of (struct facts *f, const struct summary *s, const struct totals *t)
{
    const struct overlap *io = &s->overlap[OVERLAP_IO];

    ZERO (f);
    f->job_s = (s->end - s->start) / 1e9;
    f->stall_s = s->over[SET_STALL].max / 1e9;
    f->compute_s = s->over[SET_COMPUTE].max / 1e9;
    f->io_s = io->sum / 1e9;
    f->io_common_s = io->common / 1e9;
    facts_add_reads (f, s);
    f->sample_bytes = s->n.sample.bytes;
    f->cold_first_s = s->cold.first / 1e9;
    f->cold_later_s = s->cold.later / 1e9;
    f->wait_s = s->start_up.wait_max / 1e9;
    f->fault_bytes = s->mm.sum.fault_bytes;
    f->fault_used = /* as the program says, else what it touched */
        s->n.sample.bytes ? s->n.sample.bytes : s->mm.sum.touched;
    add_steps (f, &t->tally);
    facts_add_bill (f, s, t);
    facts_add_blocked (f);
    facts_add_equals (f, s);
    facts_add_late (f, s);
    f->loader = insight_spread (s, SET_LOADER);
    f->read = insight_spread (s, SET_READ);
    f->checkpoint = insight_spread (s, SET_CHECKPOINT);
    f->checkpoint.most = s->over[SET_CHECKPOINT].max / 1e9;
    add_calls (f, &t->tally);
    add_files (f, &t->tally);
    insightfiles_find (&f->on, t, ROW_S (write) + ROW_S (sync), ROW_S (open));
    if (f->step_sum > f->steps * f->step_p50)
        f->step_excess_s =
            facts_mean_cost ((f->step_sum - f->steps * f->step_p50), s);
    abovefacts_of (&f->above, s, t);
    add_clocks (f, t);
}
