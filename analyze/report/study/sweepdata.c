/* SPDX-License-Identifier: MIT
 *
 * sweepdata.c - a sweep directory -> points, their axes and numbers
 *
 * In:  manifest.json, results/{points,runs,long,operations}.csv
 * Out: struct sweepdata, to the pages; sweepops.c adds what runs know
 */
#include "config.h"

#include "analyze/report/study/sweepdata.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "lib/util/ytree.h"
#include "analyze/report/study/sweepops.h"
#include "analyze/report/study/sweepspec.h"

/* points.csv: point, label, one column an axis and a derived name, state, then
 * metrics. */
enum { COLUMN_POINT, COLUMN_LABEL, COLUMN_AXES };

static int sweepdata_exists (const char *dir, const char *name)
{
    char *path = path_join (dir, name);
    int yes = path && access (path, F_OK) == 0;

    free (path);
    return yes;
}

int sweepdata_is (const char *path)
{
    return sweepdata_exists (path, "manifest.json") &&
           sweepdata_exists (path, "plan.csv");
}

/* --- axes ------------------------------------------------------------- */

static int sweepdata_by_number (const void *a, const void *b)
{
    double x = cell_number (*(const char *const *)a);
    double y = cell_number (*(const char *const *)b);

    return (x > y) - (x < y);
}

static size_t sweepdata_level_of (const struct axis *a, const char *text)
{
    size_t i = 0;

    while (i < a->levels && strcmp (a->level[i], text) != 0)
        i++;
    return i;
}

static int
sweepdata_fill_axis (struct axis *a, const struct csv *points, size_t column)
{
    size_t rows = csv_rows (points);

    a->name = csv_head (points, column);
    a->column = (int)column;
    a->numeric = 1;
    if (!(a->level = calloc (rows + 1, sizeof (*a->level))))
        return -1;
    for (size_t r = 0; r < rows; r++) {
        const char *text = csv_cell (points, r, (int)column);

        if (sweepdata_level_of (a, text) < a->levels)
            continue;
        a->level[a->levels++] = text;
        a->numeric = a->numeric && !isnan (cell_number (text));
    }
    if (a->numeric)
        qsort (a->level, a->levels, sizeof (*a->level), sweepdata_by_number);
    return 0;
}

static int sweepdata_fill_axes (struct sweepdata *d, struct errtext *err)
{
    int state = csv_find (d->points, "state");

    if (state < COLUMN_AXES || csv_find (d->points, "point") != COLUMN_POINT ||
        csv_find (d->points, "label") != COLUMN_LABEL)
        return errf (err,
                     "%s/results/points.csv: not written by dftrace sweep "
                     "results: run that again",
                     d->dir);
    if (!(d->other = calloc ((size_t)state + 1, sizeof (*d->other))))
        return errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    for (int i = COLUMN_AXES; i < state; i++) {
        if (!sweepspec_is_axis (d, csv_head (d->points, (size_t)i))) {
            d->other[d->others++] = i;
            continue;
        }
        if (d->axes == AXES_MAX)
            return errf (err,
                         "%s: more than %d axes: a report cannot show them",
                         d->dir, AXES_MAX);
        if (sweepdata_fill_axis (&d->axis[d->axes++], d->points, (size_t)i) < 0)
            return errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    }
    return 0;
}

static int sweepdata_fill_points (struct sweepdata *d, struct errtext *err)
{
    d->count = csv_rows (d->points);
    if (!(d->point = calloc (d->count + 1, sizeof (*d->point))))
        return errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    for (size_t r = 0; r < d->count; r++) {
        struct sweep_point *p = &d->point[r];

        p->id = csv_cell (d->points, r, COLUMN_POINT);
        p->label = csv_cell (d->points, r, COLUMN_LABEL);
        p->state = csv_get (d->points, r, "state");
        for (size_t i = 0; i < d->axes; i++)
            p->level[i] = sweepdata_level_of (
                &d->axis[i], csv_cell (d->points, r, d->axis[i].column));
    }
    return 0;
}

/* --- all of it -------------------------------------------------------- */

static int sweepdata_load_tables (struct sweepdata *d,
                                  const char *dir,
                                  struct errtext *err)
{
    char *results = path_join (dir, "results");
    int rc = -1;

    if (!results)
        return errf (err, "%s: %s", dir, strerror (ENOMEM));
    if (!sweepdata_exists (results, "points.csv") ||
        !sweepdata_exists (results, "runs.csv"))
        (void)errf (err,
                    "%s: no results yet: run dftrace sweep results %s "
                    "first",
                    dir, dir);
    else if ((d->points = csv_load (results, "points.csv", err)) &&
             (d->runs = csv_load (results, "runs.csv", err)) &&
             (!sweepdata_exists (results, "long.csv") ||
              (d->units = csv_load (results, "long.csv", err))) &&
             (!sweepdata_exists (results, "operations.csv") ||
              (d->operations = csv_load (results, "operations.csv", err))))
        rc = 0;
    free (results);
    return rc;
}

static int sweepdata_load_manifest (struct sweepdata *d, struct errtext *err)
{
    char *path = path_join (d->dir, "manifest.json");
    struct ytree *t = path ? ytree_load (path, err) : NULL;
    const struct ynode *root = t ? ytree_root (t) : NULL;
    int rc = t ? 0 : -1;

    if (t && (!(d->name = strdup (ynode_text (root, "name", "sweep"))) ||
              !(d->created = strdup (ynode_text (root, "created", ""))) ||
              !(d->layers = strdup (ynode_text (root, "layers", "")))))
        rc = errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    ytree_destroy (t);
    free (path);
    return rc;
}

struct sweepdata *sweepdata_load (const char *dir, struct errtext *err)
{
    struct sweepdata *d = calloc (1, sizeof (*d));

    if (!d || !(d->dir = strdup (dir))) {
        (void)errf (err, "%s: %s", dir, strerror (ENOMEM));
        sweepdata_destroy (d);
        return NULL;
    }
    if (sweepdata_load_manifest (d, err) < 0 || sweepspec_load (d, err) < 0 ||
        sweepdata_load_tables (d, dir, err) < 0 ||
        sweepdata_fill_axes (d, err) < 0 || sweepspec_results (d) < 0 ||
        sweepdata_fill_points (d, err) < 0 || sweepops_load (d, err) < 0) {
        sweepdata_destroy (d);
        return NULL;
    }
    return d;
}

void sweepdata_destroy (struct sweepdata *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->axes; i++)
        free (d->axis[i].level);
    for (size_t i = 0; d->notes && i < strmap_count (d->notes); i++)
        free (strmap_value (d->notes, i));
    strmap_destroy (d->notes);
    for (size_t i = 0; i < d->ops; i++) {
        free (d->op[i].name);
        free (d->op[i].self);
    }
    free (d->op);
    free (d->point);
    free (d->plot);
    free (d->metric);
    free (d->other);
    ytree_destroy (d->spec);
    csv_destroy (d->points);
    csv_destroy (d->runs);
    csv_destroy (d->units);
    csv_destroy (d->operations);
    free (d->dir);
    free (d->name);
    free (d->created);
    free (d->layers);
    free (d);
}

/* --- asking ----------------------------------------------------------- */

static const char *sweepdata_statistic (const struct sweepdata *d,
                                        size_t row,
                                        const char *metric,
                                        const char *which)
{
    char name[160];

    (void)snprintf (name, sizeof (name), "%s_%s", metric, which);
    return csv_get (d->points, row, name);
}

static const char *
sweepdata_note_of (const struct sweepdata *d, size_t row, const char *metric)
{
    char key[160];
    int n = snprintf (key, sizeof (key), "%zu %s", row, metric);
    int64_t at = d->notes ? strmap_find (d->notes, key, (size_t)n) : -1;

    return at < 0 ? "not in the results" : strmap_value (d->notes, (size_t)at);
}

struct cell
sweepdata_cell (const struct sweepdata *d, size_t point, const char *metric)
{
    const struct sweep_point *p = &d->point[point];
    struct cell c = {.text = sweepdata_statistic (d, point, metric, "mean"),
                     .id = p->id,
                     .name = p->label};

    c.v = cell_number (c.text);
    c.lo = cell_number (sweepdata_statistic (d, point, metric, "min"));
    c.hi = cell_number (sweepdata_statistic (d, point, metric, "max"));
    if (isnan (c.v))
        c.why = strcmp (p->state, "done") != 0
                    ? p->state
                    : sweepdata_note_of (d, point, metric);
    return c;
}

int sweepdata_has (const struct sweepdata *d, const char *metric)
{
    for (size_t i = 0; i < d->count; i++)
        if (!isnan (sweepdata_cell (d, i, metric).v))
            return 1;
    return 0;
}

const char *sweepdata_unit (const struct sweepdata *d, const char *metric)
{
    int name = csv_find (d->units, "metric"),
        unit = csv_find (d->units, "unit");

    for (size_t r = 0; r < csv_rows (d->units); r++)
        if (strcmp (csv_cell (d->units, r, name), metric) == 0)
            return csv_cell (d->units, r, unit);
    return "";
}

long sweepdata_at (const struct sweepdata *d, const size_t level[AXES_MAX])
{
    for (size_t i = 0; i < d->count; i++)
        if (memcmp (d->point[i].level, level, d->axes * sizeof (level[0])) == 0)
            return (long)i;
    return -1;
}

long sweepdata_same (const struct sweepdata *b, const struct sweep_point *p)
{
    long by_label = -1;

    for (size_t i = 0; i < b->count; i++) {
        if (strcmp (b->point[i].id, p->id) == 0)
            return (long)i;
        if (by_label < 0 && strcmp (b->point[i].label, p->label) == 0)
            by_label = (long)i;
    }
    return by_label;
}
