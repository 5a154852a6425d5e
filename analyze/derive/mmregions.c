/* SPDX-License-Identifier: MIT
 *
 * mmregions.c - faults of a process, regions of its threads -> who waited
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/derive/mmwork.h"

enum { NS_PER_US = 1000 };

/* By thread, then by end; what ends together, the inner one first. */
static int part_order (const void *a, const void *b)
{
    const struct mm_part *x = a, *y = b;
    int order = mm_compare (x->tid, y->tid);

    if (order == 0)
        order = mm_compare (x->end, y->end);
    return order ? order : mm_compare (y->start, x->start);
}

/* --- regions ----------------------------------------------------------------
 */

static struct mm_op *op_of (struct join *j, uint32_t op)
{
    size_t length;
    const char *key = strmap_key (j->log->ops, op, &length);

    return mm_value (&j->t->ops, key, length, sizeof (struct mm_op));
}

/* Faults of a thread inside a region and in none inside that: those between
 * *next and its end that no region before it took. */
struct taken {
    uint64_t count, ns;
};

static int thread_seen_order (const void *a, const void *b)
{
    const struct mm_seen *x = a, *y = b;
    int order = mm_compare (x->tid, y->tid);

    return order ? order : mm_compare (x->end, y->end);
}

/* The innermost region of a fault is the first to end after it, of those
 * that began before it; parts are in the order of part_order. */
static const struct mm_part *part_of (const struct mm_part *p,
                                      const struct mm_part *end,
                                      const struct mm_seen *f)
{
    while (p < end &&
           (p->tid < f->tid || (p->tid == f->tid && p->end < f->end)))
        p++;
    for (; p < end && p->tid == f->tid; p++)
        if (p->start <= f->end)
            return p;
    return NULL;
}

/* Call with each fault that lies in a region, and that region. */
typedef void
visit_fault (void *arg, const struct mm_part *p, struct mm_seen *f);

static void each_fault (struct join *j, visit_fault *visit, void *arg)
{
    const struct mm_part *low = j->log->parts.item, *p;
    const struct mm_part *end = low ? low + j->log->parts.count : NULL;
    struct mm_seen *f = j->log->faults.item;

    mm_sort (&j->log->parts, sizeof (*low), part_order);
    mm_sort (&j->log->faults, sizeof (*f), thread_seen_order);
    for (size_t i = 0; i < j->log->faults.count; i++) {
        while (low < end && (low->tid < f[i].tid ||
                             (low->tid == f[i].tid && low->end < f[i].end)))
            low++;
        if ((p = part_of (low, end, &f[i])))
            visit (arg, p, &f[i]);
    }
}

static void shorten (void *arg, const struct mm_part *p, struct mm_seen *f)
{
    (void)arg;
    if (f->start < p->start)
        f->start = p->start;
}

void mm_clip_faults (struct join *j)
{
    each_fault (j, shorten, NULL);
}

struct taking {
    const struct mm_part *parts;
    struct taken *taken;
};

static void take_fault (void *arg, const struct mm_part *p, struct mm_seen *f)
{
    struct taking *t = arg;

    t->taken[p - t->parts].count++;
    t->taken[p - t->parts].ns += mm_minus (f->end, f->start);
}

static struct taken *faults_of_parts (struct join *j)
{
    struct taking t = {
        .taken = calloc (j->log->parts.count + 1, sizeof (struct taken))};

    t.parts = j->log->parts.item;
    if (t.taken)
        each_fault (j, take_fault, &t);
    return t.taken;
}

/* Of a region's faults some may not have been seen; too few: how long the
 * thread did not run is all that is known. */
static uint64_t
stall_of (const struct mm_part *p, const struct taken *taken, int *estimated)
{
    *estimated = 0;
    if (p->major == 0)
        return taken->ns;
    if (taken->count * 2 >= p->major)
        return taken->count >= p->major
                   ? taken->ns
                   : (uint64_t)((double)taken->ns * (double)p->major /
                                (double)taken->count);
    *estimated = 1;
    return p->wait_us * NS_PER_US;
}

static int join_sizes (struct join *j)
{
    const uint64_t *size = j->log->sizes.item;

    for (size_t i = 0; i < j->log->sizes.count; i++) {
        struct mm_op *op = size[i] ? op_of (j, (uint32_t)i) : NULL;

        if (size[i] && !op)
            return -1;
        if (op)
            op->used += size[i];
    }
    return 0;
}

/* Faults of a region that were not seen: when it waited, for whatever file. */
static int spread_stall (struct join *j,
                         const struct mm_part *p,
                         uint64_t faults,
                         uint64_t stall)
{
    uint64_t step = j->t->bin_ns, left = stall;
    uint64_t pieces = mm_minus (p->end, p->start) / step + 1;

    if (pieces > MM_BINS)
        pieces = MM_BINS;
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t part = i + 1 < pieces ? stall / pieces : left;
        struct mm_bin *bin =
            mm_bin_at (j, (uint32_t)j->files,
                       p->start + mm_minus (p->end, p->start) / pieces * i);

        if (!bin)
            return -1;
        bin->stall_ns += part;
        bin->faults += i == 0 ? faults : 0;
        left -= part;
    }
    return 0;
}

static int add_region (struct join *j,
                       struct mm_process *process,
                       const struct mm_part *p,
                       const struct taken *taken)
{
    struct mm_op *op = op_of (j, p->op);
    int estimated;
    uint64_t stall = stall_of (p, taken, &estimated);

    if (!op || (stall > taken->ns &&
                spread_stall (j, p, mm_minus (p->major, taken->count),
                              stall - taken->ns) < 0))
        return -1;
    op->regions++;
    op->major += p->major;
    op->bytes += p->read;
    op->system_us += p->system_us;
    op->stall_ns += stall;
    op->estimated |= estimated;
    process->system_us += p->system_us;
    process->estimated |= estimated;
    process->stall_ns += mm_minus (stall, taken->ns);
    return 0;
}

/* Without a region to say how long it waited, the faults that were not seen
 * took as long as those that were. */
static void scale_stall (struct mm_process *process)
{
    if (process->seen && process->seen < process->major)
        process->stall_ns =
            (uint64_t)((double)process->stall_ns * (double)process->major /
                       (double)process->seen);
}

int mm_regions (struct join *j, struct mm_process *process)
{
    const struct mm_part *p;
    struct taken *taken = faults_of_parts (j);
    int rc = taken ? 0 : -1;

    p = j->log->parts.item;
    for (size_t i = 0; rc == 0 && i < j->log->parts.count; i++)
        rc = add_region (j, process, &p[i], &taken[i]);
    free (taken);
    if (rc < 0)
        return -1;
    if (j->log->parts.count == 0)
        scale_stall (process);
    if (process->seen == 0)
        process->estimated = process->major > 0;
    process->stall_known =
        process->seen || process->major == 0 || j->log->parts.count;
    return join_sizes (j);
}
