/* SPDX-License-Identifier: MIT
 *
 * viewmount.c - files on storage by the file system that they are on
 *
 * In:  what the first opens of each process said of mounts; totals of files
 * Out: a row for each mount and type, one for what is on none that is known
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/tables/viewcells.h"

struct viewmount_row {
    const struct mount_entry *mount; /* NULL: not known */
    uint64_t files, striped, stripes_least, stripes_most;
    struct file_total sum;
};

static int viewmount_same (const struct mount_entry *a,
                           const struct mount_entry *b)
{
    return strcmp (a->point, b->point) == 0 && strcmp (a->type, b->type) == 0;
}

static int viewmount_by_place (const void *a, const void *b)
{
    const struct viewmount_row *x = a, *y = b;
    int order;

    if (!x->mount || !y->mount)
        return (y->mount != NULL) - (x->mount != NULL);
    order = strcmp (x->mount->point, y->mount->point);
    return order ? order : strcmp (x->mount->type, y->mount->type);
}

/* The row of a mount, which several prefixes may lead to. */
static struct viewmount_row *viewmount_row_of (struct viewmount_row *row,
                                               size_t *rows,
                                               const struct mount_entry *mount)
{
    for (size_t i = 0; i < *rows; i++)
        if (mount == row[i].mount ||
            (mount && row[i].mount && viewmount_same (mount, row[i].mount)))
            return &row[i];
    row[*rows].mount = mount;
    return &row[(*rows)++];
}

static void viewmount_add (struct viewmount_row *row,
                           const struct file_total *f)
{
    row->files++;
    file_total_add (&row->sum, f);
    if (!f->stripes)
        return;
    if (!row->striped++ || f->stripes < row->stripes_least)
        row->stripes_least = f->stripes;
    if (f->stripes > row->stripes_most)
        row->stripes_most = f->stripes;
}

static void viewmount_put (struct textable *t, const struct viewmount_row *row)
{
    const struct file_total *f = &row->sum;

    textable_row (t);
    if (row->mount) {
        textable_text (t, row->mount->point);
        textable_text (t, row->mount->type);
    } else {
        textable_na (t);
        textable_na (t);
    }
    cell_known (t, row->mount && row->mount->block,
                row->mount ? row->mount->block : 0);
    textable_uint (t, row->files);
    textable_uint (t, f->opens);
    textable_uint (t, f->reads);
    textable_uint (t, f->read_bytes);
    cell_seconds (t, f->read_ns);
    textable_uint (t, f->writes);
    textable_uint (t, f->write_bytes);
    cell_seconds (t, f->write_ns);
    textable_uint (t, f->syncs);
    cell_seconds (t, f->sync_ns);
    cell_seconds (t, f->meta_ns);
    cell_known (t, row->striped > 0, row->stripes_least);
    cell_known (t, row->striped > 0, row->stripes_most);
}

void fill_mount (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;
    size_t most = tally->mounts ? strmap_count (tally->mounts) : 0, rows = 0;
    struct viewmount_row *row = calloc (most + 1, sizeof (*row));

    (void)top;
    for (size_t i = 0; row && i < strmap_count (tally->files); i++) {
        const struct file_total *f = strmap_value (tally->files, i);
        size_t n;
        const char *path = strmap_key (tally->files, i, &n);
        const struct mount_entry *m = mounts_find (tally->mounts, path, n);

        if (f->class == FILE_CLASS_STORAGE || (m && f->class == FILE_CLASS_SHM))
            viewmount_add (viewmount_row_of (row, &rows, m), f);
    }
    if (row)
        qsort (row, rows, sizeof (*row), viewmount_by_place);
    for (size_t i = 0; row && i < rows; i++)
        viewmount_put (t, &row[i]);
    free (row);
}
