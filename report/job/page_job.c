/* SPDX-License-Identifier: MIT
 *
 * page_job.c - a job directory -> its page
 *
 * In:  what `dftrace analyze` wrote, and the trace
 * Out: HTML: head, figures, tables
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/job/fig_job.h"
#include "report/chart/html.h"
#include "report/job/jobdata.h"
#include "report/page.h"
#include "report/job/page_dirs.h"
#include "report/job/page_insights.h"
#include "report/job/page_tables.h"
#include "report/chart/words.h"

/* --- head ------------------------------------------------------------- */

static void put_banner (FILE *out, const struct jobdata *d)
{
    static const struct {
        const char *key, *words;
    } kinds[] = {
        {"lost_events", "events lost or more"},
        {"lost_names", "names lost"},
        {"damaged_files", "trace files damaged or incomplete"},
        {"unreadable_files", "trace files unreadable"},
        {"stages_missing", "stages of nodes never collected"},
        {"untraced_processes", "processes not traced"},
    };
    int complete = strcmp (jobdata_health (d, "complete"), "true") == 0;
    double all = cell_number (jobdata_health (d, "events"));
    int any = 0;

    if (all > (double)d->scan->events)
        (void)fprintf (
            out,
            "<div class=\"banner\">Figures over time show %llu of "
            "%.0f events: they are drawn from traces of dftrace's own "
            "format; the tables have all.</div>\n",
            (unsigned long long)d->scan->events, all);
    if (complete && !d->scan->unreadable)
        return;
    (void)fputs ("<div class=\"banner\">Incomplete data: what follows lacks "
                 "events.",
                 out);
    for (size_t i = 0; i < sizeof (kinds) / sizeof (kinds[0]); i++) {
        double n = cell_number (jobdata_health (d, kinds[i].key));

        if (n > 0)
            (void)fprintf (out, "%s %.0f %s", any++ ? "," : "", n,
                           kinds[i].words);
    }
    if (d->scan->unreadable)
        (void)fprintf (out,
                       "%s the figures lack %llu parts of the trace that "
                       "cannot be read",
                       any++ ? "," : "",
                       (unsigned long long)d->scan->unreadable);
    (void)fputs (any ? ".</div>\n" : "</div>\n", out);
}

static void put_fact (FILE *out, const char *what, const char *value)
{
    if (!value[0] || strcmp (value, "0") == 0 || strcmp (value, "-1") == 0)
        return;
    (void)fputs ("<dt>", out);
    html_text (out, what);
    (void)fputs ("</dt><dd>", out);
    html_text (out, value);
    (void)fputs ("</dd>", out);
}

static void put_settings (FILE *out, const struct jobdata *d)
{
    const struct ynode *s =
        d->job ? ynode_get (ytree_root (d->job), "settings") : NULL;

    if (!s || s->type != YNODE_MAP || !s->count)
        return;
    (void)fputs ("<dt>settings</dt><dd>", out);
    for (size_t i = 0; i < s->count; i++) {
        if (s->item[i]->type != YNODE_SCALAR)
            continue;
        (void)fputs ("<code>", out);
        html_text (out, s->key[i]->text);
        (void)fputs ("=", out);
        html_text (out, s->item[i]->text);
        (void)fputs ("</code><br>", out);
    }
    (void)fputs ("</dd>", out);
}

static void put_facts (FILE *out, const struct jobdata *d)
{
    (void)fputs ("<dl>", out);
    put_fact (out, "job", jobdata_about (d, "job_id"));
    put_fact (out, "array job", jobdata_about (d, "array_job_id"));
    if (strcmp (jobdata_about (d, "array_job_id"), "0") != 0)
        put_fact (out, "array task", jobdata_about (d, "array_task_id"));
    put_fact (out, "sweep run", jobdata_about (d, "point"));
    put_fact (out, "user", jobdata_about (d, "user"));
    put_fact (out, "nodes", jobdata_about (d, "nodelist"));
    put_fact (out, "layers", jobdata_about (d, "layers"));
    put_fact (out, "created", jobdata_about (d, "created"));
    if (d->scan->processes)
        put_fact (out, "command", d->scan->process[0].command);
    put_settings (out, d);
    (void)fputs ("</dl>\n", out);
}

static void metric_card (FILE *out,
                         const struct jobdata *d,
                         const char *name,
                         const char *what)
{
    const char *unit;
    const char *value = jobdata_metric (d, name, &unit, NULL);
    char buf[WORDS_MAX];

    page_card (out, value_words (buf, cell_number (value), unit), what);
}

static void put_head (FILE *out, const struct jobdata *d)
{
    (void)fputs ("<p class=\"lead\">", out);
    html_text (out, jobdata_about (d, "processes"));
    (void)fputs (" processes, ", out);
    html_text (out, jobdata_about (d, "ranks"));
    (void)fputs (" ranks, ", out);
    html_text (out, jobdata_about (d, "hosts"));
    (void)fputs (" hosts</p>\n", out);
    put_banner (out, d);
    (void)fputs ("<div class=\"cards\">", out);
    metric_card (out, d, "job_time", "job time");
    metric_card (out, d, "posix_events", "POSIX events");
    metric_card (out, d, "app_events", "application events");
    metric_card (out, d, "read_bytes", "data read");
    metric_card (out, d, "read_bandwidth", "while reading");
    metric_card (out, d, "write_bytes", "written");
    metric_card (out, d, "loader_time", "loader time");
    metric_card (out, d, "stall_time", "waiting for data");
    metric_card (out, d, "checkpoint_time", "checkpoints");
    metric_card (out, d, "lost_events", "events lost");
    (void)fputs ("</div>\n", out);
    put_facts (out, d);
    (void)fputs ("<nav><a href=\"#insights\">Worth a look</a>"
                 "<a href=\"#figures\">Figures</a><a href=\"#metrics\">"
                 "Metrics</a><a href=\"#calls\">Calls</a><a "
                 "href=\"#operations\">Operations</a>"
                 "<a href=\"#ranks\">Ranks</a><a href=\"#files\">Files"
                 "</a></nav>\n",
                 out);
}

/* --- tables ----------------------------------------------------------- */

static void put_metrics (FILE *out, const struct jobdata *d)
{
    const struct ynode *m = ynode_get (ytree_root (d->metrics), "metrics");

    html_section (out, "metrics", "Metrics");
    page_table (out, 1);
    page_th (out, "t", "metric", NULL);
    page_th (out, NULL, "value", NULL);
    page_th (out, "t", "n/a because", NULL);
    page_table_body (out);
    for (size_t i = 0; i < m->count; i++) {
        const char *unit, *note;
        const char *value = jobdata_metric (d, m->key[i]->text, &unit, &note);

        (void)fputs ("<tr id=\"metric-", out);
        html_text (out, m->key[i]->text);
        (void)fputs ("\">", out);
        page_td (out, "t", m->key[i]->text);
        page_number (out, value, unit, note);
        page_td (out, "t", note);
        (void)fputs ("</tr>\n", out);
    }
    page_table_end (out);
    html_section_end (out);
}

int page_job (FILE *out, const char *dir, struct errtext *err)
{
    struct jobdata d;
    const char *title;
    int rc = jobdata_load (&d, dir, err);

    if (rc == 0) {
        title = jobdata_about (&d, "job_name");
        html_begin (out, title[0] ? title : jobdata_about (&d, "label"));
        put_head (out, &d);
        page_insights (out, &d);
        html_section (out, "figures", "Figures");
        if (fig_job (out, &d) < 0)
            rc = errf (err, "%s: %s", dir, strerror (ENOMEM));
        html_section_end (out);
        put_metrics (out, &d);
        page_tables (out, &d);
        if (rc == 0 && page_directories (out, &d) < 0)
            rc = errf (err, "%s: %s", dir, strerror (ENOMEM));
        html_end (out, "dftrace " PACKAGE_VERSION ", dftrace report. Numbers "
                       "are those of metrics.json and tables/; definitions: "
                       "dftrace help metrics.");
    }
    jobdata_clear (&d);
    return rc;
}
