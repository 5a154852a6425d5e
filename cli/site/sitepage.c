/* SPDX-License-Identifier: MIT
 *
 * sitepage.c - the site's database -> one page
 */
#include "config.h"

#include "cli/site/sitepage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "analyze/report/page.h"

enum { PROGRAMS_MAX = 20, ROWS_MAX = 20 };

/* A bar for each day of the table. */
static void sitepage_days (FILE *out,
                           const struct textable *t,
                           const char *id,
                           const char *heading,
                           const char *const *column,
                           const char *const *name,
                           size_t series,
                           const char *unit)
{
    size_t n = textable_rows (t);
    struct cell *cell = calloc (n * series + 1, sizeof (*cell));
    const char **label = calloc (n + 1, sizeof (*label));
    struct series s[4];
    const struct chart c = {
        .title = heading, .metric = id, .measure = heading, .unit = unit};
    struct categories days = {.n = n, .inner_name = "day", .thin = 1};
    char buf[TEXTABLE_NUMBER_MAX];

    if (cell && label && n) {
        for (size_t i = 0; i < n; i++)
            label[i] = textable_cell (t, i, 0, buf);
        for (size_t k = 0; k < series; k++) {
            s[k] = (struct series){name[k], cell + k * n};
            for (size_t i = 0; i < n; i++) {
                s[k].cell[i].v =
                    textable_number (t, i, textable_find (t, column[k]));
                s[k].cell[i].lo = s[k].cell[i].hi = NAN;
                s[k].cell[i].name = label[i];
                s[k].cell[i].why = "not measured";
            }
        }
        days.label = label;
        html_figure (out, id, heading);
        if (series > 1)
            chart_stack (out, &c, &days, s, series);
        else
            chart_bars (out, &c, &days, s, series);
        html_figure_end (out, "Days of the end of the job, UTC.");
    }
    free (label);
    free (cell);
}

static int sitepage_section (FILE *out,
                             const char *id,
                             const char *heading,
                             const char *what,
                             struct textable *t)
{
    if (!t)
        return -1;
    html_section (out, id, heading);
    html_paragraph (out, NULL, "%s", what);
    if (textable_rows (t))
        sitepage_table (out, t);
    else
        html_paragraph (out, NULL, "None.");
    html_section_end (out);
    textable_destroy (t);
    return 0;
}

/* Programs with most node hours: does the same job take as long as it did? */
static int sitepage_changes (FILE *out,
                             struct sitedb *db,
                             const struct siteask *q,
                             struct errtext *err)
{
    struct siteask by = {.days = q->days,
                         .user = q->user,
                         .top = PROGRAMS_MAX,
                         .by = {1, {"program"}}};
    struct textable *programs = siteask_top (db, &by, err);
    char buf[TEXTABLE_NUMBER_MAX];
    int rc = programs ? 0 : -1;

    html_section (out, "changes", "What changed");
    html_paragraph (
        out, NULL,
        "Jobs of one user, program, name, number of nodes and of ranks, in the "
        "order of time, %d programs with the most node hours. A change is the "
        "place with the clearest difference of the logarithms' means "
        "(Student's "
        "t, p times the number of places tried, at most 0.01).",
        PROGRAMS_MAX);
    for (size_t i = 0; rc == 0 && i < textable_rows (programs); i++) {
        struct siteask one = {.days = q->days, .user = q->user};
        struct textable *t;

        one.program = textable_cell (programs, i, 0, buf);
        t = siteask_history (db, &one, err);
        if (t && textable_rows (t)) {
            html_element (out, "h3", NULL, one.program);
            sitepage_table (out, t);
        }
        rc = t ? 0 : -1;
        textable_destroy (t);
    }
    html_section_end (out);
    textable_destroy (programs);
    return rc;
}

int sitepage_write (FILE *out,
                    struct sitedb *db,
                    const struct siteask *q,
                    struct errtext *err)
{
    static const char *const moved[] = {"read_bytes_sum", "write_bytes_sum"},
                             *const moved_name[] = {"read", "written"},
                             *const hours[] = {"node_hours"},
                             *const hours_name[] = {"node hours"};
    struct siteask by = {.days = q->days, .user = q->user, .top = ROWS_MAX};
    struct siteask worst = by;
    struct textable *t = siteask_days (db, &by, err);
    int rc = t ? 0 : -1;

    if (!t)
        return -1;
    html_begin (out, "Traced jobs of this site");
    sitepage_days (out, t, "hours", "Node hours of traced jobs", hours,
                   hours_name, 1, "h");
    sitepage_days (out, t, "moved", "Bytes moved by POSIX calls on data files",
                   moved, moved_name, 2, "B");
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
    rc |= sitepage_section (
        out, "users", "Users",
        "Those with the most node hours. Sums, and means of what does not add "
        "up.",
        siteask_top (db, &by, err));
    by.by = (struct opt_list){1, {"program"}};
    rc |= sitepage_section (out, "programs", "Programs", "The same by program.",
                            siteask_top (db, &by, err));
    worst.metric = (struct opt_list){2, {"data_meta_time", "job_time"}};
    rc |= sitepage_section (
        out, "metadata", "Most time in metadata of data files",
        "Single jobs; in all their threads.", siteask_worst (db, &worst, err));
    rc |= sitepage_changes (out, db, q, err);
    html_end (out, PACKAGE_STRING);
    return rc;
}
