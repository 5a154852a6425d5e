/* SPDX-License-Identifier: MIT
 *
 * mmregions.c - faults of a process, regions of its threads -> who waited
 */
#include "config.h"

#include "analyze/facts/mmwork.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

enum {
    NS_PER_US = 1000,
    CLOSE = 20,       /* what differs by one in 20 is the same */
    LONGEST_MS = 100, /* for a page from storage; a slow disk takes a tenth */
    NS_PER_MS = 1000000
};

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
    uint64_t count, ns; /* that were seen; majors, all */
    uint64_t stall;     /* what is trusted */
    int estimated, unknown;
};

static int thread_seen_order (const void *a, const void *b)
{
    const struct mm_seen *x = a, *y = b;
    return mm_compare (x->tid, y->tid) ?: mm_compare (x->end, y->end);
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

static void
mmregions_shorten (void *arg, const struct mm_part *p, struct mm_seen *f)
{
    if (f->start < p->start)
        f->start = p->start;
}

struct taking {
    const struct mm_part *parts;
    struct taken *taken;
};

static void take_fault (void *arg, const struct mm_part *p, struct mm_seen *f)
{
    struct taking *t = arg;

    t->taken[p - t->parts].count += !f->minor;
    t->taken[p - t->parts].ns += mm_minus (f->end, f->start);
}

/* The faults of a region slept no longer than the region. */
static void cut_fault (void *arg, const struct mm_part *p, struct mm_seen *f)
{
    const struct taking *t = arg;
    const struct taken *all = &t->taken[p - t->parts];

    if (all->stall < all->ns)
        f->start = f->end - (uint64_t)((double)mm_minus (f->end, f->start) *
                                       (double)all->stall / (double)all->ns);
}

static int mmregions_too_long (uint64_t ns, uint64_t pages)
{
    return ns / LONGEST_MS / NS_PER_MS > pages;
}

/* Return the stall of a region. The observed time is exact if nothing was
 * missed and the thread did not run for as long. Else it may have slept longer,
 * but not longer than it was not watched, nor longer than it did not run. The
 * observed time may include waiting for a CPU after the thread was woken. A
 * region without faults and bytes of its own has no other faults to sleep for,
 * and one with few of them none to sleep long: it waited for something else,
 * and the time for faults is unknown. */
static uint64_t
stall_of (const struct join *j, const struct mm_part *p, struct taken *taken)
{
    uint64_t ns = p->wait_us * NS_PER_US, most;

    if (j->t->process[j->index].exact || (p->major == 0 && p->read == 0))
        return taken->ns;
    most = taken->ns + mm_unwatched (j, p->tid, p->start, p->end);
    if (ns > most)
        ns = most;
    if (ns < taken->ns)
        return ns ? ns : taken->ns;
    if (ns <= taken->ns + taken->ns / CLOSE)
        return taken->ns;
    taken->unknown =
        mmregions_too_long (ns - taken->ns, p->major + p->read / CALL_PAGE);
    taken->estimated = !taken->unknown;
    return taken->unknown ? taken->ns : ns;
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
    uint64_t slices = mm_minus (p->end, p->start) / step + 1;

    if (slices > MM_BINS)
        slices = MM_BINS;
    for (uint64_t i = 0; i < slices; i++) {
        uint64_t part = i + 1 < slices ? stall / slices : left;
        struct mm_bin *bin =
            mm_bin_at (j, (uint32_t)j->files,
                       p->start + mm_minus (p->end, p->start) / slices * i);

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
    struct mm_op *op;

    if (!p->major && !p->read && !taken->stall)
        return 0;
    op = op_of (j, p->op);
    if (!op || (taken->stall > taken->ns &&
                spread_stall (j, p, mm_minus (p->major, taken->count),
                              taken->stall - taken->ns) < 0))
        return -1;
    op->regions++;
    op->major += p->major;
    op->bytes += p->read;
    op->system_us += p->system_us;
    op->stall_ns += taken->stall;
    op->estimated |= taken->estimated;
    process->system_us += p->system_us;
    process->estimated |= taken->estimated;
    process->stall_ns += mm_minus (taken->stall, taken->ns);
    return 0;
}

/* How long threads did not run outside of regions while bytes came, since the
 * process had a mapping. *bytes: those. */
static uint64_t waited_outside (const struct join *j, uint64_t *bytes)
{
    const struct mm_use *use = j->log->uses.item, *last;
    uint64_t bytes_before = 0, us_before = 0;

    *bytes = 0;
    if (!j->log->uses.count)
        return 0;
    last = &use[j->log->uses.count - 1];
    for (; use < last && use->t <= j->log->mapped_at; use++) {
        bytes_before = use->outside;
        us_before = use->wait_us;
    }
    *bytes = mm_minus (last->outside, bytes_before);
    return mm_minus (last->wait_us, us_before) * NS_PER_US;
}

static uint64_t last_use (const struct join *j)
{
    const struct mm_use *use = j->log->uses.item;

    return j->log->uses.count ? use[j->log->uses.count - 1].t : 0;
}

/* Stalls outside of regions. The observed time counts if hardly any time was
 * unwatched. Else the bound is the time that threads did not run between their
 * calls, if they were looked at after nearly all bytes had come. It does not
 * count if most bytes were of other files, such as libraries, since a thread
 * that loads these and then waits for a child waits for no mapped file; nor if
 * it is longer than storage would take for these pages one after another, as
 * for a thread that waits for its workers while few pages come. */
static int
join_outside (struct join *j, struct mm_process *p, uint64_t in_regions)
{
    const struct mm_part *part = j->log->parts.item;
    uint64_t read = 0, bytes, mapped, wait = waited_outside (j, &bytes);
    uint64_t seen = mm_minus (p->stall_ns, in_regions);

    if (p->exact || mm_unwatched_all (j) <= p->stall_ns / CLOSE)
        p->stall_known = 1;
    if (p->stall_known)
        return 0;
    for (size_t i = 0; i < j->log->parts.count; i++)
        read += part[i].read;
    mapped = mm_minus (p->fault_bytes, read);
    if (mapped < bytes / 2) {
        p->stall_known = mapped == 0;
        return 0;
    }
    p->stall_known =
        mm_minus (p->fault_bytes, read + bytes) <= p->fault_bytes / CLOSE;
    if (!p->fault_bytes || !bytes || wait <= seen + seen / CLOSE)
        return 0; /* without bytes it waited for something else */
    if (mmregions_too_long (wait - seen, bytes / CALL_PAGE)) {
        p->stall_known = 0;
        p->waited_else = 1;
        return 0;
    }
    p->estimated = 1;
    p->stall_ns += wait - seen;
    return spread_stall (j,
                         &(struct mm_part){.start = j->log->mapped_at
                                                        ? j->log->mapped_at
                                                        : p->start,
                                           .end = last_use (j)},
                         0, wait - seen);
}

/* Set the time that regions slept and limit their faults to it. */
int mm_trust_fault (struct join *j)
{
    const struct mm_part *p;
    struct taking t = {
        .taken = xcalloc (j->log->parts.count + 1, sizeof (struct taken))};

    if (!(j->taken = t.taken))
        return -1;
    mm_sort_watched (j);
    each_fault (j, mmregions_shorten, NULL); /* also sorts the parts */
    p = t.parts = j->log->parts.item;
    each_fault (j, take_fault, &t);
    for (size_t i = 0; i < j->log->parts.count; i++)
        t.taken[i].stall = stall_of (j, &p[i], &t.taken[i]);
    each_fault (j, cut_fault, &t);
    return 0;
}

int mm_regions (struct join *j, struct mm_process *process)
{
    const struct mm_part *p = j->log->parts.item;
    uint64_t stall = 0;
    int unknown = 0;

    for (size_t i = 0; i < j->log->parts.count; i++) {
        if (add_region (j, process, &p[i], &j->taken[i]) < 0)
            return -1;
        stall += j->taken[i].stall;
        unknown |= j->taken[i].unknown;
    }
    if (join_outside (j, process, stall) < 0)
        return -1;
    if (unknown) {
        process->stall_known = 0;
        process->waited_else = 1;
    }
    return join_sizes (j);
}
