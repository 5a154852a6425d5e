/* SPDX-License-Identifier: MIT
 *
 * sweepspec.c - what the frozen sweep file says about axes and results
 *
 * In:  spec.yaml of a sweep directory, checked when it was frozen
 * Out: which columns are axes; plots and metrics that the page shows
 */
#include "config.h"

#include "analyze/report/study/sweepspec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/model/metric.h"
#include "lib/util/fsutil.h"
#include "lib/util/ytree.h"
#include "analyze/report/study/roles.h"
#include "analyze/report/study/sweepdata.h"

int sweepspec_load (struct sweepdata *d, struct errtext *err)
{
    char *path = path_join (d->dir, "spec.yaml");
    int rc = 0;

    if (!path)
        rc = errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    else if (access (path, F_OK) == 0 && !(d->spec = ytree_load (path, err)))
        rc = -1;
    free (path);
    return rc;
}

static const struct ynode *sweepspec_root (const struct sweepdata *d)
{
    return d->spec ? ytree_root (d->spec) : NULL;
}

int sweepspec_is_axis (const struct sweepdata *d, const char *column)
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

int sweepspec_results (struct sweepdata *d)
{
    const struct ynode *results = ynode_get (sweepspec_root (d), "results");
    const struct ynode *plots = ynode_get (results, "plots");
    const struct ynode *metrics = ynode_get (results, "metrics");
    size_t n = sweepspec_count (plots), m = sweepspec_count (metrics);

    if (!(d->plot = calloc (n + 1, sizeof (*d->plot))) ||
        !(d->metric = calloc (m + 1, sizeof (*d->metric))))
        return -1;
    for (size_t i = 0; i < n; i++)
        sweepspec_plot (d, plots->type == YNODE_LIST ? plots->item[i] : plots);
    for (size_t i = 0; i < m; i++) {
        const char *name = sweepspec_metric (
            metrics->type == YNODE_LIST ? metrics->item[i] : metrics);

        if (name)
            d->metric[d->metrics++] = name;
    }
    return 0;
}
