/* SPDX-License-Identifier: MIT
 *
 * viewblock.c - the tables of what layer kernel tells of devices and the page
 *               cache
 *
 * In:  tally.blocks, struct file_total, page faults by file
 * Out: a row for each file on a device; for each file that was read
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/scan/tally.h"
#include "analyze/tables/viewcells.h"
#include "lib/format/usagekeys.h"

static void viewblock_mean (struct textable *t, uint64_t ns, uint64_t count)
{
    cell_known_seconds (t, count > 0, count ? ns / count : 0);
}

static uint64_t viewblock_weight (const void *value)
{
    const struct block_total *b = value;

    return b->read_bytes + b->write_bytes;
}

static void viewblock_row (struct textable *t, const struct strmap *m, size_t i)
{
    size_t length;
    const char *device = strmap_key (m, i, &length);
    const struct block_total *b = strmap_value (m, i);
    size_t n = strlen (device);

    textable_row (t);
    textable_text (t, device);
    textable_uint (t, b->reads);
    textable_uint (t, b->read_bytes);
    viewblock_mean (t, b->read_ns, b->reads);
    cell_known_seconds (t, b->reads > 0, b->read_most);
    textable_uint (t, b->writes);
    textable_uint (t, b->write_bytes);
    viewblock_mean (t, b->write_ns, b->writes);
    cell_known_seconds (t, b->writes > 0, b->write_most);
    textable_uint (t, b->late_bytes);
    textable_uint (t, b->direct_bytes);
    textable_uint (t, b->others);
    textable_uint (t, b->failed);
    textable_text (t, n < length ? device + n + 1 : "");
}

void fill_block (struct textable *t, const struct result *r, size_t top)
{
    const struct strmap *m = r->totals->tally.blocks;
    size_t *order = m ? rows_sorted (m, viewblock_weight) : NULL;

    for (size_t i = 0; order && i < strmap_count (m) && (!top || i < top); i++)
        viewblock_row (t, m, order[i]);
    free (order);
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

    return at < 0 ? NULL : strmap_value (mm->files, (size_t)at);
}

static void viewcache_row (struct textable *t, const struct result *r, size_t i)
{
    const struct strmap *files = r->totals->tally.files;
    const struct file_total *f = strmap_value (files, i);
    const char *path = strmap_key (files, i, NULL);
    const struct mm_file *mm = viewcache_faults (r, path);
    uint64_t read = viewcache_read (f);
    uint64_t hit = read > f->fill_bytes ? read - f->fill_bytes : 0;

    if (f->class != FILE_CLASS_STORAGE || (!read && !f->fills))
        return;
    textable_row (t);
    textable_uint (t, read);
    textable_uint (t, hit);
    if (read)
        textable_double (t, 100 * (double)hit / (double)read, 1);
    else
        textable_na (t);
    textable_uint (t, f->fill_bytes);
    textable_uint (t, f->missed_bytes);
    cell_known (t, mm && !mm->about, mm ? mm->bytes : 0);
    textable_text (t, f->unsure_bytes || f->fill_bytes > read ? "no" : "yes");
    textable_text (t, path);
}

void fill_cache (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;
    size_t *order = files_sorted (tally);

    /* without any, nobody has looked */
    for (size_t i = 0; r->summary->n.cache_fill.count && order &&
                       i < strmap_count (tally->files) && (!top || i < top);
         i++)
        viewcache_row (t, r, order[i]);
    free (order);
}
