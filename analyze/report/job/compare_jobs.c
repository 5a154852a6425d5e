/* SPDX-License-Identifier: MIT
 *
 * compare_jobs.c - two jobs -> what differs between them
 *
 * In:  what `dftrace analyze` wrote of both, and their traces
 * Out: HTML: settings, timelines, metrics, operations, calls
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/report/compare.h"
#include "analyze/report/job/compare_times.h"
#include "analyze/report/job/fig_job.h"
#include "lib/chart/html.h"
#include "analyze/report/job/jobdata.h"
#include "analyze/report/page.h"

static const struct ynode *jobs_settings (const struct jobdata *d)
{
    return d->job ? ynode_get (ytree_root (d->job), "settings") : NULL;
}

static void
compare_count (FILE *out, const char *what, uint64_t a, uint64_t b, size_t *n)
{
    char x[24], y[24];

    (void)snprintf (x, sizeof (x), "%" PRIu64, a);
    (void)snprintf (y, sizeof (y), "%" PRIu64, b);
    compare_change (out, what, x, y, n);
}

/* Where a job writes differs always. */
static int jobs_is_place (const char *setting)
{
    return strcmp (setting, "DFTRACE_JOB_DIR") == 0 ||
           strcmp (setting, "DFTRACE_OUTPUT") == 0;
}

/* Settings of both; where the page of a job would show them. */
static void
jobs_job_changes (FILE *out, const struct jobdata *a, const struct jobdata *b)
{
    const struct job_facts *f = &a->facts, *g = &b->facts;
    const struct ynode *x = jobs_settings (a), *y = jobs_settings (b);
    size_t n = 0;

    html_section (out, "changes", "What differs");
    compare_change (out, "job_name", f->name, g->name, &n);
    compare_change (out, "nodelist", f->nodelist, g->nodelist, &n);
    compare_change (out, "layers", f->layers, g->layers, &n);
    compare_count (out, "processes", f->processes, g->processes, &n);
    compare_count (out, "ranks", f->ranks, g->ranks, &n);
    if (a->command && b->command)
        compare_change (out, "command", a->command, b->command, &n);
    for (size_t i = 0; x && i < x->count; i++)
        if (!jobs_is_place (x->key[i]->text))
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
jobs_job_metrics (FILE *out, const struct jobdata *a, const struct jobdata *b)
{
    html_section (out, "metrics", "Metrics");
    compare_heads (out, "metric", NULL);
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (isnan (a->metric[m].value) && isnan (b->metric[m].value))
            continue;
        page_row (out, NULL, 0);
        page_td (out, "t", metric_table[m].name);
        compare_values (out, a->metric[m].value, b->metric[m].value,
                        metric_table[m].unit);
        page_row_end (out);
    }
    page_table_end (out);
    html_open (out, "p", "note");
    html_text (out, "n/a in both:");
    for (int m = 0; m < METRIC_COUNT; m++)
        if (isnan (a->metric[m].value) && isnan (b->metric[m].value))
            html_format (out, " %s", metric_table[m].name);
    html_text (out, ".");
    html_close (out, "p");
    html_section_end (out);
}

/* A view of both jobs, by two of its columns. */
struct compared {
    enum view view;
    const char *heading, *key[2], *value, *unit;
};

static const char *compared_key (const struct textable *t,
                                 size_t row,
                                 const char *column,
                                 char *buf)
{
    return textable_cell (t, row, textable_find (t, column), buf);
}

/* Row of t with the same keys as row `row` of `of`, or the number of rows. */
static size_t jobs_same_row (const struct compared *c,
                             const struct textable *t,
                             const struct textable *of,
                             size_t row)
{
    char b[4][TEXTABLE_NUMBER_MAX];
    const char *x = compared_key (of, row, c->key[0], b[0]);
    const char *y = compared_key (of, row, c->key[1], b[1]);
    size_t r = 0;

    while (r < textable_rows (t) &&
           (strcmp (compared_key (t, r, c->key[0], b[2]), x) != 0 ||
            strcmp (compared_key (t, r, c->key[1], b[3]), y) != 0))
        r++;
    return r;
}

/* Rows of both tables by two keys: first those of B, then what only A has. */
static void jobs_job_table (FILE *out,
                            const struct jobdata *a,
                            const struct jobdata *b,
                            const struct compared *c)
{
    const struct textable *ta = a->table[c->view], *tb = b->table[c->view];
    size_t rows = textable_rows (tb);
    char buf[2][TEXTABLE_NUMBER_MAX];

    html_section (out, c->value, c->heading);
    compare_heads (out, c->key[0], c->key[1]);
    for (size_t r = 0; r < rows + textable_rows (ta); r++) {
        const struct textable *t = r < rows ? tb : ta;
        size_t at = r < rows ? r : r - rows;
        size_t in_b = jobs_same_row (c, tb, t, at);

        if (t == ta && in_b < rows)
            continue;
        page_row (out, NULL, 0);
        page_td (out, "t", compared_key (t, at, c->key[0], buf[0]));
        page_td (out, "t", compared_key (t, at, c->key[1], buf[1]));
        compare_values (
            out,
            jobdata_number (a, c->view, jobs_same_row (c, ta, t, at), c->value),
            jobdata_number (b, c->view, in_b, c->value), c->unit);
        page_row_end (out);
    }
    page_table_end (out);
    html_section_end (out);
}

static int
jobs_job_timelines (FILE *out, const struct jobdata *a, const struct jobdata *b)
{
    double longest = fmax (a->scan ? bins_seconds (&a->scan->bins) : 0,
                           b->scan ? bins_seconds (&b->scan->bins) : 0);
    int rc = 0;

    html_section (out, "figures", "Timelines");
    html_paragraph (out, "note", "Both on one time scale.");
    if ((a->scan && fig_timeline (out, a->scan, &a->scan->processes,
                                  "fig-timeline-a", "A", longest) < 0) ||
        (b->scan && fig_timeline (out, b->scan, &b->scan->processes,
                                  "fig-timeline-b", "B", longest) < 0))
        rc = -1;
    html_section_end (out);
    return rc;
}

int compare_jobs (FILE *out,
                  const char *dir_a,
                  const char *dir_b,
                  const struct kind_rules *rules,
                  struct errtext *err)
{
    static const struct compared operations = {
        VIEW_operation, "Time of regions", {"category", "name"}, "sum_s", "s"};
    static const struct compared calls = {
        VIEW_call, "Number of calls", {"category", "name"}, "count", ""};
    struct jobdata a, b;
    int rc;

    memset (&b, 0, sizeof (b));
    rc = jobdata_load (&a, dir_a, rules, err);
    if (rc == 0)
        rc = jobdata_load (&b, dir_b, rules, err);
    if (rc == 0) {
        compare_begin (out, dir_a, dir_b, a.facts.name, b.facts.name);
        jobs_job_changes (out, &a, &b);
        if (compare_times (out, &a, &b) < 0 ||
            jobs_job_timelines (out, &a, &b) < 0)
            rc = errf (err, "%s: %s", dir_a, strerror (ENOMEM));
        jobs_job_metrics (out, &a, &b);
        jobs_job_table (out, &a, &b, &operations);
        jobs_job_table (out, &a, &b, &calls);
        html_end (out, "dftrace " PACKAGE_VERSION ", dftrace report");
    }
    jobdata_clear (&a);
    jobdata_clear (&b);
    return rc;
}
