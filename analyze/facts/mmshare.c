/* SPDX-License-Identifier: MIT
 *
 * mmshare.c - bytes of a process from storage -> files, bins of time
 *
 * Totals are known at some times, what grew in a file at others, somewhat
 * later: an interval's bytes are shared out by what was observed until the
 * totals were known again.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/facts/mmwork.h"

/* --- bins ------------------------------------------------------------------
 */

static unsigned bin_of (const struct mm_totals *t, uint64_t ns)
{
    uint64_t bin = mm_minus (ns, t->start) / t->bin_ns;

    return bin < MM_BINS ? (unsigned)bin : MM_BINS - 1;
}

struct mm_bin *mm_bin_at (struct join *j, uint32_t file, uint64_t ns)
{
    if (!j->bin[file] && !(j->bin[file] = calloc (MM_BINS, sizeof (**j->bin))))
        return NULL;
    return &j->bin[file][bin_of (j->t, ns)];
}

/* Bytes that came evenly between two times. */
static int mmshare_spread (
    struct join *j, uint32_t file, uint64_t bytes, uint64_t from, uint64_t to)
{
    unsigned first = bin_of (j->t, from), last = bin_of (j->t, to);
    uint64_t left = bytes, time = mm_minus (to, from);

    for (unsigned b = first; b <= last; b++) {
        uint64_t begin = j->t->start + b * j->t->bin_ns;
        uint64_t end = begin + j->t->bin_ns;
        uint64_t lo = from > begin ? from : begin, hi = to < end ? to : end;
        uint64_t part = left;
        struct mm_bin *bin = mm_bin_at (j, file, begin);

        if (!bin)
            return -1;
        if (b < last && time)
            part = (uint64_t)((double)bytes * (double)mm_minus (hi, lo) /
                              (double)time);
        if (part > left)
            part = left;
        bin->bytes += part;
        left -= part;
    }
    return 0;
}

/* --- bytes of an interval ---------------------------------------------------
 */

static double total (const struct join *j, int way)
{
    double sum = 0;

    for (size_t i = 0; i < j->files; i++)
        sum += j->weight[way][i];
    return sum;
}

/* Give bytes to the files by the weights of one way; the last one gets what
 * rounding leaves. */
static int
share_out (struct join *j, int way, uint64_t bytes, uint64_t from, uint64_t to)
{
    double sum = total (j, way);
    uint64_t left = bytes;
    size_t last = 0;

    for (size_t i = 0; i < j->files; i++)
        if (j->weight[way][i] > 0)
            last = i;
    for (size_t i = 0; i <= last; i++) {
        uint64_t part = (uint64_t)((double)bytes * j->weight[way][i] / sum);

        if (i == last || part > left)
            part = left;
        left -= part;
        j->file[i].bytes += part;
        if (part && mmshare_spread (j, (uint32_t)i, part, from, to) < 0)
            return -1;
    }
    return 0;
}

static void forget_weights (struct join *j)
{
    for (int way = 0; way < MM_WAYS; way++)
        memset (j->weight[way], 0, j->files * sizeof (double));
}

/* Weights of what was observed up to a time. */
static void weigh (struct join *j, uint64_t until)
{
    const struct mm_look *look = j->log->looks.item;
    const struct mm_seen *seen = j->log->faults.item;

    for (; j->look < j->log->looks.count && look[j->look].t <= until;
         j->look++) {
        const struct mm_look *k = &look[j->look];

        j->weight[BY_LOADED][k->file] += (double)k->loaded;
        j->weight[BY_TOUCHED][k->file] += (double)k->touched;
    }
    for (; j->fault < j->log->faults.count && seen[j->fault].end <= until;
         j->fault++)
        if (seen[j->fault].file != MM_NOBODY && !seen[j->fault].minor)
            j->weight[BY_FAULTS][seen[j->fault].file] += 1;
}

/* Bytes by faults in (from, to]; what grew until `until` says where. */
static int mmshare_settle (
    struct join *j, uint64_t bytes, uint64_t from, uint64_t to, uint64_t until)
{
    weigh (j, until);
    if (j->pending == 0)
        j->pending_from = from;
    j->pending += bytes;
    if (j->pending == 0)
        return 0;
    for (int way = 0; way < MM_WAYS; way++)
        if (total (j, way) > 0) {
            int rc = share_out (j, way, j->pending, from, to);

            memcpy (j->settled, j->weight[way], j->files * sizeof (double));
            j->pending = 0;
            forget_weights (j);
            return rc;
        }
    return 0;
}

/* Nothing has grown since the last bytes came. A look at the pages takes place
 * right after the totals of its time were read: where it is that of the totals
 * before these bytes, their pages came between the two, and it has seen them.
 */
static int settle_rest (struct join *j, uint64_t to)
{
    const struct mm_look *look = j->log->looks.item;
    int rc;

    if (j->pending == 0 || j->look == 0 ||
        look[j->look - 1].t != j->pending_from)
        return 0;
    forget_weights (j);
    memcpy (j->weight[0], j->settled, j->files * sizeof (double));
    if (total (j, 0) == 0)
        return 0;
    rc = share_out (j, 0, j->pending, j->pending_from, to);
    j->pending = 0;
    return rc;
}

/* Bytes that calls had themselves up to a time, less those before. */
static uint64_t missed (struct join *j, size_t *next, uint64_t until, int *rc)
{
    const struct mm_miss *m = j->log->misses.item;
    uint64_t bytes = 0;

    for (; *next < j->log->misses.count && m[*next].t <= until; ++*next) {
        uint32_t file = m[*next].file;

        if (!m[*next].mapped) {
            bytes += m[*next].bytes;
            if (file != MM_NOBODY)
                j->file[file].call_bytes += m[*next].bytes;
        } else if (file != MM_NOBODY) {
            j->file[file].bytes += m[*next].bytes;
            bytes += m[*next].bytes;
            j->t->process[j->index].fault_bytes += m[*next].bytes;
            if (mmshare_spread (j, file, m[*next].bytes, m[*next].t,
                                m[*next].t) < 0)
                *rc = -1;
        }
    }
    return bytes;
}

/* When faults on mappings begin to count: with the first mmap; a child of
 * fork may have come with mappings. */
static uint64_t first_map (const struct mm_log *log)
{
    if (log->mapped_at)
        return log->mapped_at;
    return log->looks.count ? 0 : UINT64_MAX;
}

/* One interval, from one sight of the totals to the next. */
static int share_interval (struct join *j,
                           struct mm_process *p,
                           size_t i,
                           uint64_t begin,
                           uint64_t read,
                           size_t *next)
{
    const struct mm_use *use = j->log->uses.item;
    uint64_t until = i + 1 < j->log->uses.count ? use[i + 1].t - 1 : UINT64_MAX;
    uint64_t filled = p->fault_bytes, by_calls, by_faults;
    int rc = 0;

    by_calls = missed (j, next, use[i].t, &rc);
    p->call_bytes += by_calls - (p->fault_bytes - filled);
    by_faults = mm_minus (read, by_calls);
    if (rc < 0)
        return -1;
    if (begin < first_map (j->log)) {
        p->other_bytes += by_faults;
        return 0;
    }
    p->fault_bytes += by_faults;
    return mmshare_settle (j, by_faults, begin, use[i].t, until);
}

int mm_share (struct join *j, struct mm_process *p)
{
    const struct mm_use *use = j->log->uses.item;
    uint64_t read = 0, begin = 0, major = 0;
    size_t next = 0;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < j->log->uses.count; i++) {
        rc = share_interval (j, p, i, begin, mm_minus (use[i].read, read),
                             &next);
        if (begin >= first_map (j->log))
            p->major += mm_minus (use[i].major, major);
        if (use[i].read > read)
            read = use[i].read;
        major = use[i].major;
        begin = use[i].t;
    }
    if (rc == 0)
        rc = settle_rest (j, begin);
    p->bytes = read;
    p->other_bytes += j->pending;
    p->fault_bytes = mm_minus (p->fault_bytes, j->pending);
    if (rc == 0)
        p->call_bytes += missed (j, &next, UINT64_MAX, &rc);
    return rc;
}
