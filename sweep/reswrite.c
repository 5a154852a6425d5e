/* SPDX-License-Identifier: MIT
 *
 * reswrite.c - resultset -> DIR/results/, each file whole or not at all
 */
#include "config.h"

#include "lib/util/fsutil.h"
#include "sweep/restable.h"

static int write_csv (const struct resultset *r,
                      const char *name,
                      struct textable *t,
                      struct errtext *err)
{
    struct sweepdir *d = r->sweep;
    struct atomic_file *f = atomic_open (
        arena_format (d->arena, "%s/results/%s", d->path, name), 0644, err);

    if (f)
        textable_print (t, atomic_stream (f), TABLE_CSV);
    textable_destroy (t);
    return f ? atomic_commit (f, err) : -1;
}

int resultset_write (struct resultset *r, struct errtext *err)
{
    struct sweepdir *d = r->sweep;
    struct atomic_file *f;

    if (make_dirs (arena_format (d->arena, "%s/results", d->path), 0755, err) <
            0 ||
        write_csv (r, "runs.csv", restable_runs (r), err) < 0 ||
        write_csv (r, "points.csv", restable_points (r), err) < 0 ||
        write_csv (r, "long.csv", restable_long (r), err) < 0 ||
        write_csv (r, "operations.csv", restable_operations (r), err) < 0)
        return -1;
    f = atomic_open (arena_format (d->arena, "%s/results/summary.txt", d->path),
                     0644, err);
    if (!f)
        return -1;
    restable_print (atomic_stream (f), r, d->spec->metrics, TABLE_TEXT);
    return atomic_commit (f, err);
}

int resultset_write_all (struct sweepdir *d, struct errtext *err)
{
    struct resultset *r = resultset_load (d, err);

    return r ? resultset_write (r, err) : -1;
}
