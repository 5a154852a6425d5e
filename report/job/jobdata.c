/* SPDX-License-Identifier: MIT
 *
 * jobdata.c - a job directory -> what analyze wrote, and its trace
 *
 * In:  metrics.json, tables/, job.json, the trace
 * Out: struct jobdata, to the page of a job
 */
#include "config.h"

#include "report/job/jobdata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/core/settings/parse.h"
#include "lib/util/fsutil.h"
#include "report/job/jobfaults.h"

static struct ytree *
load_tree (const char *dir, const char *name, struct errtext *err)
{
    char *path = path_join (dir, name);
    struct ytree *t = NULL;

    if (!path)
        (void)errf (err, "%s/%s: %s", dir, name, strerror (ENOMEM));
    else
        t = ytree_load (path, err);
    free (path);
    return t;
}

static int has (const char *dir, const char *name)
{
    char *path = path_join (dir, name);
    int yes = path && access (path, F_OK) == 0;

    free (path);
    return yes;
}

static int load_tables (struct jobdata *d, struct errtext *err)
{
    const struct {
        struct csv **to;
        const char *name;
    } tables[] = {
#define TABLE(NAME, WHEN, MOST) {&d->NAME, #NAME ".csv"},
#include "report/job/jobtables.def"
#undef TABLE
    };
    char *dir = path_join (d->dir, "tables");
    int rc = dir ? 0 : errf (err, "%s: %s", d->dir, strerror (ENOMEM));

    for (size_t i = 0; rc == 0 && i < sizeof (tables) / sizeof (tables[0]); i++)
        if (!(*tables[i].to = csv_load (dir, tables[i].name, err)))
            rc = -1;
    free (dir);
    return rc;
}

static uint64_t nanoseconds (const struct jobdata *d, const char *key)
{
    uint64_t n = 0;

    (void)parse_u64 (jobdata_about (d, key), &n);
    return n;
}

int jobdata_load (struct jobdata *d, const char *dir, struct errtext *err)
{
    memset (d, 0, sizeof (*d));
    d->dir = dir;
    /* tasks of arrays have metrics, and no tables yet */
    if (!has (dir, "metrics.json") || !has (dir, "tables"))
        return errf (err,
                     "%s: not analyzed yet, or no job directory: run "
                     "dftrace analyze %s first",
                     dir, dir);
    if (!(d->metrics = load_tree (dir, "metrics.json", err)) ||
        (has (dir, "job.json") && !(d->job = load_tree (dir, "job.json", err))))
        return -1;
    if (!ytree_root (d->metrics) ||
        !ynode_get (ytree_root (d->metrics), "metrics"))
        return errf (err,
                     "%s/metrics.json: no metrics in it: run dftrace "
                     "analyze %s again",
                     dir, dir);
    if (load_tables (d, err) < 0)
        return -1;
    d->scan = jobscan_load (dir, nanoseconds (d, "start_real_ns"),
                            nanoseconds (d, "end_real_ns"), err);
    if (!d->scan)
        return -1;
    jobfaults_take (d->scan, d->fault_times);
    return 0;
}

void jobdata_clear (struct jobdata *d)
{
    ytree_destroy (d->metrics);
    ytree_destroy (d->job);
#define TABLE(NAME, WHEN, MOST) csv_destroy (d->NAME);
#include "report/job/jobtables.def"
#undef TABLE
    jobscan_destroy (d->scan);
    memset (d, 0, sizeof (*d));
}

static const char *
under (const struct jobdata *d, const char *part, const char *key)
{
    return ynode_text (ynode_get (ytree_root (d->metrics), part), key, "");
}

const char *jobdata_about (const struct jobdata *d, const char *key)
{
    const char *text = under (d, "job", key);

    if (!text[0] && d->job)
        text = ynode_text (ytree_root (d->job), key, "");
    return text;
}

const char *jobdata_health (const struct jobdata *d, const char *key)
{
    return under (d, "health", key);
}

const char *jobdata_metric (const struct jobdata *d,
                            const char *name,
                            const char **unit,
                            const char **note)
{
    const struct ynode *m =
        ynode_get (ynode_get (ytree_root (d->metrics), "metrics"), name);
    const char *value = ynode_text (m, "value", "");

    if (unit)
        *unit = ynode_text (m, "unit", "");
    if (note)
        *note = ynode_text (m, "note", "");
    return strcmp (value, "null") == 0 ? "" : value;
}

double jobdata_number (const struct jobdata *d, const char *name)
{
    return cell_number (jobdata_metric (d, name, NULL, NULL));
}
