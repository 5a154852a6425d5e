/* SPDX-License-Identifier: MIT
 *
 * mmjoin.c - lists of one process -> files, regions, bins of time
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/facts/mmwork.h"

enum {
    BIN_NS_MIN = 10000000,
    CLOSE = 20 /* of bytes: so few are nothing */
};

static int use_order (const void *a, const void *b)
{
    const struct mm_use *x = a, *y = b;
    int order = mm_compare (x->t, y->t);

    return order ? order : mm_compare (x->read, y->read);
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

    if (!*map && !(*map = strmap_create ()))
        return NULL;
    if ((at = strmap_intern (*map, key, length, &isnew)) < 0)
        return NULL;
    if ((value = strmap_value (*map, (size_t)at)) ||
        !(value = calloc (1, size)))
        return value;
    strmap_set (*map, (size_t)at, value);
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

/* What happened in the i-th list of bins, whose file is this one. */
static int keep_bins (struct join *j, size_t i, size_t file)
{
    for (unsigned b = 0; j->bin[i] && b < MM_BINS; b++) {
        struct mm_bin *bin = &j->bin[i][b], *kept;

        if (!bin->bytes && !bin->faults && !bin->stall_ns)
            continue;
        if (!(kept = mmlist_add (&j->t->bins, sizeof (*kept))))
            return -1;
        *kept = *bin;
        kept->process = j->index;
        kept->file = file;
        kept->bin = b;
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
    return keep_bins (j, i, (size_t)at);
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

    j->file = calloc (n, sizeof (*j->file));
    j->cache = calloc (n, sizeof (struct mm_cache *));
    j->bin = calloc (n, sizeof (*j->bin));
    j->settled = calloc (n, sizeof (double));
    for (int way = 0; way < MM_WAYS; way++)
        if (!(j->weight[way] = calloc (n, sizeof (double))))
            return -1;
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
    if (mm_believe (&j) < 0 || see_faults (&j, p) < 0 || mm_regions (&j, p) < 0)
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
    t->process = calloc (processes + 1, sizeof (*t->process));
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
    memset (t, 0, sizeof (*t));
    errno = saved;
}
