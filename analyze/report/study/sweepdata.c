/* SPDX-License-Identifier: MIT
 *
 * sweepdata.c - a sweep directory -> points, their axes and numbers
 *
 * In:  manifest.json, results/{points,runs,long,operations}.csv
 * Out: struct sweepdata, to the pages, with axes of spec.yaml and times of
 *      metrics.json
 */
#include "config.h"

#include "analyze/report/page.h"
#include "analyze/report/study/roles.h"
#include "analyze/report/study/sweepdata.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/model/metric.h"
#include "lib/model/kind.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"
#include "lib/util/ytree.h"

/* --- what the frozen sweep file says about axes and results -----------------
 */

static const struct ynode *sweepspec_root (const struct sweepdata *d)
{
    return d->spec ? ytree_root (d->spec) : NULL;
}

/* Is a column of points.csv an axis? Without a sweep file all of them are;
 * with one, `const`, `derive` and companions of an axis are none. */
static int sweepspec_is_axis (const struct sweepdata *d, const char *column)
{
    const struct ynode *axes = ynode_get (sweepspec_root (d), "axes");

    return !axes || ynode_get (axes, column) != NULL;
}

static const char *sweepspec_metric (const struct ynode *n)
{
    int m;

    if (!n || n->type != YNODE_SCALAR)
        return NULL;
    m = metric_parse (n->text);
    return m < 0 ? n->text : metric_table[m].name;
}

static int sweepspec_axis (const struct sweepdata *d, const char *name)
{
    for (size_t i = 0; i < d->axes; i++)
        if (strcmp (d->axis[i].name, name) == 0)
            return (int)i;
    return NO_AXIS;
}

static void sweepspec_plot (struct sweepdata *d, const struct ynode *n)
{
    struct sweep_plot p = {.x = NO_AXIS, .by = NO_AXIS};

    if (n->type == YNODE_MAP) {
        p.x = sweepspec_axis (d, ynode_text (n, "x", ""));
        p.by = sweepspec_axis (d, ynode_text (n, "by", ""));
    }
    p.metric =
        sweepspec_metric (n->type == YNODE_MAP ? ynode_get (n, "metric") : n);
    if (p.metric)
        d->plot[d->plots++] = p;
}

static size_t sweepspec_count (const struct ynode *n)
{
    return !n ? 0 : n->type == YNODE_LIST ? n->count : 1;
}

/* Fill d->plot and d->metric; the axes of d must be there. Names of metrics
 * are those of today. */
static void sweepspec_results (struct sweepdata *d)
{
    const struct ynode *results = ynode_get (sweepspec_root (d), "results");
    const struct ynode *plots = ynode_get (results, "plots");
    const struct ynode *metrics = ynode_get (results, "metrics");
    size_t n = sweepspec_count (plots), m = sweepspec_count (metrics);

    d->plot = arena_array (n, sizeof (*d->plot));
    d->metric = arena_array (m, sizeof (*d->metric));
    for (size_t i = 0; i < n; i++)
        sweepspec_plot (d, plots->type == YNODE_LIST ? plots->item[i] : plots);
    for (size_t i = 0; i < m; i++) {
        const char *name = sweepspec_metric (
            metrics->type == YNODE_LIST ? metrics->item[i] : metrics);

        if (name)
            d->metric[d->metrics++] = name;
    }
}

/* --- metrics.json of a sweep's runs -> time of regions, notes ---------------
 */

static struct sweep_op *sweepops_find_op (struct sweepdata *d, const char *name)
{
    struct sweep_op *op;

    for (size_t i = 0; i < d->ops; i++)
        if (strcmp (d->op[i].name, name) == 0)
            return &d->op[i];
    d->op = arena_grow (d->op, d->ops, sizeof (*op));
    op = &d->op[d->ops++];
    *op = (struct sweep_op){.name = name,
                            .self = arena_array (d->count, sizeof (*op->self))};
    for (size_t i = 0; i < d->count; i++)
        op->self[i] = NAN;
    return op;
}

static void sweepops_add_op (struct sweepdata *d,
                             size_t row,
                             const struct ynode *o,
                             double runs)
{
    const char *category =
        ynode_text (o, "category", ynode_text (o, "cat", ""));
    const char *name = ynode_text (o, "name", "");
    double self = cell_number (ynode_text (o, "self_s", ""));
    struct sweep_op *op;

    if (isnan (self) || role_of (category, name) != ROLE_LOADER)
        return;
    op = sweepops_find_op (d, arena_format ("%s/%s", category, name));
    op->self[row] = (isnan (op->self[row]) ? 0 : op->self[row]) + self / runs;
    op->total += self / runs;
}

static void sweepops_add_note (struct sweepdata *d,
                               size_t row,
                               const char *metric,
                               const char *note)
{
    const char *key = arena_format ("%zu %s", row, metric);
    int isnew;
    int64_t at = strmap_intern (d->notes, key, strlen (key), &isnew);

    if (isnew)
        strmap_set (d->notes, at, arena_text (note));
}

static void sweepops_take (struct sweepdata *d,
                           size_t row,
                           const struct ynode *root,
                           double runs)
{
    const struct ynode *ops = ynode_get (root, "operations");
    const struct ynode *metrics = ynode_get (root, "metrics");

    for (size_t i = 0; ops && i < ops->count; i++)
        sweepops_add_op (d, row, ops->item[i], runs);
    for (size_t i = 0; metrics && i < metrics->count; i++) {
        const char *note = ynode_text (metrics->item[i], "note", "");

        if (metrics->type == YNODE_MAP && note[0])
            sweepops_add_note (d, row, metrics->key[i]->text, note);
    }
}

const char *sweepdata_trace (const struct sweepdata *d, size_t run)
{
    return arena_format (
        "%s/runs/%s.%s/r%s/a%s/trace", d->dir, csv_get (d->runs, run, "label"),
        csv_get (d->runs, run, "point"), csv_get (d->runs, run, "repeat"),
        csv_get (d->runs, run, "attempt"));
}

static int sweepops_by_total (const void *a, const void *b)
{
    const struct sweep_op *x = a, *y = b;

    return ORDER (y->total, x->total);
}

/* Fill d->op, d->notes and d->unread. A run whose metrics.json is missing or
 * damaged is counted in unread. */
static void sweepops_load (struct sweepdata *d)
{
    d->notes = strmap_create ();
    for (size_t row = 0; row < d->count; row++)
        for (size_t i = 0; i < d->point[row].runs; i++) {
            struct ytree *t =
                page_tree (sweepdata_trace (d, d->point[row].run[i]),
                           "metrics.json", NULL);

            if (!t)
                d->unread++;
            else
                sweepops_take (d, row, ytree_root (t), d->point[row].runs);
            ytree_destroy (t);
        }
    if (d->ops)
        SORT (d->op, d->ops, sweepops_by_total);
}

/* --- all of it --------------------------------------------------------------
 */
/* points.csv: point, label, one column an axis and a derived name, state, then
 * metrics. */
enum { COLUMN_POINT, COLUMN_LABEL, COLUMN_AXES };

int page_is_sweep (const char *path)
{
    return page_has (path, "manifest.json") && page_has (path, "plan.csv");
}

/* --- axes ------------------------------------------------------------- */

static int sweepdata_by_number (const void *a, const void *b)
{
    double x = cell_number (*(const char *const *)a);
    double y = cell_number (*(const char *const *)b);

    return ORDER (x, y);
}

/* Levels are numbered as they come, then by number where all are numbers. */
static void sweepdata_fill_axis (struct sweepdata *d, int column)
{
    struct axis *a = &d->axis[d->axes];
    struct strmap *seen = strmap_create ();
    size_t *number = arena_array (d->count, sizeof (*number));

    a->name = csv_head (d->points, column);
    a->numeric = 1;
    a->level = arena_array (d->count, sizeof (*a->level));
    for (size_t r = 0; r < d->count; r++) {
        const char *text = csv_cell (d->points, r, column);
        size_t at = strmap_intern (seen, text, strlen (text), NULL);

        d->point[r].level[d->axes] = at;
        a->level[at] = text;
        a->levels = MAX (a->levels, at + 1);
        a->numeric = a->numeric && !isnan (cell_number (text));
    }
    if (a->numeric)
        SORT (a->level, a->levels, sweepdata_by_number);
    for (size_t i = 0; i < a->levels; i++)
        number[strmap_find (seen, a->level[i], strlen (a->level[i]))] = i;
    for (size_t r = 0; r < d->count; r++)
        d->point[r].level[d->axes] = number[d->point[r].level[d->axes]];
    d->axes++;
    strmap_destroy (seen);
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
    d->count = csv_rows (d->points);
    d->point = arena_array (d->count, sizeof (*d->point));
    d->other = arena_array (state, sizeof (*d->other));
    for (int i = COLUMN_AXES; i < state; i++) {
        if (!sweepspec_is_axis (d, csv_head (d->points, i))) {
            d->other[d->others++] = i;
            continue;
        }
        if (d->axes == AXES_MAX)
            return errf (err,
                         "%s: more than %d axes: a report cannot show them",
                         d->dir, AXES_MAX);
        sweepdata_fill_axis (d, i);
    }
    return 0;
}

static void sweepdata_add_key (struct sweepdata *d,
                               enum point_key by,
                               const void *key,
                               size_t size,
                               struct sweep_point *p)
{
    int isnew = 0;
    int64_t at = strmap_intern (d->found[by], key, size, &isnew);

    if (isnew)
        strmap_set (d->found[by], at, p);
}

static void sweepdata_fill_points (struct sweepdata *d)
{
    for (size_t i = 0; i < POINT_KEYS; i++)
        d->found[i] = strmap_create ();
    for (size_t r = 0; r < d->count; r++) {
        struct sweep_point *p = &d->point[r];

        p->id = csv_cell (d->points, r, COLUMN_POINT);
        p->label = csv_cell (d->points, r, COLUMN_LABEL);
        p->state = csv_get (d->points, r, "state");
        sweepdata_add_key (d, POINT_BY_LEVELS, p->level, sizeof (p->level), p);
        sweepdata_add_key (d, POINT_BY_ID, p->id, strlen (p->id), p);
        sweepdata_add_key (d, POINT_BY_LABEL, p->label, strlen (p->label), p);
    }
    for (size_t r = 0; r < csv_rows (d->runs); r++) {
        long at = sweepdata_point (d, csv_get (d->runs, r, "point"));
        struct sweep_point *p = &d->point[at];

        if (at < 0 || strcmp (csv_get (d->runs, r, "state"), "done") != 0 ||
            csv_number (d->runs, r, "control") > 0)
            continue;
        p->run = arena_grow (p->run, p->runs, sizeof (*p->run));
        p->run[p->runs++] = r;
    }
}

/* --- all of it -------------------------------------------------------- */

static int sweepdata_load_tables (struct sweepdata *d,
                                  const char *dir,
                                  struct errtext *err)
{
    const char *results = arena_format ("%s/results", dir);
    int rc = -1;

    if (!page_has (results, "points.csv") || !page_has (results, "runs.csv"))
        errf (err,
              "%s: no results yet: run dftrace sweep results "
              "--write %s first",
              dir, dir);
    else if ((d->points = csv_load (results, "points.csv", err)) &&
             (d->runs = csv_load (results, "runs.csv", err)) &&
             (!page_has (results, "long.csv") ||
              (d->units = csv_load (results, "long.csv", err))) &&
             (!page_has (results, "operations.csv") ||
              (d->operations = csv_load (results, "operations.csv", err))))
        rc = 0;
    return rc;
}

static int sweepdata_load_manifest (struct sweepdata *d, struct errtext *err)
{
    const struct ynode *root;

    if (!(d->manifest = page_tree (d->dir, "manifest.json", err)))
        return -1;
    root = ytree_root (d->manifest);
    d->name = ynode_text (root, "name", "sweep");
    d->created = ynode_text (root, "created", "");
    d->layers = ynode_text (root, "layers", "");
    return 0;
}

struct sweepdata *sweepdata_load (const char *dir, struct errtext *err)
{
    struct sweepdata *d = arena_alloc (sizeof (*d));

    d->dir = dir;
    if (sweepdata_load_manifest (d, err) < 0 ||
        (page_has (dir, "spec.yaml") &&
         !(d->spec = page_tree (dir, "spec.yaml", err))) ||
        sweepdata_load_tables (d, dir, err) < 0 ||
        sweepdata_fill_axes (d, err) < 0) {
        sweepdata_destroy (d);
        return NULL;
    }
    sweepspec_results (d);
    sweepdata_fill_points (d);
    sweepops_load (d);
    return d;
}

void sweepdata_destroy (struct sweepdata *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < POINT_KEYS; i++)
        strmap_destroy (d->found[i]);
    strmap_destroy (d->notes);
    ytree_destroy (d->manifest);
    ytree_destroy (d->spec);
    csv_destroy (d->points);
    csv_destroy (d->runs);
    csv_destroy (d->units);
    csv_destroy (d->operations);
}

/* --- asking ----------------------------------------------------------- */

static const char *sweepdata_statistic (const struct sweepdata *d,
                                        size_t row,
                                        const char *metric,
                                        const char *which)
{
    char name[160];

    FORMAT (name, "%s_%s", metric, which);
    return csv_get (d->points, row, name);
}

static const char *
sweepdata_note_of (const struct sweepdata *d, size_t row, const char *metric)
{
    char key[160];
    int n = FORMAT (key, "%zu %s", row, metric);
    int64_t at = strmap_find (d->notes, key, n);

    return at < 0 ? "not in the results" : strmap_value (d->notes, at);
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

static long sweepdata_find (const struct sweepdata *d,
                            enum point_key by,
                            const void *key,
                            size_t size)
{
    int64_t at = strmap_find (d->found[by], key, size);
    const struct sweep_point *p =
        at < 0 ? NULL : strmap_value (d->found[by], at);

    return p ? (long)(p - d->point) : -1;
}

long sweepdata_at (const struct sweepdata *d, const size_t level[AXES_MAX])
{
    return sweepdata_find (d, POINT_BY_LEVELS, level,
                           AXES_MAX * sizeof (*level));
}

long sweepdata_beside (const struct sweepdata *d,
                       size_t point,
                       size_t axis,
                       size_t level)
{
    size_t want[AXES_MAX];

    memcpy (want, d->point[point].level, sizeof (want));
    want[axis] = level;
    return sweepdata_at (d, want);
}

long sweepdata_point (const struct sweepdata *d, const char *id)
{
    return sweepdata_find (d, POINT_BY_ID, id, strlen (id));
}

long sweepdata_same (const struct sweepdata *b, const struct sweep_point *p)
{
    long at = sweepdata_point (b, p->id);

    return at >= 0 ? at
                   : sweepdata_find (b, POINT_BY_LABEL, p->label,
                                     strlen (p->label));
}

long sweepdata_run (const struct sweepdata *d,
                    const struct sweep_point *p,
                    const char *repeat)
{
    for (size_t i = 0; i < p->runs; i++)
        if (strcmp (csv_get (d->runs, p->run[i], "repeat"), repeat) == 0)
            return (long)p->run[i];
    return -1;
}
