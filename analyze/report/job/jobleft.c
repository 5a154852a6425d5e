/* SPDX-License-Identifier: MIT
 *
 * jobleft.c - what an earlier analysis wrote -> the page of a job whose traces
 *             have gone
 *
 * In:  metrics.json and tables/ of a job directory
 * Out: the facts, metrics, findings and tables of struct jobdata
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/untraced.h"
#include "lib/base/parse.h"
#include "lib/util/fsutil.h"
#include "analyze/report/csv.h"
#include "analyze/report/job/jobdata.h"

static const char *left_text (const struct ynode *n, const char *key)
{
    const char *text = ynode_text (n, key, "");

    return strcmp (text, "null") == 0 ? "" : text;
}

static uint64_t left_number (const struct ynode *n, const char *key)
{
    uint64_t value = 0;

    (void)parse_u64 (left_text (n, key), &value);
    return value;
}

static void left_facts (struct jobdata *d)
{
    const struct ynode *job = ynode_get (ytree_root (d->metrics), "job");
    const struct ynode *health = ynode_get (ytree_root (d->metrics), "health");
    const char *task = left_text (job, "array_task_id");

    d->facts = (struct job_facts){
        .label = left_text (job, "label"),
        .name = left_text (job, "job_name"),
        .user = left_text (job, "user"),
        .nodelist = left_text (job, "nodelist"),
        .point = left_text (job, "point"),
        .created = d->job ? left_text (ytree_root (d->job), "created") : "",
        .layers = left_text (job, "layers"),
        .job_id = left_number (job, "job_id"),
        .array_job_id = left_number (job, "array_job_id"),
        .array_task_id =
            task[0] ? (int64_t)left_number (job, "array_task_id") : -1,
        .processes = left_number (job, "processes"),
        .ranks = left_number (job, "ranks"),
        .hosts = left_number (job, "hosts"),
        .complete = strcmp (left_text (health, "complete"), "true") == 0,
        .events = left_number (health, "events"),
        .lost_events = left_number (health, "lost_events"),
        .lost_names = left_number (health, "lost_names"),
        .damaged_files = left_number (health, "damaged_files"),
        .unreadable_files = left_number (health, "unreadable_files"),
        .stages_missing = left_number (health, "stages_missing"),
        .untraced_processes = left_number (health, "untraced_processes")};
}

/* By job.json, where processes that were traced after all have no row. */
static void left_gone (struct jobdata *d)
{
    struct untraced u = {.count = 0};
    uint64_t sum;

    if (untraced_load (&u, d->dir) == 0) {
        untracedlist_settle (&u);
        sum = untracedlist_sum (&u);
        (void)untracedlist_words (&u,
                                  d->facts.untraced_processes > sum
                                      ? d->facts.untraced_processes - sum
                                      : 0,
                                  d->gone, sizeof (d->gone), SUMMARY_WORDS);
    }
    untracedlist_clear (&u);
}

static int left_metrics (struct jobdata *d, struct errtext *err)
{
    const struct ynode *all = ynode_get (ytree_root (d->metrics), "metrics");

    if (!all)
        return errf (err,
                     "%s/metrics.json: no metrics in it: run dftrace "
                     "analyze %s again",
                     d->dir, d->dir);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct ynode *n = ynode_get (all, metric_table[m].name);

        d->metric[m] = (struct job_metric){cell_number (left_text (n, "value")),
                                           n ? left_text (n, "note")
                                             : "not in metrics.json"};
    }
    return 0;
}

static int left_finding (struct jobdata *d, const struct ynode *n)
{
    struct job_finding *f = &d->finding[d->findings++];
    const struct ynode *rows = ynode_get (n, "rows");

    *f = (struct job_finding){.severity = left_text (n, "severity"),
                              .cost = cell_number (left_text (n, "cost_s")),
                              .percent =
                                  cell_number (left_text (n, "cost_percent")),
                              .rule = left_text (n, "rule"),
                              .finding = left_text (n, "finding"),
                              .advice = left_text (n, "advice"),
                              .view = left_text (n, "view"),
                              .a_is = left_text (n, "a_is"),
                              .b_is = left_text (n, "b_is"),
                              .value = cell_number (left_text (n, "value")),
                              .limit = cell_number (left_text (n, "limit")),
                              .a = cell_number (left_text (n, "a")),
                              .b = cell_number (left_text (n, "b"))};
    for (size_t k = 0; rows && rows->type == YNODE_LIST && k < rows->count &&
                       k < INSIGHT_ROWS_MAX;
         k++) {
        f->row[k].row = left_number (rows->item[k], "row");
        f->row[k].name = strdup (left_text (rows->item[k], "name"));
        if (!f->row[k].name)
            return -1;
        f->rows++;
    }
    return 0;
}

static int left_findings (struct jobdata *d)
{
    const struct ynode *list = ynode_get (ytree_root (d->metrics), "insights");
    size_t n = list && list->type == YNODE_LIST ? list->count : 0;

    if (!(d->finding = calloc (n + 1, sizeof (*d->finding))))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (left_finding (d, list->item[i]) < 0)
            return -1;
    return 0;
}

static struct textable *left_table (const struct csv *c)
{
    struct textable *t = textable_create ();

    for (size_t i = 0; t && i < csv_columns (c); i++)
        textable_column (t, csv_head (c, i), NULL, NULL, 0);
    for (size_t r = 0; t && r < csv_rows (c); r++) {
        textable_row (t);
        for (size_t i = 0; i < csv_columns (c); i++) {
            const char *text = csv_cell (c, r, (int)i);

            if (*text)
                textable_text (t, text);
            else
                textable_na (t);
        }
    }
    return t;
}

static int left_tables (struct jobdata *d, struct errtext *err)
{
    static const enum view views[] = {
#define TABLE(VIEW, WHEN, MOST) VIEW_##VIEW,
#include "analyze/report/job/jobtables.def"
#undef TABLE
    };

    for (size_t i = 0; i < sizeof (views) / sizeof (views[0]); i++) {
        enum view v = views[i];
        char *name = text_format ("tables/%s.csv", view_table[v].file);
        struct csv *c = name ? csv_load (d->dir, name, err) : NULL;

        free (name);
        if (!c)
            return -1;
        d->table[v] = left_table (c);
        csv_destroy (c);
        if (!d->table[v])
            return errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    }
    return 0;
}

int jobleft_load (struct jobdata *d, struct errtext *err)
{
    char *path = path_join (d->dir, "metrics.json");

    (void)errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    d->metrics = path ? ytree_load (path, err) : NULL;
    free (path);
    if (!d->metrics || left_metrics (d, err) < 0)
        return -1;
    left_facts (d);
    left_gone (d);
    if (left_findings (d) < 0)
        return errf (err, "%s: %s", d->dir, strerror (ENOMEM));
    return left_tables (d, err);
}
