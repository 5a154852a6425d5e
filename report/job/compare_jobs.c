/* SPDX-License-Identifier: MIT
 *
 * compare_jobs.c - two jobs -> what differs between them
 *
 * In:  what `dftrace analyze` wrote of both, and their traces
 * Out: HTML: settings, timelines, metrics, operations, calls
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "report/compare.h"
#include "report/job/fig_job.h"
#include "report/chart/html.h"
#include "report/job/jobdata.h"
#include "report/page.h"

static const struct ynode *settings (const struct jobdata *d)
{
    return d->job ? ynode_get (ytree_root (d->job), "settings") : NULL;
}

/* Settings of both; where the page of a job would show them. */
static void
job_changes (FILE *out, const struct jobdata *a, const struct jobdata *b)
{
    static const char *const facts[] = {"job_name", "nodelist", "layers",
                                        "processes", "ranks"};
    const struct ynode *x = settings (a), *y = settings (b);
    size_t n = 0;

    html_section (out, "changes", "What differs");
    for (size_t i = 0; i < sizeof (facts) / sizeof (facts[0]); i++)
        compare_change (out, facts[i], jobdata_about (a, facts[i]),
                        jobdata_about (b, facts[i]), &n);
    if (a->scan->processes && b->scan->processes)
        compare_change (out, "command", a->scan->process[0].command,
                        b->scan->process[0].command, &n);
    for (size_t i = 0; x && i < x->count; i++)
        if (strcmp (x->key[i]->text, "DFTRACE_JOB_DIR") != 0)
            compare_change (out, x->key[i]->text,
                            ynode_text (x, x->key[i]->text, ""),
                            ynode_text (y, x->key[i]->text, "not set"), &n);
    for (size_t i = 0; y && i < y->count; i++)
        if (!ynode_get (x, y->key[i]->text))
            compare_change (out, y->key[i]->text, "not set",
                            ynode_text (y, y->key[i]->text, ""), &n);
    compare_end_changes (out, n);
}

static void
job_metrics (FILE *out, const struct jobdata *a, const struct jobdata *b)
{
    const struct ynode *m = ynode_get (ytree_root (b->metrics), "metrics");

    html_section (out, "metrics", "Metrics");
    compare_heads (out, "metric", NULL);
    for (size_t i = 0; i < m->count; i++) {
        const char *name = m->key[i]->text, *unit;
        const char *y = jobdata_metric (b, name, &unit, NULL);

        (void)fputs ("<tr>", out);
        page_td (out, "t", name);
        compare_values (out, jobdata_metric (a, name, NULL, NULL), y, unit);
        (void)fputs ("</tr>\n", out);
    }
    page_table_end (out);
    html_section_end (out);
}

/* Row of c with the same two first keys, or the number of rows. */
static size_t same_row (const struct csv *c,
                        const char *key1,
                        const char *key2,
                        const char *v1,
                        const char *v2)
{
    size_t r = 0;

    while (r < csv_rows (c) && (strcmp (csv_get (c, r, key1), v1) != 0 ||
                                strcmp (csv_get (c, r, key2), v2) != 0))
        r++;
    return r;
}

/* Rows of both tables by two keys: first those of B, then what only A has. */
static void job_table (FILE *out,
                       const char *heading,
                       const struct csv *a,
                       const struct csv *b,
                       const char *key1,
                       const char *key2,
                       const char *value,
                       const char *unit)
{
    html_section (out, value, heading);
    compare_heads (out, key1, key2);
    for (size_t r = 0; r < csv_rows (b) + csv_rows (a); r++) {
        const struct csv *c = r < csv_rows (b) ? b : a;
        size_t at = r < csv_rows (b) ? r : r - csv_rows (b);
        const char *v1 = csv_get (c, at, key1), *v2 = csv_get (c, at, key2);
        size_t in_a = same_row (a, key1, key2, v1, v2);
        size_t in_b = same_row (b, key1, key2, v1, v2);

        if (c == a && in_b < csv_rows (b))
            continue;
        (void)fputs ("<tr>", out);
        page_td (out, "t", v1);
        page_td (out, "t", v2);
        compare_values (out, csv_get (a, in_a, value), csv_get (b, in_b, value),
                        unit);
        (void)fputs ("</tr>\n", out);
    }
    page_table_end (out);
    html_section_end (out);
}

int compare_jobs (FILE *out,
                  const char *dir_a,
                  const char *dir_b,
                  struct errtext *err)
{
    struct jobdata a, b = {0};
    int rc = jobdata_load (&a, dir_a, err);

    if (rc == 0)
        rc = jobdata_load (&b, dir_b, err);
    if (rc == 0) {
        compare_begin (out, dir_a, dir_b, jobdata_about (&a, "job_name"),
                       jobdata_about (&b, "job_name"));
        job_changes (out, &a, &b);
        html_section (out, "figures", "Timelines");
        if (fig_timeline (out, &a, "fig-timeline-a", "A") < 0 ||
            fig_timeline (out, &b, "fig-timeline-b", "B") < 0)
            rc = errf (err, "%s: %s", dir_a, strerror (ENOMEM));
        html_section_end (out);
        job_metrics (out, &a, &b);
        job_table (out, "Time of operations", a.operations, b.operations,
                   "category", "name", "sum_s", "s");
        job_table (out, "Number of calls", a.calls, b.calls, "category", "name",
                   "count", "");
        html_end (out, "dftrace " PACKAGE_VERSION ", dftrace report");
    }
    jobdata_clear (&a);
    jobdata_clear (&b);
    return rc;
}
