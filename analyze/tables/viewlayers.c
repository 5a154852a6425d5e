/* SPDX-License-Identifier: MIT
 *
 * viewlayers.c - totals of a job -> tables of MPI-IO, HDF5, NetCDF, block
 * devices, the page cache and mapped files
 *
 * In:  struct result, from views.c
 * Out: rows
 */
#include "config.h"

#include "analyze/scan/tally.h"
#include "analyze/tables/views.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/format/usagekeys.h"
#include "lib/model/kind.h"

struct viewmpi_row {
    const char *title;
    struct transfer calls, below;
    uint64_t asked;
    uint64_t callers, workers; /* processes */
    struct viewmpi_end {
        const struct process *process;
        uint64_t ns;
    } slowest, fastest;
};

static void viewmpi_put (struct textable *t,
                         const struct result *r,
                         const struct viewmpi_row *row,
                         int moves)
{
    int below = !summary_is_profile (r->summary); /* what was inside what */

    if (!row->calls.count && !row->calls.ns)
        return;
    textable_line (
        t, "%s %ju %ju %d?%ju %d?%ju %jus %d?%ju %d?%ju %d?%ju %d?%jus %d?%jus",
        row->title, row->calls.count, row->callers, moves, row->asked, moves,
        row->calls.bytes, row->calls.ns, below, row->below.count, below,
        row->workers, below, row->below.bytes, below, row->below.ns, below,
        row->calls.ns > row->below.ns ? row->calls.ns - row->below.ns : 0);
    cell_mean (t, row->below.count, below ? row->calls.count : 0, 2);
    cell_mean (t, row->below.bytes, row->below.count, 2);
    cell_rank (t, row->slowest.process);
    cell_seconds (t, row->slowest.ns);
    cell_rank (t, row->fastest.process);
    cell_seconds (t, row->fastest.ns);
}

static void viewmpi_add (struct viewmpi_row *row,
                         const struct process *p,
                         const struct transfer *calls,
                         uint64_t asked,
                         const struct transfer *below)
{
    transfer_add (&row->calls, calls);
    transfer_add (&row->below, below);
    row->asked += asked;
    if (calls->count || calls->ns) {
        row->callers++;
        if (!row->slowest.process || calls->ns > row->slowest.ns)
            row->slowest = (struct viewmpi_end){p, calls->ns};
        if (!row->fastest.process || calls->ns < row->fastest.ns)
            row->fastest = (struct viewmpi_end){p, calls->ns};
    }
    row->workers += below->count > 0;
}

void fill_mpiio (struct textable *t, const struct result *r, size_t top)
{
    struct viewmpi_row row[MPIKIND_COUNT] = {
#define MPIKIND(NAME, TITLE, HELP) [MPIKIND_##NAME] = {.title = TITLE},
#include "lib/model/mpikinds.def"
#undef MPIKIND
    };

    for (size_t i = 0; i < r->totals->processes; i++) {
        const struct counts *n = &r->totals->process[i].n;

#define MPIKIND(NAME, TITLE, HELP)                                             \
    viewmpi_add (&row[MPIKIND_##NAME], &r->totals->process[i], &n->mpi_##NAME, \
                 n->mpi_##NAME##_asked, &n->mpi_##NAME##_posix);
#include "lib/model/mpikinds.def"
#undef MPIKIND
    }
    for (int kind = 0; kind < MPIKIND_COUNT; kind++)
        viewmpi_put (t, r, &row[kind],
                     kind != MPIKIND_wait && kind != MPIKIND_other);
}

/* --- the tables of datasets and variables -----------------------------------
 */

static uint64_t viewobjects_weight (const void *value)
{
    return ((const struct object_total *)value)->ns;
}

static void viewobjects_layout (struct textable *t, uint64_t layout)
{
    const char *name = layout & CALL_ABOVE_CHUNKED      ? "chunked"
                       : layout & CALL_ABOVE_CONTIGUOUS ? "contiguous"
                       : layout & CALL_ABOVE_COMPACT    ? "compact"
                       : layout & CALL_ABOVE_VIRTUAL    ? "virtual"
                                                        : "";

    textable_text (t,
                   layout & CALL_ABOVE_FILTERED ? "chunked, filtered" : name);
}

/* Put a row if the object is of that layer. */
static int viewobjects_row (struct textable *t,
                            const struct result *r,
                            const struct view_item *item)
{
    const enum call_category layer = item->kind;
    const struct object_total *o = item->value;
    int nested = !summary_is_profile (r->summary); /* who called whom */
    int sized = !o->unsized;
    int kinds = nested || layer != CALL_CATEGORY_HDF5;
    struct object_name name;

    if (object_name_of (item->key, item->length, &name) < 0 ||
        strcmp (name.layer, call_category_name (layer)) != 0)
        return 0;
    textable_line (t, "%s %ju", name.object, o->calls);
    if (layer == CALL_CATEGORY_HDF5)
        textable_known (t, nested, o->attributes);
    textable_cells (t,
                    "%ju %d?%ju %ju %d?%ju %d?%ju %d?%ju %jus %d?%jus %d?%ju "
                    "%d?%ju %d?%jus %d?%ju %d?%ju",
                    o->reads, sized, o->read_bytes, o->writes, sized,
                    o->write_bytes, kinds, o->collective, kinds, o->independent,
                    o->ns, nested, o->own_ns, nested, o->posix_calls, nested,
                    o->posix_bytes, nested, o->posix_ns, nested, o->meta_calls,
                    nested, o->mpiio_calls);
    if (layer == CALL_CATEGORY_HDF5) {
        if (nested)
            viewobjects_layout (t, o->layout);
        else
            textable_na (t);
        textable_known (t, nested, o->chunk);
    } else
        textable_known (t, nested, o->hdf5_calls);
    textable_text (t, name.file);
    return 1;
}

static void viewobjects_fill (struct textable *t,
                              const struct result *r,
                              size_t top,
                              enum call_category layer)
{
    const struct strmap *m = r->totals->tally.objects;

    view_items (t, r, top,
                (struct view_map){m, rows_sorted (m, viewobjects_weight),
                                  viewobjects_row, layer});
}

void fill_hdf5 (struct textable *t, const struct result *r, size_t top)
{
    viewobjects_fill (t, r, top, CALL_CATEGORY_HDF5);
}

void fill_netcdf (struct textable *t, const struct result *r, size_t top)
{
    viewobjects_fill (t, r, top, CALL_CATEGORY_NETCDF);
}

void fill_pnetcdf (struct textable *t, const struct result *r, size_t top)
{
    viewobjects_fill (t, r, top, CALL_CATEGORY_PNETCDF);
}

/* --- peers and devices ----------------------------------------------------
 */

static void viewblock_mean (struct textable *t, uint64_t ns, uint64_t count)
{
    cell_known_seconds (t, count > 0, count ? ns / count : 0);
}

/* --- the network -----------------------------------------------------------
 */

static uint64_t viewpeer_weight (const void *value)
{
    const struct peer_total *p = value;

    return p->ns;
}

/* "host:port", "[address]:port", or a word. */
static void viewpeer_name (struct textable *t, const char *key)
{
    const char *colon = strrchr (key, ':');
    size_t n = colon ? (size_t)(colon - key) : strlen (key);
    int quoted = colon && key[0] == '[' && n > 1 && key[n - 1] == ']';
    char host[256];

    FORMAT (host, "%.*s", (int)n - 2 * quoted, key + quoted);
    textable_cells (t, "%s %s", host, colon ? colon + 1 : "");
}

static int viewpeer_row (struct textable *t,
                         const struct result *r,
                         const struct view_item *item)
{
    const struct peer_total *p = item->value;

    textable_row (t);
    viewpeer_name (t, item->key);
    textable_cells (t, "%ju %ju %ju %ju %ju %ju %jus %ju", p->processes,
                    p->connections, p->failed, p->calls, p->sent, p->received,
                    p->ns, p->answers);
    viewblock_mean (t, p->first_ns, p->answers);
    return 1;
}

void fill_peer (struct textable *t, const struct result *r, size_t top)
{
    const struct strmap *m = r->totals->tally.peers;

    view_items (t, r, top,
                (struct view_map){m, rows_sorted (m, viewpeer_weight),
                                  viewpeer_row, 0});
}

/* --- devices and the page cache (layer kernel) ---------------------------- */

static uint64_t viewblock_weight (const void *value)
{
    const struct block_total *b = value;

    return b->read_bytes + b->write_bytes;
}

static int viewblock_row (struct textable *t,
                          const struct result *r,
                          const struct view_item *item)
{
    const struct block_total *b = item->value;

    textable_line (t, "%s %ju %ju", item->key, b->reads, b->read_bytes);
    viewblock_mean (t, b->read_ns, b->reads);
    textable_cells (t, "%d?%jus %ju %ju", b->reads > 0, b->read_most, b->writes,
                    b->write_bytes);
    viewblock_mean (t, b->write_ns, b->writes);
    textable_cells (t, "%d?%jus %ju %ju %ju %ju %s", b->writes > 0,
                    b->write_most, b->late_bytes, b->direct_bytes, b->others,
                    b->failed, item->second);
    return 1;
}

void fill_block (struct textable *t, const struct result *r, size_t top)
{
    const struct strmap *m = r->totals->tally.blocks;

    view_items (t, r, top,
                (struct view_map){m, rows_sorted (m, viewblock_weight),
                                  viewblock_row, 0});
}

/* --- the page cache ------------------------------------------------------ */

/* Bytes that calls had through the cache: of streams, what libc read. */
static uint64_t viewcache_read (const struct file_total *f)
{
    uint64_t own = f->read_bytes - f->stdio_read_bytes + f->libc_read;

    return own > f->direct_bytes ? own - f->direct_bytes : 0;
}

static const struct mm_file *viewcache_faults (const struct result *r,
                                               const char *path)
{
    const struct mm_totals *mm = &r->summary->mm;
    int64_t at = mm->files && mm->sum.sources & MM_KERNEL
                     ? strmap_find (mm->files, path, strlen (path))
                     : -1;

    return at < 0 ? NULL : strmap_value (mm->files, at);
}

static int viewcache_row (struct textable *t,
                          const struct result *r,
                          const struct view_item *item)
{
    const struct file_total *f = item->value;
    const struct mm_file *mm = viewcache_faults (r, item->key);
    uint64_t read = viewcache_read (f);
    uint64_t hit = read > f->fill_bytes ? read - f->fill_bytes : 0;

    if (f->class == FILE_CLASS_STORAGE && (read || f->fills))
        textable_line (
            t, "%ju %ju %.1f %ju %ju %d?%ju %s %s", read, hit,
            read ? 100 * (double)hit / (double)read : NAN, f->fill_bytes,
            f->missed_bytes, mm && !mm->about, mm ? mm->bytes : 0,
            f->unsure_bytes || f->fill_bytes > read ? "no" : "yes", item->key);
    return 1;
}

void fill_cache (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;

    if (r->summary->n.cache_fill.count) /* else nobody has looked */
        view_items (t, r, top,
                    (struct view_map){tally->files, files_sorted (tally),
                                      viewcache_row, 0});
}

/* --- struct mm_totals -> rows -----------------------------------------------
 */

/* --- cells ---------------------------------------------------------------- */

/* Words for a sum of enum mm_source, and why some are missing. Returns buf. */
static const char *
mm_sources_text (const struct mm_process *p, char *buf, size_t n)
{
    static const struct {
        unsigned source;
        const char *word;
    } words[] = {{MM_KERNEL, "kernel"},
                 {MM_RUSAGE, "rusage"},
                 {MM_PAGEMAP_SCAN, "pagemap_scan"},
                 {MM_PAGEMAP, "pagemap"},
                 {MM_MINCORE, "mincore"},
                 {MM_PERF, "perf"},
                 {MM_PERF_KERNEL, "perf:kernel"},
                 {MM_PERF_SWITCH, "perf:switch"},
                 {MM_STOPPED, "stopped"}};
    size_t at = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < ITEMS (words); i++)
        if ((p->sources & words[i].source) && at < n)
            at += snprintf (buf + at, n - at, "%s%s", at ? " " : "",
                            words[i].word);
    if (p->perf_errno && !(p->sources & MM_PERF) && at < n)
        snprintf (buf + at, n - at, "%sno perf: %s", at ? "; " : "",
                  strerror (p->perf_errno));
    return buf;
}

/* --- mapped files --------------------------------------------------------- */

static uint64_t weight_of_file (const void *value)
{
    const struct mm_file *f = value;

    return f->bytes + f->touched;
}

/* Mark a number that follows from the bytes of a file if these are estimated.
 */
static void mmview_about (struct textable *t, const struct mm_file *f)
{
    if (f->about)
        textable_about (t);
}

static int mmview_file_row (struct textable *t,
                            const struct result *r,
                            const struct view_item *item)
{
    const struct mm_file *f = item->value;
    uint64_t ahead = f->bytes > f->touched ? f->bytes - f->touched : 0;
    int seen = mm_all_seen (&r->summary->mm.sum);

    textable_line (t, "%ju %ju %ju %ju", f->processes, f->mapped, f->touched,
                   f->bytes);
    mmview_about (t, f);
    textable_cells (t, "%s %ju", f->about ? "no" : "yes", f->call_bytes);
    cell_mean (t, f->bytes, f->touched, 2);
    mmview_about (t, f);
    cell_mean (t, 100 * ahead, f->bytes, 1);
    mmview_about (t, f);
    cell_mean (t, 100 * f->first_cached, f->first_mapped, 1);
    textable_cells (t, "%d?%ju %d?%jus %s", seen, f->faults, seen, f->stall_ns,
                    item->key);
    return 1;
}

void fill_mapping (struct textable *t, const struct result *r, size_t top)
{
    const struct strmap *m = r->summary->mm.files;

    view_items (t, r, top,
                (struct view_map){m, rows_sorted (m, weight_of_file),
                                  mmview_file_row, 0});
}

/* --- regions -------------------------------------------------------------- */

static uint64_t weight_of_op (const void *value)
{
    const struct mm_op *op = value;

    return op->regions ? op->bytes + op->stall_ns + 1 : 0;
}

static int mmview_op_row (struct textable *t,
                          const struct result *r,
                          const struct view_item *item)
{
    const struct mm_op *op = item->value;

    if (!op->regions)
        return 0;
    textable_line (t, "%s %s %ju %ju %ju %jus %s %.6f %d?%ju", item->key,
                   item->second, op->regions, op->major, op->bytes,
                   op->stall_ns, op->estimated ? "not running" : "faults",
                   op->system_us / 1e6, op->used > 0, op->used);
    cell_mean (t, op->bytes, op->used, 2);
    return 1;
}

void fill_fault (struct textable *t, const struct result *r, size_t top)
{
    const struct strmap *m = r->summary->mm.ops;

    view_items (
        t, r, top,
        (struct view_map){m, rows_sorted (m, weight_of_op), mmview_op_row, 0});
}

/* --- processes ------------------------------------------------------------ */

static void put_who (struct textable *t, const struct process *p)
{
    textable_cells (t, "%s %u %d?%d", p->who->text[SHARD_STRING_HOST],
                    p->who->p.pid, p->who->p.rank >= 0, p->who->p.rank);
}

static void
mmview_worker_row (struct textable *t, const struct result *r, size_t i)
{
    const struct mm_process *p = &r->summary->mm.process[i];
    char sources[256];

    textable_row (t);
    put_who (t, &r->totals->process[i]);
    textable_cells (t, "%ju %ju %ju %ju %ju %ju %d?%ju %d?%jus %s", p->bytes,
                    p->fault_bytes, p->call_bytes, p->other_bytes, p->touched,
                    p->major, p->seen > 0, p->seen, p->stall_known, p->stall_ns,
                    mm_sources_text (p, sources, sizeof (sources)));
}

void fill_worker (struct textable *t, const struct result *r, size_t top)
{
    const struct mm_totals *mm = &r->summary->mm;
    size_t rows = 0;

    for (size_t i = 0; i < mm->processes && (!top || rows < top); i++)
        if (mm->process[i].bytes || mm->process[i].touched) {
            mmview_worker_row (t, r, i);
            rows++;
        }
}

/* --- times ---------------------------------------------------------------- */

void fill_faulttime (struct textable *t, const struct result *r, size_t top)
{
    const struct mm_totals *mm = &r->summary->mm;
    const struct mm_bin *b = mm->bins.item;

    for (size_t i = 0; i < mm->bins.count && (!top || i < top); i++) {
        int unknown = b[i].file == MM_NO_FILE;
        int seen = unknown || mm->process[b[i].process].seen > 0;

        textable_line (t, "%jus %jus", b[i].bin * mm->bin_ns, mm->bin_ns);
        put_who (t, &r->totals->process[b[i].process]);
        textable_cells (t, "%ju %d?%ju %d?%jus %s", b[i].bytes, seen,
                        b[i].faults, seen, b[i].stall_ns,
                        unknown ? "" : strmap_key (mm->files, b[i].file, NULL));
    }
}
