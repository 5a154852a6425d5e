/* SPDX-License-Identifier: MIT
 *
 * page_insights.c - what is worth a look in a job, as a section of its page
 *
 * In:  findings of struct jobdata
 * Out: HTML: each finding with its numbers, a link to where they are from,
 *      and what to try
 */
#include "config.h"

#include "analyze/report/job/page_insights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/view.h"
#include "lib/chart/html.h"
#include "lib/chart/words.h"
#include "analyze/report/job/page_tables.h"
#include "analyze/report/page.h"

/* The section of the page that shows a view: its file, processes with the
 * ranks; the metrics where there is none. */
static const char *insights_table_of (const struct jobdata *d, const char *view)
{
    int v = view_parse (strcmp (view, "process") == 0 ? "rank" : view);
    const char *table = v < 0 ? "metrics" : view_table[v].file;

    return page_tables_row (d, table, 1) ? table : "metrics";
}

/* "stall_time s" names a metric, which has a row of its own: its name. */
static const char *insights_names_metric (const char *what)
{
    size_t n = strcspn (what, " ");

    for (int m = 0; m < METRIC_COUNT; m++)
        if (n && strlen (metric_table[m].name) == n &&
            strncmp (metric_table[m].name, what, n) == 0)
            return metric_table[m].name;
    return NULL;
}

static void insights_put_part (FILE *out, double value, const char *what)
{
    const char *metric = insights_names_metric (what);
    char words[WORDS_MAX];

    html_format (out, "%s ", number_words (words, value));
    if (metric) {
        html_link (out, "metric", metric, metric);
        what += strlen (metric);
    }
    html_text (out, what);
}

/* "1.86 = 26 763 opens / 14 348 samples", each a link where it has a row. */
static void insights_put_numbers (FILE *out, const struct job_finding *f)
{
    char words[WORDS_MAX];

    html_element (out, "b", NULL, number_words (words, f->value));
    html_format (out, " (limit %s) = ", number_words (words, f->limit));
    insights_put_part (out, f->a, f->a_is);
    html_text (out, " / ");
    insights_put_part (out, f->b, f->b_is);
}

/* A row that decides, as a link where the page has it. */
static void insights_put_row (FILE *out,
                              const struct jobdata *d,
                              const char *view,
                              size_t row,
                              const char *name)
{
    const char *table = insights_table_of (d, view),
               *metric = insights_names_metric (name);
    char number[24];

    (void)snprintf (number, sizeof (number), "%zu", row);
    if (strcmp (view, "metric") == 0 && metric)
        html_link (out, "metric", metric, name);
    else if (strcmp (view, "process") != 0 && page_tables_row (d, table, row))
        html_link (out, table, number, name);
    else
        html_text (out, name);
}

/* "; from POSIX/read, POSIX/pread of calls" */
static void insights_put_origin (FILE *out,
                                 const struct jobdata *d,
                                 const struct job_finding *f)
{
    const char *table = insights_table_of (d, f->view);

    html_text (out, "; from ");
    for (size_t i = 0; i < f->rows; i++) {
        html_text (out, i ? ", " : "");
        insights_put_row (out, d, f->view, f->row[i].row, f->row[i].name);
    }
    html_text (out, f->rows ? " of " : "");
    html_link (out, table, "", table);
}

static void insights_put_insight (FILE *out,
                                  const struct jobdata *d,
                                  const struct job_finding *f)
{
    int critical = strcmp (f->severity, "critical") == 0;
    char words[WORDS_MAX];

    html_open (out, "li", critical ? "insight bad" : "insight warn");
    html_element (out, "b", NULL, f->severity);
    html_format (out, ": %s", f->finding);
    if (!isnan (f->cost))
        html_format (out, ": at most %s, %.1f %% of the job",
                     value_words (words, f->cost, "s"), f->percent);
    html_text (out, ".");
    (void)fputs ("<br>", out);
    html_open (out, "span", "note");
    insights_put_numbers (out, f);
    insights_put_origin (out, d, f);
    html_text (out, ". Rule ");
    html_element (out, "code", NULL, f->rule);
    html_close (out, "span");
    (void)fputs ("<br>", out);
    html_format (out, "Try: %s.", f->advice);
    (void)fputs ("</li>\n", out);
}

static int insights_is_minor (const struct job_finding *f)
{
    return strcmp (f->severity, "minor") == 0;
}

/* Minor ones or the others, as a list. */
static void insights_put_list (FILE *out, const struct jobdata *d, int minor)
{
    html_open (out, "ul", "insights");
    for (size_t i = 0; i < d->findings; i++)
        if (insights_is_minor (&d->finding[i]) == minor)
            insights_put_insight (out, d, &d->finding[i]);
    (void)fputs ("</ul>\n", out);
}

void page_insights (FILE *out, const struct jobdata *d)
{
    size_t minor = 0;

    html_section (out, "insights", "Worth a look");
    for (size_t i = 0; i < d->findings; i++)
        minor += insights_is_minor (&d->finding[i]);
    if (d->findings == minor)
        html_paragraph (out, NULL, "%s costs more than 1 %% of the job.",
                        d->facts.untraced_processes ? "Nothing that was traced"
                                                    : "Nothing here");
    else
        insights_put_list (out, d, 0);
    if (minor) {
        html_open (out, "details", NULL);
        html_open (out, "summary", NULL);
        html_format (out, "%zu more that cost less than 1 %% each", minor);
        html_close (out, "summary");
        insights_put_list (out, d, 1);
        html_close (out, "details");
    }
    html_section_end (out);
}
