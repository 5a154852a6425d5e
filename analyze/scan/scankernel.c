/* SPDX-License-Identifier: MIT
 *
 * scankernel.c - what became of calls -> counters of devices, files, processes
 *
 * In:  requests to block devices, pages that reads brought to the page cache
 * Out: tally.blocks, struct file_total; counts.def: block_..., cache_...
 * Caveat: nothing of it is added to what calls moved.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/scanstep.h"

enum { SCANKERNEL_DIRECT = 1, SCANKERNEL_LATE = 2, SCANKERNEL_KNOWN = 1 };

static const struct dict_entry *scankernel_name (const struct step *e,
                                                 uint32_t number)
{
    return dict_entry_of (e->s->dict, number, SHARD_NAME_FILE);
}

/* "device NUL path" */
static int scankernel_add (struct step *e, const struct block_total *b)
{
    const struct dict_entry *device = scankernel_name (e, e->b->name2[e->i]);
    const struct dict_entry *file = scankernel_name (e, e->b->name[e->i]);
    char key[2 * PATH_MAX];
    size_t n = 0;

    if (device && device->length < PATH_MAX) {
        memcpy (key, device->text, device->length);
        n = device->length;
    }
    key[n++] = '\0';
    if (file && file->length < PATH_MAX) {
        memcpy (key + n, file->text, file->length);
        n += file->length;
    }
    return tally_add_block (&e->s->tally, key, n, b);
}

static struct file_total *scankernel_file (struct step *e)
{
    uint32_t number = e->b->name[e->i];
    struct scan_name *name =
        number ? scan_name (e->s, number, SHARD_NAME_FILE) : NULL;

    return name ? name->total.file : NULL;
}

static void scankernel_read (struct step *e, struct block_total *b)
{
    uint64_t ns = e->end - e->start;
    struct file_total *f;

    b->reads = 1;
    b->read_bytes = e->bytes;
    b->read_ns = b->read_most = ns;
    transfer_add (&e->u->n.block_read, &(struct transfer){1, e->bytes, ns});
    if (!b->direct_bytes)
        return;
    e->u->n.block_direct_read += e->bytes;
    if ((f = scankernel_file (e)))
        f->direct_bytes += e->bytes;
}

static void scankernel_write (struct step *e, struct block_total *b)
{
    uint64_t ns = e->end - e->start;

    b->writes = 1;
    b->write_bytes = e->bytes;
    b->write_ns = b->write_most = ns;
    transfer_add (&e->u->n.block_write, &(struct transfer){1, e->bytes, ns});
}

static int scankernel_block (struct step *e)
{
    struct block_total b = {.failed = e->b->error[e->i] != 0};
    uint64_t flags = e->b->flags[e->i];

    b.direct_bytes = flags & SCANKERNEL_DIRECT ? e->bytes : 0;
    b.late_bytes = flags & SCANKERNEL_LATE ? e->bytes : 0;
    if (e->info->class == CALL_CLASS_READ)
        scankernel_read (e, &b);
    else if (e->info->class == CALL_CLASS_WRITE)
        scankernel_write (e, &b);
    else {
        b.others = 1;
        b.other_ns = e->end - e->start;
        e->u->n.block_other++;
    }
    return scankernel_add (e, &b);
}

static void scankernel_fill (struct step *e)
{
    struct file_total *f = scankernel_file (e);
    uint64_t added = e->b->size[e->i];
    int64_t ret = e->b->ret[e->i];
    uint64_t missed = ret > 0 ? (uint64_t)ret : 0;

    e->u->n.cache_fill.count++;
    e->u->n.cache_fill.bytes += added;
    if (!f)
        return;
    f->fills++;
    f->fill_bytes += added;
    f->missed_bytes += missed;
    f->unsure_bytes += e->b->flags[e->i] & SCANKERNEL_KNOWN ? 0 : added;
}

int scan_kernel (struct step *e)
{
    enum call call = (enum call)e->b->call[e->i];
    struct call_total **total = &e->s->tally.call[call];

    if (!*total && !(*total = calloc (1, sizeof (**total))))
        return -1;
    e->bytes = e->b->bytes_read[e->i] | e->b->bytes_written[e->i];
    (*total)->bytes += call == CALL_cache_fill ? e->b->size[e->i] : e->bytes;
    (*total)->errors += e->b->error[e->i] != 0;
    hist_add (&(*total)->time, e->end - e->start);
    if (call != CALL_cache_fill)
        return scankernel_block (e);
    scankernel_fill (e);
    return 0;
}
