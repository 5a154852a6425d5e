/* SPDX-License-Identifier: MIT
 *
 * mmview.c - struct mm_totals -> rows
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tables/viewcells.h"

/* --- cells ---------------------------------------------------------------- */

static void mmview_put_ratio (struct textable *t, uint64_t a, uint64_t b)
{
    if (b)
        textable_double (t, (double)a / (double)b, 2);
    else
        textable_na (t);
}

static void put_percent (struct textable *t, uint64_t a, uint64_t b)
{
    if (b)
        textable_double (t, 100 * (double)a / (double)b, 1);
    else
        textable_na (t);
}

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
    for (size_t i = 0; i < sizeof (words) / sizeof (words[0]); i++)
        if ((p->sources & words[i].source) && at < n)
            at += (size_t)snprintf (buf + at, n - at, "%s%s", at ? " " : "",
                                    words[i].word);
    if (p->perf_errno && !(p->sources & MM_PERF) && at < n)
        (void)snprintf (buf + at, n - at, "%sno perf: %s", at ? "; " : "",
                        strerror (p->perf_errno));
    return buf;
}

/* --- mapped files --------------------------------------------------------- */

static uint64_t weight_of_file (const void *value)
{
    const struct mm_file *f = value;

    return f ? f->bytes + f->touched : 0;
}

/* What is found by the bytes of a file, which may be an estimate. */
static void mmview_about (struct textable *t, const struct mm_file *f)
{
    if (f->about)
        textable_about (t);
}

static void
mmview_file_row (struct textable *t, const struct mm_totals *mm, size_t i)
{
    const struct mm_file *f = strmap_value (mm->files, i);
    uint64_t ahead = f->bytes > f->touched ? f->bytes - f->touched : 0;

    textable_row (t);
    textable_uint (t, f->processes);
    textable_uint (t, f->mapped);
    textable_uint (t, f->touched);
    textable_uint (t, f->bytes);
    mmview_about (t, f);
    textable_text (t, f->about ? "no" : "yes");
    textable_uint (t, f->call_bytes);
    mmview_put_ratio (t, f->bytes, f->touched);
    mmview_about (t, f);
    put_percent (t, ahead, f->bytes);
    mmview_about (t, f);
    put_percent (t, f->first_cached, f->first_mapped);
    cell_known (t, mm_all_seen (&mm->sum), f->faults);
    cell_known_seconds (t, mm_all_seen (&mm->sum), f->stall_ns);
    textable_text (t, strmap_key (mm->files, i, NULL));
}

void fill_mapping (struct textable *t, const struct result *r, size_t top)
{
    const struct mm_totals *mm = &r->summary->mm;
    size_t *order = rows_sorted (mm->files, weight_of_file);

    for (size_t i = 0;
         order && i < strmap_count (mm->files) && (!top || i < top); i++)
        mmview_file_row (t, mm, order[i]);
    free (order);
}

/* --- regions -------------------------------------------------------------- */

static uint64_t weight_of_op (const void *value)
{
    const struct mm_op *op = value;

    return op && op->regions ? op->bytes + op->stall_ns + 1 : 0;
}

static void
mmview_op_row (struct textable *t, const struct mm_totals *mm, size_t i)
{
    const struct mm_op *op = strmap_value (mm->ops, i);
    size_t length;
    const char *category = strmap_key (mm->ops, i, &length);
    size_t n = strlen (category);

    textable_row (t);
    textable_text (t, category);
    textable_text (t, n < length ? category + n + 1 : "");
    textable_uint (t, op->regions);
    textable_uint (t, op->major);
    textable_uint (t, op->bytes);
    cell_seconds (t, op->stall_ns);
    textable_text (t, op->estimated ? "not running" : "faults");
    textable_double (t, (double)op->system_us / 1e6, 6);
    cell_known (t, op->used > 0, op->used);
    mmview_put_ratio (t, op->bytes, op->used);
}

void fill_fault (struct textable *t, const struct result *r, size_t top)
{
    const struct mm_totals *mm = &r->summary->mm;
    size_t *order = rows_sorted (mm->ops, weight_of_op);

    for (size_t i = 0;
         order && i < strmap_count (mm->ops) && (!top || i < top) &&
         weight_of_op (strmap_value (mm->ops, order[i]));
         i++)
        mmview_op_row (t, mm, order[i]);
    free (order);
}

/* --- processes ------------------------------------------------------------ */

static void put_who (struct textable *t, const struct process *p)
{
    textable_text (t, p->who->text[SHARD_STRING_HOST]);
    textable_uint (t, p->who->p.pid);
    if (p->who->p.rank >= 0)
        textable_uint (t, (uint64_t)p->who->p.rank);
    else
        textable_na (t);
}

static void
mmview_worker_row (struct textable *t, const struct result *r, size_t i)
{
    const struct mm_process *p = &r->summary->mm.process[i];
    char sources[256];

    textable_row (t);
    put_who (t, &r->totals->process[i]);
    textable_uint (t, p->bytes);
    textable_uint (t, p->fault_bytes);
    textable_uint (t, p->call_bytes);
    textable_uint (t, p->other_bytes);
    textable_uint (t, p->touched);
    textable_uint (t, p->major);
    cell_known (t, p->seen > 0, p->seen);
    cell_known_seconds (t, p->stall_known, p->stall_ns);
    textable_text (t, mm_sources_text (p, sources, sizeof (sources)));
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

        textable_row (t);
        cell_seconds (t, b[i].bin * mm->bin_ns);
        cell_seconds (t, mm->bin_ns);
        put_who (t, &r->totals->process[b[i].process]);
        textable_uint (t, b[i].bytes);
        cell_known (t, seen, b[i].faults);
        cell_known_seconds (t, seen, b[i].stall_ns);
        textable_text (t,
                       unknown ? "" : strmap_key (mm->files, b[i].file, NULL));
    }
}
