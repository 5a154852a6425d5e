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

/* --- when a thread's faults were watched -> how long they were not ----------
 */

static int watch_order (const void *a, const void *b)
{
    const struct mm_watch *x = a, *y = b;

    return ORDER (x->tid, y->tid) ?: ORDER (x->start, y->start);
}

/* Times of a thread do not overlap; what does is cut. */
static void sort_watched (struct join *j)
{
    struct mm_watch *w = j->log->watched.item;

    mm_sort (&j->log->watched, sizeof (*w), watch_order);
    for (size_t i = 1; i < j->log->watched.count; i++)
        if (w[i].tid == w[i - 1].tid && w[i].start < w[i - 1].end) {
            w[i].start = w[i - 1].end;
            w[i].end = MAX (w[i].end, w[i].start);
        }
}

/* Return the ns of a thread in [start, end) in which a fault may have slept
 * that is not in the trace, since it was not watched wholly. */
static uint64_t
unwatched (const struct join *j, uint32_t tid, uint64_t start, uint64_t end)
{
    const struct mm_watch *w = j->log->watched.item;
    uint64_t left = mm_minus (end, start);
    size_t first =
        FIRST_NOT (j->log->watched.count, i,
                   w[i].tid < tid || (w[i].tid == tid && w[i].end <= start));

    for (size_t i = first;
         i < j->log->watched.count && w[i].tid == tid && w[i].start < end;
         i++) {
        uint64_t from = MAX (w[i].start, start);
        uint64_t to = MIN (w[i].end, end);

        left = mm_minus (left, mm_minus (to, from));
    }
    return left;
}

/* Return that time summed over all threads that were watched at all, from the
 * first mapping of the process on; UINT64_MAX: there was none. */
static uint64_t unwatched_all (const struct join *j)
{
    const struct mm_watch *w = j->log->watched.item;
    size_t n = j->log->watched.count;
    uint64_t first = UINT64_MAX, gaps = 0, begin = j->log->mapped_at;

    if (!begin) /* a child of fork */
        begin = j->p->start;
    for (size_t i = 0; i < n; i++) {
        first = MIN (w[i].start, first);
        if (i && w[i].tid == w[i - 1].tid)
            gaps += mm_minus (w[i].start, w[i - 1].end);
    }
    return n ? gaps + mm_minus (first, begin) : UINT64_MAX;
}

/* --- regions ----------------------------------------------------------------
 */

/* By thread, then by end; what ends together, the inner one first. */
static int part_order (const void *a, const void *b)
{
    const struct mm_part *x = a, *y = b;

    return ORDER (x->tid, y->tid)
               ?: ORDER (x->end, y->end)
               ?: ORDER (y->start, x->start);
}

static struct mm_op *op_of (struct join *j, uint32_t op)
{
    size_t length;
    const char *key = strmap_key (j->log->ops, op, &length);
    size_t at = mm_at (&j->t->ops, key, length, sizeof (struct mm_op));

    return strmap_value (j->t->ops, at);
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

    return ORDER (x->tid, y->tid) ?: ORDER (x->end, y->end);
}

/* The innermost region of a fault is the first to end after it, of those
 * that began before it; p: the first of its thread to end after it. */
static const struct mm_part *part_of (const struct mm_part *p,
                                      const struct mm_part *end,
                                      const struct mm_seen *f)
{
    for (; p < end && p->tid == f->tid; p++)
        if (p->start <= f->end)
            return p;
    return NULL;
}

/* Call with each fault that lies in a region, that region, and what is taken of
 * its faults. */
typedef void
visit_fault (struct taken *all, const struct mm_part *p, struct mm_seen *f);

static void each_fault (struct join *j, visit_fault *visit)
{
    const struct mm_part *low, *p, *first = j->log->parts.item;
    const struct mm_part *end = first ? first + j->log->parts.count : NULL;
    struct mm_seen *f = j->log->faults.item;

    mm_sort (&j->log->parts, sizeof (*low), part_order);
    mm_sort (&j->log->faults, sizeof (*f), thread_seen_order);
    low = first;
    for (size_t i = 0; i < j->log->faults.count; i++) {
        while (low < end && (low->tid < f[i].tid ||
                             (low->tid == f[i].tid && low->end < f[i].end)))
            low++;
        if ((p = part_of (low, end, &f[i])))
            visit (&j->taken[p - first], p, &f[i]);
    }
}

static void
shorten_fault (struct taken *all, const struct mm_part *p, struct mm_seen *f)
{
    f->start = MAX (f->start, p->start);
}

static void
take_fault (struct taken *all, const struct mm_part *p, struct mm_seen *f)
{
    all->count += !f->minor;
    all->ns += mm_minus (f->end, f->start);
}

/* The faults of a region slept no longer than the region. */
static void
cut_fault (struct taken *all, const struct mm_part *p, struct mm_seen *f)
{
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

    if (j->p->exact || (p->major == 0 && p->read == 0))
        return taken->ns;
    most = taken->ns + unwatched (j, p->tid, p->start, p->end);
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

/* Faults of a region that were not seen: when it waited, for whatever file. */
static void spread_stall (struct join *j,
                          const struct mm_part *p,
                          uint64_t faults,
                          uint64_t stall)
{
    uint64_t time = mm_minus (p->end, p->start), left = stall;
    uint64_t slices = MIN (time / j->t->bin_ns + 1, MM_BINS);

    for (uint64_t i = 0; i < slices; i++) {
        uint64_t part = i + 1 < slices ? stall / slices : left;
        struct mm_bin *bin =
            mm_bin_at (j, j->files, p->start + time / slices * i);

        bin->stall_ns += part;
        bin->faults += i == 0 ? faults : 0;
        left -= part;
    }
}

static void add_region (struct join *j,
                        struct mm_process *process,
                        const struct mm_part *p,
                        const struct taken *taken)
{
    struct mm_op *op;

    if (!p->major && !p->read && !taken->stall)
        return;
    op = op_of (j, p->op);
    if (taken->stall > taken->ns)
        spread_stall (j, p, mm_minus (p->major, taken->count),
                      taken->stall - taken->ns);
    op->regions++;
    op->major += p->major;
    op->bytes += p->read;
    op->system_us += p->system_us;
    op->stall_ns += taken->stall;
    op->estimated |= taken->estimated;
    process->system_us += p->system_us;
    process->estimated |= taken->estimated;
    process->stall_ns += mm_minus (taken->stall, taken->ns);
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

/* Stalls outside of regions. The observed time counts if hardly any time was
 * unwatched. Else the bound is the time that threads did not run between their
 * calls, if they were looked at after nearly all bytes had come. It does not
 * count if most bytes were of other files, such as libraries, since a thread
 * that loads these and then waits for a child waits for no mapped file; nor if
 * it is longer than storage would take for these pages one after another, as
 * for a thread that waits for its workers while few pages come. */
static void
join_outside (struct join *j, struct mm_process *p, uint64_t in_regions)
{
    const struct mm_part *part = j->log->parts.item;
    const struct mm_use *use = j->log->uses.item;
    uint64_t read = 0, bytes, mapped, wait = waited_outside (j, &bytes);
    uint64_t seen = mm_minus (p->stall_ns, in_regions);
    struct mm_part outside = {.start = j->log->mapped_at ? j->log->mapped_at
                                                         : p->start};

    if (p->exact || unwatched_all (j) <= p->stall_ns / CLOSE)
        p->stall_known = 1;
    if (p->stall_known)
        return;
    for (size_t i = 0; i < j->log->parts.count; i++)
        read += part[i].read;
    mapped = mm_minus (p->fault_bytes, read);
    if (mapped < bytes / 2) {
        p->stall_known = mapped == 0;
        return;
    }
    p->stall_known =
        mm_minus (p->fault_bytes, read + bytes) <= p->fault_bytes / CLOSE;
    if (!p->fault_bytes || !bytes || wait <= seen + seen / CLOSE)
        return; /* without bytes it waited for something else */
    if (mmregions_too_long (wait - seen, bytes / CALL_PAGE)) {
        p->stall_known = 0;
        p->waited_else = 1;
        return;
    }
    p->estimated = 1;
    p->stall_ns += wait - seen;
    outside.end = use[j->log->uses.count - 1].t; /* it has bytes */
    spread_stall (j, &outside, 0, wait - seen);
}

void mm_trust_fault (struct join *j)
{
    const struct mm_part *p;

    NEW (j->taken, j->log->parts.count + 1);
    sort_watched (j);
    each_fault (j, shorten_fault); /* also sorts the parts */
    each_fault (j, take_fault);
    p = j->log->parts.item;
    for (size_t i = 0; i < j->log->parts.count; i++)
        j->taken[i].stall = stall_of (j, &p[i], &j->taken[i]);
    each_fault (j, cut_fault);
}

void mm_regions (struct join *j, struct mm_process *process)
{
    const struct mm_part *p = j->log->parts.item;
    const uint64_t *size = j->log->sizes.item;
    uint64_t stall = 0;
    int unknown = 0;

    for (size_t i = 0; i < j->log->parts.count; i++) {
        add_region (j, process, &p[i], &j->taken[i]);
        stall += j->taken[i].stall;
        unknown |= j->taken[i].unknown;
    }
    join_outside (j, process, stall);
    if (unknown) {
        process->stall_known = 0;
        process->waited_else = 1;
    }
    for (size_t i = 0; i < j->log->sizes.count; i++)
        if (size[i])
            op_of (j, (uint32_t)i)->used += size[i];
}
