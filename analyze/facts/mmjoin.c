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

/* --- bins ------------------------------------------------------------------
 */

static unsigned bin_of (const struct mm_totals *t, uint64_t ns)
{
    uint64_t bin = mm_minus (ns, t->start) / t->bin_ns;

    return bin < MM_BINS ? (unsigned)bin : MM_BINS - 1;
}

struct mm_bin *mm_bin_at (struct join *j, uint32_t file, uint64_t ns)
{
    if (!j->bin[file])
        j->bin[file] = xcalloc (MM_BINS, sizeof (**j->bin));
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
        uint64_t lo = MAX (from, begin), hi = MIN (to, end);
        uint64_t part = left;
        struct mm_bin *bin = mm_bin_at (j, file, begin);

        if (!bin)
            return -1;
        if (b < last && time)
            part = (double)bytes * (double)mm_minus (hi, lo) / (double)time;
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
        uint64_t part = (double)bytes * j->weight[way][i] / sum;

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
static void join_until (struct join *j, uint64_t until)
{
    const struct mm_look *look = j->log->looks.item;
    const struct mm_seen *seen = j->log->faults.item;

    for (; j->look < j->log->looks.count && look[j->look].t <= until;
         j->look++) {
        const struct mm_look *k = &look[j->look];

        j->weight[BY_LOADED][k->file] += k->loaded;
        j->weight[BY_TOUCHED][k->file] += k->touched;
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
    join_until (j, until);
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

static int mm_share (struct join *j, struct mm_process *p)
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

/* --- a process whose page faults the kernel told -> bytes by file -----------
 */

/* Drop the bytes that were divided by samples. */
static void mmkernel_forget (struct join *j)
{
    for (size_t i = 0; i <= j->files; i++) {
        if (i < j->files)
            j->file[i].bytes = 0;
        for (unsigned b = 0; j->bin[i] && b < MM_BINS; b++)
            j->bin[i][b].bytes = 0;
    }
}

static int mm_kernel_share (struct join *j, struct mm_process *p)
{
    const struct mm_seen *f = j->log->faults.item;
    uint64_t others = 0;

    mmkernel_forget (j);
    p->fault_bytes = p->major = 0;
    for (size_t i = 0; i < j->log->faults.count; i++) {
        struct mm_bin *bin;

        if (f[i].file == MM_NOBODY) {
            others += f[i].bytes;
            continue;
        }
        p->major += !f[i].minor;
        p->fault_bytes += f[i].bytes;
        j->file[f[i].file].bytes += f[i].bytes;
        j->file[f[i].file].processes = 1;
        if (!(bin = mm_bin_at (j, f[i].file, f[i].end)))
            return -1;
        bin->bytes += f[i].bytes;
    }
    if (p->bytes < p->call_bytes + p->fault_bytes + others)
        p->bytes = p->call_bytes + p->fault_bytes + others;
    p->other_bytes = p->bytes - p->call_bytes - p->fault_bytes;
    p->exact = j->log->lost.faults == 0;
    p->estimated |= !p->exact;
    return 0;
}

/* All that is mapped was told by the kernel; a process of which it told nothing
 * had no fault on a file that it mapped, so its few bytes are others'. */
int mm_kernel_told (struct mm_totals *t)
{
    uint64_t bytes = 0;

    if (!(t->sum.sources & MM_KERNEL))
        return 0;
    for (size_t i = 0; i < t->processes; i++)
        if (!t->process[i].exact)
            bytes += t->process[i].fault_bytes;
    return bytes <= t->sum.fault_bytes / MM_FEW;
}

/* --- when a thread's faults were watched -> how long they were not ----------
 */

static int watch_order (const void *a, const void *b)
{
    const struct mm_watch *x = a, *y = b;
    return mm_compare (x->tid, y->tid) ?: mm_compare (x->start, y->start);
}

/* Times of a thread do not overlap; what does is cut. */
void mm_sort_watched (struct join *j)
{
    struct mm_watch *w = j->log->watched.item;

    mm_sort (&j->log->watched, sizeof (*w), watch_order);
    for (size_t i = 1; i < j->log->watched.count; i++)
        if (w[i].tid == w[i - 1].tid && w[i].start < w[i - 1].end) {
            w[i].start = w[i - 1].end;
            if (w[i].end < w[i].start)
                w[i].end = w[i].start;
        }
}

/* The first one of a thread that ends after a time, or one behind it. */
static size_t first_after (const struct join *j, uint32_t tid, uint64_t ns)
{
    const struct mm_watch *w = j->log->watched.item;
    size_t low = 0, high = j->log->watched.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (w[middle].tid < tid ||
            (w[middle].tid == tid && w[middle].end <= ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t
mm_unwatched (const struct join *j, uint32_t tid, uint64_t start, uint64_t end)
{
    const struct mm_watch *w = j->log->watched.item;
    uint64_t left = mm_minus (end, start);

    for (size_t i = first_after (j, tid, start);
         i < j->log->watched.count && w[i].tid == tid && w[i].start < end;
         i++) {
        uint64_t from = MAX (w[i].start, start);
        uint64_t to = MIN (w[i].end, end);

        left = mm_minus (left, mm_minus (to, from));
    }
    return left;
}

uint64_t mm_unwatched_all (const struct join *j)
{
    const struct mm_watch *w = j->log->watched.item;
    size_t n = j->log->watched.count;
    uint64_t first = UINT64_MAX, gaps = 0, begin = j->log->mapped_at;

    if (!begin) /* a child of fork */
        begin = j->t->process[j->index].start;
    for (size_t i = 0; i < n; i++) {
        first = MIN (w[i].start, first);
        if (i && w[i].tid == w[i - 1].tid)
            gaps += mm_minus (w[i].start, w[i - 1].end);
    }
    return n ? gaps + mm_minus (first, begin) : UINT64_MAX;
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
    return mm_compare (x->t, y->t) ?: mm_compare (x->read, y->read);
}

static int look_order (const void *a, const void *b)
{
    return mm_compare (((const struct mm_look *)a)->t,
                       ((const struct mm_look *)b)->t);
}

static int seen_order (const void *a, const void *b)
{
    return mm_compare (((const struct mm_seen *)a)->end,
                       ((const struct mm_seen *)b)->end);
}

static int miss_order (const void *a, const void *b)
{
    return mm_compare (((const struct mm_miss *)a)->t,
                       ((const struct mm_miss *)b)->t);
}

void mm_sort (struct mmlist *l,
              size_t n,
              int (*order) (const void *, const void *))
{
    if (l->count > 1)
        qsort (l->item, l->count, n, order);
}

void *
mm_value (struct strmap **map, const char *key, size_t length, size_t size)
{
    int isnew;
    int64_t at;
    void *value;

    if (!*map)
        *map = strmap_create ();
    at = strmap_intern (*map, key, length, &isnew);
    if ((value = strmap_value (*map, at)))
        return value;
    value = xcalloc (1, size);
    strmap_set (*map, at, value);
    return value;
}

/* --- files ------------------------------------------------------------------
 */

static void look_at_files (struct join *j, struct mm_process *p)
{
    const struct mm_look *k = j->log->looks.item;

    for (size_t i = 0; i < j->log->looks.count; i++) {
        struct mm_file *f = &j->file[k[i].file];

        if (k[i].mapped > f->mapped)
            f->mapped = k[i].mapped;
        if (!f->processes && k[i].cached_known && k[i].touched == 0) {
            f->first_mapped = k[i].mapped;
            f->first_cached = mm_minus (k[i].cached, k[i].loaded);
        }
        f->processes = 1;
        f->touched += k[i].touched;
        p->touched += k[i].touched;
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

static int see_faults (struct join *j, struct mm_process *p)
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
        j->file[f[i].file].faults += !f[i].minor;
        j->file[f[i].file].stall_ns += ns;
        if (!(bin = mm_bin_at (j, f[i].file, f[i].end)))
            return -1;
        bin->faults += !f[i].minor;
        bin->stall_ns += ns;
    }
    return 0;
}

/* --- into the job -----------------------------------------------------------
 */

/* Add the i-th list of bins, which is of this file. */
static int keep_bins (struct join *j, size_t i, size_t file)
{
    for (unsigned b = 0; j->bin[i] && b < MM_BINS; b++) {
        struct mm_bin *bin = &j->bin[i][b], *to;

        if (!bin->bytes && !bin->faults && !bin->stall_ns)
            continue;
        if (!(to = mmlist_add (&j->t->bins, sizeof (*to))))
            return -1;
        *to = *bin;
        to->process = j->index;
        to->file = file;
        to->bin = b;
    }
    return 0;
}

static int is_active (const struct join *j, unsigned bin)
{
    for (size_t i = 0; i < j->files; i++)
        if (j->bin[i] && j->bin[i][bin].bytes)
            return 1;
    return 0;
}

static int mmjoin_add_file (struct join *j, size_t i)
{
    size_t length;
    const char *key = strmap_key (j->log->files, i, &length);
    const struct mm_file *from = &j->file[i];
    struct mm_file *to = mm_value (&j->t->files, key, length, sizeof (*to));
    int64_t at = to ? strmap_find (j->t->files, key, length) : -1;

    if (!to)
        return -1;
    to->mapped += from->mapped;
    to->touched += from->touched;
    to->bytes += from->bytes;
    to->faults += from->faults;
    to->stall_ns += from->stall_ns;
    to->first_mapped += from->first_mapped;
    to->first_cached += from->first_cached;
    to->call_bytes += from->call_bytes;
    to->processes += from->processes;
    j->t->first_mapped += from->first_mapped;
    j->t->first_cached += from->first_cached;
    return keep_bins (j, i, at);
}

static void add_sums (struct mm_process *s, const struct mm_process *p)
{
    s->bytes += p->bytes;
    s->call_bytes += p->call_bytes;
    s->fault_bytes += p->fault_bytes;
    s->other_bytes += p->other_bytes;
    s->major += p->major;
    s->seen += p->seen;
    s->touched += p->touched;
    s->stall_ns += p->stall_ns;
    s->system_us += p->system_us;
    s->seen_ns += p->seen_ns;
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

static void free_join (struct join *j)
{
    for (size_t i = 0; j->bin && i <= j->files; i++)
        free (j->bin[i]);
    free (j->bin);
    free (j->file);
    free (j->cache);
    free (j->taken);
    for (int way = 0; way < MM_WAYS; way++)
        free (j->weight[way]);
    free (j->settled);
}

static int start_join (struct join *j)
{
    size_t n = j->files + 1;

    NEW (j->file, n);
    NEW (j->cache, n);
    NEW (j->bin, n);
    NEW (j->settled, n);
    for (int way = 0; way < MM_WAYS; way++)
        NEW (j->weight[way], n);
    mm_sort (&j->log->uses, sizeof (struct mm_use), use_order);
    mm_sort (&j->log->looks, sizeof (struct mm_look), look_order);
    mm_sort (&j->log->faults, sizeof (struct mm_seen), seen_order);
    mm_sort (&j->log->misses, sizeof (struct mm_miss), miss_order);
    return j->file && j->cache && j->bin && j->settled ? 0 : -1;
}

int mmjoin_process (struct mm_totals *t, size_t index, struct mm_log *log)
{
    struct mm_process *p = &t->process[index];
    struct join j = {.t = t, .log = log, .index = index};
    int rc = -1;

    j.files = log->files ? strmap_count (log->files) : 0;
    p->sources = log->sources;
    p->perf_errno = log->perf_errno;
    p->lost = log->lost;
    if (start_join (&j) < 0)
        goto out;
    look_at_files (&j, p);
    if (mm_share (&j, p) < 0 ||
        (log->sources & MM_KERNEL && mm_kernel_share (&j, p) < 0) ||
        mm_note_caches (&j, p) < 0)
        goto out;
    forget_holes (&j, p);
    if (mm_trust_fault (&j) < 0 || see_faults (&j, p) < 0 ||
        mm_regions (&j, p) < 0)
        goto out;
    for (size_t i = 0; i < j.files; i++)
        if (mmjoin_add_file (&j, i) < 0)
            goto out;
    if (keep_bins (&j, j.files, MM_NO_FILE) < 0)
        goto out;
    for (unsigned b = 0; b < MM_BINS; b++)
        t->active_ns += is_active (&j, b) ? t->bin_ns : 0;
    add_sums (&t->sum, p);
    t->measured++;
    rc = 0;
out:
    free_join (&j);
    return rc;
}

int mmjoin_begin (struct mm_totals *t,
                  size_t processes,
                  uint64_t start,
                  uint64_t end)
{
    NEW (t->process, processes + 1);
    t->processes = processes;
    t->start = start;
    t->bin_ns = mm_minus (end, start) / MM_BINS + 1;
    if (t->bin_ns < BIN_NS_MIN)
        t->bin_ns = BIN_NS_MIN;
    return t->process ? 0 : -1;
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
