/* SPDX-License-Identifier: MIT
 *
 * sweepops.c - metrics.json of a sweep's runs -> time of regions, notes
 *
 * In:  runs/LABEL.POINT/rN/aN/trace/metrics.json of every run that is done
 * Out: self time of the data layer's regions by point; why numbers are n/a
 *
 * Sums of regions that contain each other cannot be stacked; time without the
 * regions inside can.
 */
#include "config.h"

#include "analyze/report/study/sweepops.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/util/ytree.h"
#include "lib/model/role.h"
#include "analyze/report/study/sweepdata.h"

static struct sweep_op *sweepops_find_op (struct sweepdata *d, const char *name)
{
    struct sweep_op *op;

    for (size_t i = 0; i < d->ops; i++)
        if (strcmp (d->op[i].name, name) == 0)
            return &d->op[i];
    if (!(op = reallocarray (d->op, d->ops + 1, sizeof (*op))))
        return NULL;
    d->op = op;
    op += d->ops;
    memset (op, 0, sizeof (*op));
    if (!(op->name = strdup (name)) ||
        !(op->self = calloc (d->count + 1, sizeof (*op->self)))) {
        free (op->name);
        return NULL;
    }
    for (size_t i = 0; i < d->count; i++)
        op->self[i] = NAN;
    d->ops++;
    return op;
}

static int sweepops_add_op (struct sweepdata *d,
                            size_t row,
                            const struct ynode *o,
                            double runs)
{
    const char *category =
        ynode_text (o, "category", ynode_text (o, "cat", ""));
    const char *name = ynode_text (o, "name", "");
    double self = cell_number (ynode_text (o, "self_s", ""));
    struct sweep_op *op;
    char full[200];

    if (isnan (self) || role_of (category, name) != ROLE_LOADER)
        return 0;
    (void)snprintf (full, sizeof (full), "%s/%s", category, name);
    if (!(op = sweepops_find_op (d, full)))
        return -1;
    if (isnan (op->self[row]))
        op->self[row] = 0;
    op->self[row] += self / runs;
    op->total += self / runs;
    return 0;
}

static int sweepops_add_note (struct sweepdata *d,
                              size_t row,
                              const char *metric,
                              const char *note)
{
    char key[160];
    int n = snprintf (key, sizeof (key), "%zu %s", row, metric), isnew;
    int64_t at;
    char *copy;

    if (n < 0 || (size_t)n >= sizeof (key))
        return 0;
    if ((at = strmap_intern (d->notes, key, (size_t)n, &isnew)) < 0)
        return -1;
    if (!isnew)
        return 0;
    if (!(copy = strdup (note)))
        return -1;
    strmap_set (d->notes, (size_t)at, copy);
    return 0;
}

static int sweepops_take (struct sweepdata *d,
                          size_t row,
                          const struct ynode *root,
                          double runs)
{
    const struct ynode *ops = ynode_get (root, "operations");
    const struct ynode *metrics = ynode_get (root, "metrics");

    for (size_t i = 0; ops && i < ops->count; i++)
        if (sweepops_add_op (d, row, ops->item[i], runs) < 0)
            return -1;
    for (size_t i = 0; metrics && i < metrics->count; i++) {
        const char *note = ynode_text (metrics->item[i], "note", "");

        if (metrics->type == YNODE_MAP && note[0] &&
            sweepops_add_note (d, row, metrics->key[i]->text, note) < 0)
            return -1;
    }
    return 0;
}

/* Done, and no untraced control. */
static int sweepops_has_trace (const struct csv *runs, size_t r)
{
    return strcmp (csv_get (runs, r, "state"), "done") == 0 &&
           !(csv_number (runs, r, "control") > 0);
}

static double sweepops_runs_of (const struct sweepdata *d, const char *id)
{
    double n = 0;

    for (size_t r = 0; r < csv_rows (d->runs); r++)
        n += strcmp (csv_get (d->runs, r, "point"), id) == 0 &&
             sweepops_has_trace (d->runs, r);
    return n > 0 ? n : 1;
}

static int sweepops_load_run (struct sweepdata *d, size_t run, size_t row)
{
    char *path = text_format ("%s/runs/%s.%s/r%s/a%s/trace/metrics.json",
                              d->dir, d->point[row].label, d->point[row].id,
                              csv_get (d->runs, run, "repeat"),
                              csv_get (d->runs, run, "attempt"));
    struct ytree *t = path ? ytree_load (path, NULL) : NULL;
    int rc = 0;

    if (!path)
        rc = -1;
    else if (!t)
        d->unread++;
    else
        rc = sweepops_take (d, row, ytree_root (t),
                            sweepops_runs_of (d, d->point[row].id));
    ytree_destroy (t);
    free (path);
    return rc;
}

static int sweepops_by_total (const void *a, const void *b)
{
    const struct sweep_op *x = a, *y = b;

    return (y->total > x->total) - (y->total < x->total);
}

int sweepops_load (struct sweepdata *d, struct errtext *err)
{
    if (!(d->notes = strmap_create ()))
        return errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    for (size_t r = 0; r < csv_rows (d->runs); r++) {
        const char *id = csv_get (d->runs, r, "point");
        size_t row = 0;

        if (!sweepops_has_trace (d->runs, r))
            continue;
        while (row < d->count && strcmp (d->point[row].id, id) != 0)
            row++;
        if (row < d->count && sweepops_load_run (d, r, row) < 0)
            return errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    }
    if (d->ops)
        qsort (d->op, d->ops, sizeof (*d->op), sweepops_by_total);
    return 0;
}
