/* SPDX-License-Identifier: MIT
 *
 * page_insights.c - what is worth a look in a job, as a section of its page
 *
 * In:  "insights" of metrics.json
 * Out: HTML: each finding with its numbers, a link to where they are from,
 *      and what to try
 */
#include "config.h"

#include "report/job/page_insights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/chart/html.h"
#include "report/page.h"
#include "report/job/page_tables.h"
#include "report/chart/words.h"

/* A view of analyze -> its table, which is a section of this page when it has
 * rows; the metrics where there is none. */
static const char *table_of (const char *view)
{
    static const struct {
        const char *view, *table;
    } tables[] = {
        {"call", "calls"},
        {"operation", "operations"},
        {"file", "files"},
        {"kind", "kinds"},
        {"rank", "ranks"},
        {"mapping", "mappings"},
        {"fault", "faults"},
        {"worker", "fault_workers"},
        {"gap", "gap"},
        {"startup", "startup"},
        {"checkpoint", "checkpoints"},
        {"checkpointkind", "checkpointkinds"},
        {"process", "ranks"}, /* which have no section of their own */
    };

    for (size_t i = 0; i < sizeof (tables) / sizeof (tables[0]); i++)
        if (strcmp (tables[i].view, view) == 0)
            return tables[i].table;
    return "metrics";
}

static int has_metric (const struct jobdata *d, const char *name)
{
    return ynode_get (ynode_get (ytree_root (d->metrics), "metrics"), name) !=
           NULL;
}

/* "stall_time s" names a metric, which has a row of its own. */
static int names_metric (const struct jobdata *d, const char *what, char id[64])
{
    size_t n = strcspn (what, " ");

    if (n == 0 || n > 50)
        return 0;
    (void)snprintf (id, 64, "%.*s", (int)n, what);
    return has_metric (d, id);
}

/* "1.86 = 26 763 opens / 14 348 samples", each a link where it has a row. */
static void
put_numbers (FILE *out, const struct jobdata *d, const struct ynode *n)
{
    static const char *const parts[2][2] = {{"a", "a_is"}, {"b", "b_is"}};
    char words[WORDS_MAX], id[64];

    (void)fprintf (
        out, "<b>%s</b>",
        number_words (words, cell_number (ynode_text (n, "value", ""))));
    (void)fprintf (
        out, " (limit %s)",
        number_words (words, cell_number (ynode_text (n, "limit", ""))));
    for (size_t i = 0; i < 2; i++) {
        const char *what = ynode_text (n, parts[i][1], "");
        int metric = names_metric (d, what, id);

        (void)fprintf (out, "%s%s ", i ? " / " : " = ",
                       number_words (words, cell_number (ynode_text (
                                                n, parts[i][0], ""))));
        if (metric) {
            (void)fputs ("<a href=\"#metric-", out);
            html_text (out, id);
            (void)fputs ("\">", out);
        }
        html_text (out, what);
        if (metric)
            (void)fputs ("</a>", out);
    }
}

static int is_critical (const struct ynode *n)
{
    return strcmp (ynode_text (n, "severity", ""), "critical") == 0;
}

static void
put_link (FILE *out, const char *table, const char *row, const char *words)
{
    (void)fprintf (out, "<a href=\"#%s%s", table, row[0] ? "-" : "");
    html_text (out, row);
    (void)fputs ("\">", out);
    html_text (out, words);
    (void)fputs ("</a>", out);
}

/* A row that decides, as a link where the page has it. */
static void put_row (FILE *out,
                     const struct jobdata *d,
                     const char *view,
                     const struct ynode *n)
{
    const char *name = ynode_text (n, "name", ""), *table = table_of (view);
    const char *row = ynode_text (n, "row", "");
    const char *unit;

    if (strcmp (view, "metric") == 0 && jobdata_metric (d, name, &unit, NULL) &&
        unit[0])
        put_link (out, "metric", name, name);
    else if (strcmp (view, "process") != 0 &&
             page_tables_row (d, table, strtoul (row, NULL, 10)))
        put_link (out, table, row, name);
    else
        html_text (out, name);
}

/* "rows: POSIX/read, POSIX/pread of calls" */
static void
put_origin (FILE *out, const struct jobdata *d, const struct ynode *n)
{
    const struct ynode *rows = ynode_get (n, "rows");
    const char *view = ynode_text (n, "view", "metric");
    const char *table = table_of (view);

    if (!page_tables_row (d, table, 1))
        table = "metrics";
    (void)fputs ("; from ", out);
    for (size_t i = 0; rows && rows->type == YNODE_LIST && i < rows->count;
         i++) {
        (void)fputs (i ? ", " : "", out);
        put_row (out, d, view, rows->item[i]);
    }
    (void)fputs (rows && rows->count ? " of " : "", out);
    put_link (out, table, "", table);
}

static void
put_insight (FILE *out, const struct jobdata *d, const struct ynode *n)
{
    (void)fprintf (out, "<li class=\"insight %s\"><b>",
                   is_critical (n) ? "bad" : "warn");
    html_text (out, ynode_text (n, "severity", ""));
    (void)fputs ("</b>: ", out);
    html_text (out, ynode_text (n, "finding", ""));
    (void)fputs (".<br><span class=\"note\">", out);
    put_numbers (out, d, n);
    put_origin (out, d, n);
    (void)fputs (". Rule <code>", out);
    html_text (out, ynode_text (n, "rule", ""));
    (void)fputs ("</code></span><br>Try: ", out);
    html_text (out, ynode_text (n, "advice", ""));
    (void)fputs (".</li>\n", out);
}

void page_insights (FILE *out, const struct jobdata *d)
{
    const struct ynode *list = ynode_get (ytree_root (d->metrics), "insights");

    html_section (out, "insights", "Worth a look");
    if (!list || list->type != YNODE_LIST || list->count == 0)
        (void)fputs ("<p>No rule found anything.</p>\n", out);
    else {
        (void)fputs ("<ul class=\"insights\">\n", out);
        for (int critical = 1; critical >= 0; critical--)
            for (size_t i = 0; i < list->count; i++)
                if (is_critical (list->item[i]) == critical)
                    put_insight (out, d, list->item[i]);
        (void)fputs ("</ul>\n", out);
    }
    html_section_end (out);
}
