/* SPDX-License-Identifier: MIT
 *
 * sitepage.c - the site's database -> one page, or OpenMetrics text
 */
#include "config.h"

#include "analyze/report/page.h"
#include "cli/site/site.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/model/summary.h"
#include "lib/util/textable.h"
#include "lib/util/xalloc.h"

enum { PROGRAMS_MAX = 20, ROWS_MAX = 20 };

/* A table as a table of a page. */
static void sitepage_table (FILE *out, const struct textable *t)
{
    page_table (out, 1);
    for (size_t c = 0; c < t->columns; c++)
        page_th (out, t->column[c].right ? NULL : "t", t->column[c].title,
                 t->column[c].unit);
    page_table_body (out);
    for (size_t r = 0; r < t->rows; r++) {
        page_row (out, NULL, 0);
        for (size_t c = 0; c < t->columns; c++) {
            char buf[TEXTABLE_NUMBER_MAX];
            const char *text = textable_cell (t, r, (int)c, buf);

            if (t->column[c].right)
                page_number (out, text, t->column[c].unit, "not measured");
            else
                page_td (out, "t", text);
        }
        page_row_end (out);
    }
    page_table_end (out);
}

/* A figure with a bar for each day: columns of a table and their names. */
struct day_figure {
    const char *id, *heading, *unit;
    const char *column[2], *name[2];
    size_t series;
};

static void
sitepage_days (FILE *out, const struct textable *t, const struct day_figure *f)
{
    const struct chart c = {.title = f->heading,
                            .metric = f->id,
                            .measure = f->heading,
                            .unit = f->unit,
                            .thin = 1};
    struct chart_grid g = chart_grid_create (1, f->series, textable_rows (t));
    char buf[TEXTABLE_NUMBER_MAX];

    if (!g.columns)
        return;
    g.column_name = "day";
    for (size_t i = 0; i < g.columns; i++)
        g.column[i] = textable_cell (t, i, 0, buf);
    for (size_t k = 0; k < f->series; k++) {
        g.row[k] = f->name[k];
        for (size_t i = 0; i < g.columns; i++)
            g.cell[k * g.columns + i] = (struct cell){
                .v = textable_number (t, i, textable_find (t, f->column[k])),
                .lo = NAN,
                .hi = NAN,
                .name = g.column[i],
                .why = "not measured"};
    }
    html_figure (out, f->id, f->heading);
    if (f->series > 1)
        chart_stack (out, &c, &g);
    else
        chart_bars (out, &c, &g);
    html_figure_end (out, "Days of the end of the job, UTC.");
}

static void sitepage_section (FILE *out,
                              const char *id,
                              const char *heading,
                              const char *what,
                              struct textable *t)
{
    html_section (out, id, heading);
    html_paragraph (out, NULL, "%s", what);
    if (textable_rows (t))
        sitepage_table (out, t);
    else
        html_paragraph (out, NULL, "None.");
    html_section_end (out);
    textable_destroy (t);
}

/* Programs with most node hours: does the same job take as long as it did? */
static void sitepage_changes (FILE *out, const struct siteask *q)
{
    struct siteask by = {.days = q->days,
                         .user = q->user,
                         .top = PROGRAMS_MAX,
                         .by = {1, {"program"}}};
    struct textable *programs = siteask_top (&by);
    char buf[TEXTABLE_NUMBER_MAX];

    html_section (out, "changes", "What changed");
    html_paragraph (
        out, NULL,
        "Jobs of one user, program, name, number of nodes and of ranks, in the "
        "order of time, %d programs with the most node hours. A change is the "
        "place with the clearest difference of the logarithms' means "
        "(Student's "
        "t, p times the number of places tried, at most 0.01).",
        PROGRAMS_MAX);
    for (size_t i = 0; i < textable_rows (programs); i++) {
        struct siteask one = {.days = q->days, .user = q->user};
        struct textable *t;

        one.program = textable_cell (programs, i, 0, buf);
        t = siteask_history (&one);
        if (textable_rows (t)) {
            html_put (out, "<h3>%s</h3>", one.program);
            sitepage_table (out, t);
        }
        textable_destroy (t);
    }
    html_section_end (out);
    textable_destroy (programs);
}

void sitepage_write (FILE *out, const struct siteask *q)
{
    static const struct day_figure
        hours = {.id = "hours",
                 .heading = "Node hours of traced jobs",
                 .unit = "h",
                 .column = {"node_hours"},
                 .name = {"node hours"},
                 .series = 1},
        moved = {.id = "moved",
                 .heading = "Bytes moved by POSIX calls on data files",
                 .unit = "B",
                 .column = {"read_bytes_sum", "write_bytes_sum"},
                 .name = {"read", "written"},
                 .series = 2};
    struct siteask by = {.days = q->days, .user = q->user, .top = ROWS_MAX};
    struct siteask worst = by;
    struct textable *t = siteask_days (&by);

    html_begin (out, "Traced jobs of this site");
    sitepage_days (out, t, &hours);
    sitepage_days (out, t, &moved);
    if (textable_find (t, "jobs_half") >= 0)
        html_paragraph (
            out, NULL,
            "Some of the jobs were chosen by a rule of the site as one of N "
            "(sample=N) and stand for N jobs: sums and means of days, users "
            "and programs are estimates for all jobs to which the rules "
            "apply, and \302\261 is half of the 95 %% interval. A job that "
            "its user asked to trace stands for itself.");
    textable_destroy (t);
    by.by = (struct opt_list){1, {"user"}};
    sitepage_section (
        out, "users", "Users",
        "Those with the most node hours. Sums, and means of what does not add "
        "up.",
        siteask_top (&by));
    by.by = (struct opt_list){1, {"program"}};
    sitepage_section (out, "programs", "Programs", "The same by program.",
                      siteask_top (&by));
    worst.metric = (struct opt_list){2, {"data_meta_time", "job_time"}};
    sitepage_section (out, "metadata", "Most time in metadata of data files",
                      "Single jobs; in all their threads.",
                      siteask_worst (&worst));
    sitepage_changes (out, q);
    html_end (out, PACKAGE_STRING);
}

static void site_family (FILE *out, const struct textable *t, size_t column)
{
    const struct table_column *m = &t->column[column];
    char name[64], buf[TEXTABLE_NUMBER_MAX];

    snprintf (name, sizeof (name), "dftrace_%s", m->name);
    openmetrics_family (out, name, "of the traced jobs", m->unit);
    for (size_t r = 0; r < t->rows; r++) {
        double v = textable_number (t, r, (int)column);
        struct openmetrics sample;

        if (isnan (v))
            continue;
        sample = openmetrics_sample (out, name);
        for (size_t c = 0; c < t->columns && !t->column[c].right; c++)
            openmetrics_label (&sample, t->column[c].name,
                               textable_cell (t, r, (int)c, buf));
        openmetrics_value (&sample, v);
    }
}

void sitepage_openmetrics (FILE *out, const struct siteask *q)
{
    struct textable *t = siteask_top (q);

    for (size_t c = 0; c < t->columns; c++)
        if (t->column[c].right)
            site_family (out, t, c);
    openmetrics_end (out);
    textable_destroy (t);
}
