/* SPDX-License-Identifier: MIT
 *
 * mmjoin.c - lists of one process -> files, regions, bins of time
 *
 * In:  what a process, its threads and layer kernel recorded of mapped files
 * Out: bytes from storage, divided over files and time; faults by region
 */

/* Design. Layer mmap is joined per process once all its threads are read
 * (mmlog, mmjoin): intervals between sights of its totals share out what
 * storage delivered (mmshare), faults find the innermost region of their
 * thread (mmregions). Partial results carry the lists, not the result.
 * Faults that layer kernel told are in a block of its own for the same
 * process: they replace what was sampled (kernelpart), and their bytes are
 * those of the files (mmkernel). */

#include "config.h"

#include "analyze/facts/mmjoin.h"
#include "analyze/facts/mmwork.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

/* --- bytes of a process from storage -> files, bins of time -----------------
 */

static unsigned bin_of (const struct mm_totals *t, uint64_t ns)
{
    uint64_t bin = mm_minus (ns, t->start) / t->bin_ns;

    return bin < MM_BINS ? (unsigned)bin : MM_BINS - 1;
}

struct mm_bin *mm_bin_at (struct join *j, size_t file, uint64_t ns)
{
    struct mm_bin **bin = &j->file[file].bin;

    if (!*bin)
        NEW (*bin, MM_BINS);
    return &(*bin)[bin_of (j->t, ns)];
}

/* Bytes that came evenly between two times. */
static void spread_bytes (
    struct join *j, size_t file, uint64_t bytes, uint64_t from, uint64_t to)
{
    unsigned first = bin_of (j->t, from), last = bin_of (j->t, to);
    uint64_t left = bytes, time = mm_minus (to, from);

    for (unsigned b = first; b <= last; b++) {
        uint64_t begin = j->t->start + b * j->t->bin_ns;
        uint64_t lo = MAX (from, begin), hi = MIN (to, begin + j->t->bin_ns);
        uint64_t part = left;

        if (b < last && time)
            part = (double)bytes * (double)mm_minus (hi, lo) / (double)time;
        part = MIN (part, left);
        mm_bin_at (j, file, begin)->bytes += part;
        left -= part;
    }
}

/* Give the pending bytes to the files by their weights of one way; the last
 * file gets what rounding leaves. Return 0 if no file has such a weight. */
static int share_out (struct join *j, int way, uint64_t from, uint64_t to)
{
    double sum = 0;
    uint64_t left = j->pending;
    size_t last = 0;

    for (size_t i = 0; i < j->files; i++) {
        sum += j->file[i].weight[way];
        if (j->file[i].weight[way] > 0)
            last = i;
    }
    if (sum <= 0)
        return 0;
    for (size_t i = 0; i <= last; i++) {
        uint64_t part = (double)j->pending * j->file[i].weight[way] / sum;

        if (i == last || part > left)
            part = left;
        left -= part;
        j->file[i].sum.bytes += part;
        if (part)
            spread_bytes (j, i, part, from, to);
    }
    j->pending = 0;
    return 1;
}

/* Weights of what was observed up to a time. */
static void join_until (struct join *j, uint64_t until)
{
    const struct mm_look *look = j->log->looks.item;
    const struct mm_seen *seen = j->log->faults.item;

    for (; j->look < j->log->looks.count && look[j->look].t <= until;
         j->look++) {
        struct join_file *f = &j->file[look[j->look].file];

        f->weight[BY_LOADED] += look[j->look].loaded;
        f->weight[BY_TOUCHED] += look[j->look].touched;
    }
    for (; j->fault < j->log->faults.count && seen[j->fault].end <= until;
         j->fault++)
        if (seen[j->fault].file != MM_NOBODY && !seen[j->fault].minor)
            j->file[seen[j->fault].file].weight[BY_FAULTS]++;
}

/* Bytes by faults in (from, to]; what grew until `until` says where. */
static void settle (
    struct join *j, uint64_t bytes, uint64_t from, uint64_t to, uint64_t until)
{
    int way = 0;

    join_until (j, until);
    if (j->pending == 0)
        j->pending_from = from;
    j->pending += bytes;
    if (j->pending == 0)
        return;
    while (way < MM_WAYS && !share_out (j, way, from, to))
        way++;
    for (size_t i = 0; way < MM_WAYS && i < j->files; i++) {
        double used = j->file[i].weight[way];

        ZERO (&j->file[i].weight);
        j->file[i].weight[AS_BEFORE] = used;
    }
}

/* Nothing has grown since the last bytes came. A look at the pages takes place
 * right after the totals of its time were read: where it is that of the totals
 * before these bytes, their pages came between the two, and it has seen them.
 */
static void settle_rest (struct join *j, uint64_t to)
{
    const struct mm_look *look = j->log->looks.item;

    if (j->pending && j->look && look[j->look - 1].t == j->pending_from)
        share_out (j, AS_BEFORE, j->pending_from, to);
}

/* Bytes that calls had themselves up to a time, less those before. */
static uint64_t missed (struct join *j, uint64_t until)
{
    const struct mm_miss *m = j->log->misses.item;
    uint64_t bytes = 0;

    for (; j->miss < j->log->misses.count && m[j->miss].t <= until; j->miss++) {
        const struct mm_miss *one = &m[j->miss];

        if (one->file == MM_NOBODY) {
            bytes += one->mapped ? 0 : one->bytes;
            continue;
        }
        bytes += one->bytes;
        if (!one->mapped) {
            j->file[one->file].sum.call_bytes += one->bytes;
            continue;
        }
        j->file[one->file].sum.bytes += one->bytes;
        j->p->fault_bytes += one->bytes;
        spread_bytes (j, one->file, one->bytes, one->t, one->t);
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

/* Share out what came from one sight of the totals to the next. */
static void mm_share (struct join *j, struct mm_process *p)
{
    const struct mm_use *use = j->log->uses.item;
    uint64_t begin = 0, major = 0, mapped = first_map (j->log);
    size_t n = j->log->uses.count;

    for (size_t i = 0; i < n; begin = use[i++].t) {
        uint64_t filled = p->fault_bytes, by_calls = missed (j, use[i].t);
        uint64_t by_faults =
            mm_minus (mm_minus (use[i].read, p->bytes), by_calls);

        p->call_bytes += by_calls - (p->fault_bytes - filled);
        if (begin < mapped)
            p->other_bytes += by_faults;
        else {
            p->fault_bytes += by_faults;
            settle (j, by_faults, begin, use[i].t,
                    i + 1 < n ? use[i + 1].t - 1 : UINT64_MAX);
            p->major += mm_minus (use[i].major, major);
        }
        p->bytes = MAX (p->bytes, use[i].read);
        major = use[i].major;
    }
    settle_rest (j, begin);
    p->other_bytes += j->pending;
    p->fault_bytes = mm_minus (p->fault_bytes, j->pending);
    p->call_bytes += missed (j, UINT64_MAX);
}

/* Bytes by file as the kernel told them with each fault: they replace what was
 * divided by samples. */
static void mm_kernel_share (struct join *j, struct mm_process *p)
{
    const struct mm_seen *f = j->log->faults.item;
    uint64_t others = 0;

    for (size_t i = 0; i <= j->files; i++) {
        j->file[i].sum.bytes = 0;
        for (unsigned b = 0; j->file[i].bin && b < MM_BINS; b++)
            j->file[i].bin[b].bytes = 0;
    }
    p->fault_bytes = p->major = 0;
    for (size_t i = 0; i < j->log->faults.count; i++) {
        if (f[i].file == MM_NOBODY) {
            others += f[i].bytes;
            continue;
        }
        p->major += !f[i].minor;
        p->fault_bytes += f[i].bytes;
        j->file[f[i].file].sum.bytes += f[i].bytes;
        j->file[f[i].file].sum.processes = 1;
        mm_bin_at (j, f[i].file, f[i].end)->bytes += f[i].bytes;
    }
    p->bytes = MAX (p->bytes, p->call_bytes + p->fault_bytes + others);
    p->other_bytes = p->bytes - p->call_bytes - p->fault_bytes;
    p->exact = j->log->lost.faults == 0;
    p->estimated |= !p->exact;
}

/* --- all of it --------------------------------------------------------------
 */

enum {
    BIN_NS_MIN = 10000000,
    CLOSE = 20 /* of bytes: so few are nothing */
};

static int use_order (const void *a, const void *b)
{
    const struct mm_use *x = a, *y = b;

    return ORDER (x->t, y->t) ?: ORDER (x->read, y->read);
}

static int seen_order (const void *a, const void *b)
{
    const struct mm_seen *x = a, *y = b;

    return ORDER (x->end, y->end);
}

/* By the time that an item begins with. */
static int time_order (const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return ORDER (*x, *y);
}

void mm_sort (struct mmlist *l,
              size_t n,
              int (*order) (const void *, const void *))
{
    if (l->count > 1)
        qsort (l->item, l->count, n, order);
}

size_t mm_at (struct strmap **map, const char *key, size_t length, size_t size)
{
    int isnew;
    size_t at;

    if (!*map)
        *map = strmap_create ();
    at = strmap_intern (*map, key, length, &isnew);
    if (isnew)
        strmap_set (*map, at, xcalloc (1, size));
    return at;
}

/* --- files ------------------------------------------------------------------
 */

static void look_at_files (struct join *j, struct mm_process *p)
{
    const struct mm_look *k = j->log->looks.item;

    for (size_t i = 0; i < j->log->looks.count; i++, k++) {
        struct mm_file *f = &j->file[k->file].sum;

        f->mapped = MAX (f->mapped, k->mapped);
        if (!f->processes && k->cached_known && k->touched == 0) {
            f->first_mapped = k->mapped;
            f->first_cached = mm_minus (k->cached, k->loaded);
        }
        f->processes = 1;
        f->touched += k->touched;
        p->touched += k->touched;
    }
}

/* Pages that lie in no block of storage, holes of sparse files and the fresh
 * pages of the trace itself, are major faults for the kernel. Where faults
 * brought not a byte, there were no others. Minor ones that slept waited for
 * what another thread or process had asked storage for. */
static void forget_holes (struct join *j, struct mm_process *p)
{
    struct mm_part *part = j->log->parts.item;
    struct mm_seen *f = j->log->faults.item;
    size_t n = 0;

    for (size_t i = 0; i < j->log->parts.count; i++)
        if (part[i].read == 0)
            part[i].major = 0;
    if (p->fault_bytes)
        return;
    p->major = 0;
    for (size_t i = 0; i < j->log->faults.count; i++)
        if (f[i].minor)
            f[n++] = f[i];
    j->log->faults.count = n;
}

static void see_faults (struct join *j, struct mm_process *p)
{
    const struct mm_seen *f = j->log->faults.item;

    for (size_t i = 0; i < j->log->faults.count; i++) {
        uint64_t ns = mm_minus (f[i].end, f[i].start);
        struct mm_bin *bin;

        p->seen += !f[i].minor;
        p->stall_ns += ns;
        p->seen_ns += ns;
        if (f[i].file == MM_NOBODY)
            continue;
        j->file[f[i].file].sum.faults += !f[i].minor;
        j->file[f[i].file].sum.stall_ns += ns;
        bin = mm_bin_at (j, f[i].file, f[i].end);
        bin->faults += !f[i].minor;
        bin->stall_ns += ns;
    }
}

/* --- into the job -----------------------------------------------------------
 */

/* Add bins of a process to those of the file in the job; NULL: there are none.
 */
static void keep_bins (struct join *j, const struct mm_bin *bin, size_t file)
{
    for (unsigned b = 0; bin && b < MM_BINS; b++, bin++)
        if (bin->bytes || bin->faults || bin->stall_ns) {
            struct mm_bin *to = mmlist_add (&j->t->bins, sizeof (*to));

            *to = *bin;
            to->process = j->index;
            to->file = file;
            to->bin = b;
        }
}

static void mmjoin_add_file (struct join *j, size_t i)
{
    struct mm_totals *t = j->t;
    size_t length;
    const char *key = strmap_key (j->log->files, i, &length);
    const struct mm_file *from = &j->file[i].sum;
    size_t at = mm_at (&t->files, key, length, sizeof (struct mm_file));
    struct mm_file *to = strmap_value (t->files, at);

#define MM_ADD(NAME) to->NAME += from->NAME;
    MM_FILE_SUMS (MM_ADD)
#undef MM_ADD
    t->first_mapped += from->first_mapped;
    t->first_cached += from->first_cached;
    keep_bins (j, j->file[i].bin, at);
}

static void add_sums (struct mm_process *s, const struct mm_process *p)
{
#define MM_ADD(NAME) s->NAME += p->NAME;
    MM_PROCESS_SUMS (MM_ADD)
#undef MM_ADD
    if (!p->stall_known)
        s->unknown_bytes += p->fault_bytes;
    s->waited_else |= !p->stall_known && p->waited_else;
    s->stall_known = s->unknown_bytes <= s->fault_bytes / CLOSE;
    s->estimated |= p->estimated;
    s->sources |= p->sources;
    if (p->perf_errno)
        s->perf_errno = p->perf_errno;
    mm_losses_add (&s->lost, &p->lost);
}

static void add_active (struct mm_totals *t, const struct join *j)
{
    for (unsigned b = 0; b < MM_BINS; b++)
        for (size_t i = 0; i < j->files; i++)
            if (j->file[i].bin && j->file[i].bin[b].bytes) {
                t->active_ns += t->bin_ns;
                break;
            }
}

void mmjoin_process (struct mm_totals *t, size_t index, struct mm_log *log)
{
    struct mm_process *p = &t->process[index];
    struct join j = {.t = t, .log = log, .p = p, .index = index};

    j.files = log->files ? strmap_count (log->files) : 0;
    NEW (j.file, j.files + 1);
    p->sources = log->sources;
    p->perf_errno = log->perf_errno;
    p->lost = log->lost;
    mm_sort (&log->uses, sizeof (struct mm_use), use_order);
    mm_sort (&log->looks, sizeof (struct mm_look), time_order);
    mm_sort (&log->faults, sizeof (struct mm_seen), seen_order);
    mm_sort (&log->misses, sizeof (struct mm_miss), time_order);
    look_at_files (&j, p);
    mm_share (&j, p);
    if (log->sources & MM_KERNEL)
        mm_kernel_share (&j, p);
    mm_note_caches (&j, p);
    forget_holes (&j, p);
    mm_trust_fault (&j);
    see_faults (&j, p);
    mm_regions (&j, p);
    for (size_t i = 0; i < j.files; i++)
        mmjoin_add_file (&j, i);
    keep_bins (&j, j.file[j.files].bin, MM_NO_FILE);
    add_active (t, &j);
    add_sums (&t->sum, p);
    t->measured++;
    for (size_t i = 0; i <= j.files; i++)
        free (j.file[i].bin);
    free (j.file);
    free (j.taken);
}

void mmjoin_begin (struct mm_totals *t,
                   size_t processes,
                   uint64_t start,
                   uint64_t end)
{
    NEW (t->process, processes + 1);
    t->processes = processes;
    t->start = start;
    t->bin_ns = MAX (mm_minus (end, start) / MM_BINS + 1, BIN_NS_MIN);
}

static void clear_map (struct strmap *m)
{
    for (size_t i = 0; m && i < strmap_count (m); i++)
        free (strmap_value (m, i));
    strmap_destroy (m);
}

void mmjoin_clear (struct mm_totals *t)
{
    int saved = errno;

    clear_map (t->files);
    clear_map (t->ops);
    clear_map (t->caches);
    free (t->process);
    free (t->bins.item);
    ZERO (t);
    errno = saved;
}
