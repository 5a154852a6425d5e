/* SPDX-License-Identifier: MIT
 *
 * compare_jobs.c - runs of two sides -> what differs between them
 *
 * In:  what `dftrace analyze` wrote of the first run of both, all traces
 * Out: HTML: three sentences, settings, timelines, metrics, operations, calls
 */
#include "config.h"

#include "analyze/report/page.h"
#include "analyze/report/job/fig_job.h"
#include "analyze/report/job/jobdata.h"
#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "analyze/tables/jobcompare.h"
#include "analyze/warnings.h"
#include "lib/util/xalloc.h"

/* --- calls and regions ------------------------------------------------------
 */

enum { TIMES_DRAWN = 16 };

/* The first row that is a group of events. */
static size_t times_first (const struct jobcompare *c)
{
    size_t i = 0;

    while (i < c->count && c->row[i].title)
        i++;
    return i;
}

static const char *times_name (const struct jobcompare_row *r)
{
    return r->title ? r->title : r->any->value[0];
}

static void times_draw_sums (FILE *out, const struct jobcompare *c)
{
    const struct chart chart = {.title = "Time in calls and regions, A and B",
                                .text = "Bars side by side on one scale",
                                .metric = "sum_s",
                                .measure = "time, summed over threads",
                                .unit = "s"};
    const struct jobcompare_row *row = &c->row[times_first (c)];
    size_t all = c->count - times_first (c);
    struct chart_grid g =
        chart_grid_create (1, JOBCOMPARE_SIDES, MIN (all, TIMES_DRAWN));

    for (size_t i = 0; i < g.rows * g.columns; i++) {
        size_t k = i / g.columns, at = i % g.columns;

        g.row[k] = k ? "B" : "A";
        g.column[at] = row[at].any->value[0];
        g.cell[i] = cell_of (row[at].seconds[k], g.column[at]);
        g.cell[i].id = g.row[k];
    }
    html_figure (out, "fig-times", chart.title);
    chart_bars (out, &chart, &g);
    html_figure_end (out,
                     "The %zu calls and regions, of %zu, whose time differs "
                     "most.",
                     g.columns, all);
}

static void times_draw_ratios (FILE *out, const struct jobcompare *c)
{
    const struct chart chart = {
        .title = "Time in calls and regions: B / A",
        .text = "Ratios of geometric means with their 95 % intervals",
        .metric = "time_ratio",
        .measure = "time in B / time in A",
        .unit = ""};
    struct chart_grid g = chart_grid_create (1, TIMES_DRAWN, 1);

    g.rows = 0;
    for (size_t i = 0; i < c->count && g.rows < TIMES_DRAWN; i++) {
        const struct jobcompare_row *r = &c->row[i];
        struct cell *cell = &g.cell[g.rows];

        if (isnan (r->than.low))
            continue;
        *cell = cell_of (r->than.ratio, times_name (r));
        cell->lo = r->than.low;
        cell->hi = r->than.high;
        g.row[g.rows++] = cell->name;
    }
    if (!g.rows)
        return;
    html_figure (out, "fig-ratios", chart.title);
    chart_forest (out, &chart, &g);
    html_figure_end (out, "Whiskers are 95 %% intervals over the %s.",
                     c->step ? "steps of these two runs" : "runs");
}

static void times_put_row (FILE *out, const struct jobcompare_row *r)
{
    page_row (out, NULL, 0);
    page_cells (out, "%s %f %f s:%f s:%f", times_name (r), r->count[0],
                r->count[1], r->seconds[0], r->seconds[1]);
    page_change (out, r->seconds[1] - r->seconds[0], "s");
    if (isnan (r->than.ratio))
        page_words (out, NAN, "", "no interval: too few runs or steps");
    else
        page_ratio (out, r->than.ratio, r->than.low, r->than.high,
                    "95 % interval below");
    page_words (out, r->than.p, arena_format ("%.2g", r->than.p),
                "too few runs or steps");
    page_td (out, "t", jobcompare_word (r->verdict));
    page_row_end (out);
}

static void times_put_table (FILE *out, const struct jobcompare *c)
{
    page_table_heads (out, 1,
                      ".call or region|count A|count B|time A|time B|B "
                      "\xe2\x88\x92 A|B / A|p|.B is");
    for (size_t i = 0; i < c->count; i++)
        times_put_row (out, &c->row[i]);
    page_table_end (out);
    html_paragraph (
        out, "note", "%s",
        "Time is summed over threads, mean of the runs. B / A has its 95 % "
        "interval; p is the probability that a difference this large is "
        "chance, corrected for the number of rows (Holm). Slower or faster is "
        "what is no chance and above 10 %; the same is what has its interval "
        "within 10 %.");
}

/* Times of both on one scale, ratios with their intervals. */
static void compare_times (FILE *out, const struct jobcompare *c)
{
    html_section (out, "times", "Calls and regions, B against A");
    if (c->count <= times_first (c))
        html_paragraph (out, NULL, "No call and no region in either.");
    else {
        times_draw_sums (out, c);
        times_draw_ratios (out, c);
        times_put_table (out, c);
    }
    html_section_end (out);
}

/* --- all of it --------------------------------------------------------------
 */
static const double jobs_limit = 0.1;

static const struct ynode *jobs_settings (const struct jobdata *d)
{
    return d->job ? ynode_get (ytree_root (d->job), "settings") : NULL;
}

/* Return 1 for settings that say where a job writes: they always differ. */
static int jobs_is_place (const char *setting)
{
    return strcmp (setting, "DFTRACE_JOB_DIR") == 0 ||
           strcmp (setting, "DFTRACE_OUTPUT") == 0;
}

/* Settings of both; where the page of a job would show them. */
static void
jobs_job_changes (FILE *out, const struct jobdata *a, const struct jobdata *b)
{
    static const char *const keys[] = {"job_name", "nodelist", "layers",
                                       "processes", "ranks"};
    const struct ynode *x = jobs_settings (a), *y = jobs_settings (b);
    size_t n = 0;

    html_section (out, "changes", "What differs");
    for (size_t i = 0; i < ITEMS (keys); i++)
        compare_change (out, keys[i], jobdata_text (a->about, keys[i]),
                        jobdata_text (b->about, keys[i]), &n);
    if (*a->command && *b->command)
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
    fputs ("<p class=\"note\">n/a in both:", out);
    for (int m = 0; m < METRIC_COUNT; m++)
        if (isnan (a->metric[m].value) && isnan (b->metric[m].value))
            fprintf (out, " %s", metric_table[m].name);
    fputs (".</p>", out);
    html_section_end (out);
}

/* A view of both jobs, by two of its columns. */
struct compared {
    enum view view;
    const char *heading, *key[2], *value, *unit;
};

/* Row of t with these keys, or the number of rows. */
static size_t jobs_row (const struct compared *c,
                        const struct textable *t,
                        const char *const key[2])
{
    size_t r = 0;

    while (r < textable_rows (t) &&
           (strcmp (jobdata_cell (t, r, c->key[0]), key[0]) != 0 ||
            strcmp (jobdata_cell (t, r, c->key[1]), key[1]) != 0))
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

    html_section (out, c->value, c->heading);
    compare_heads (out, c->key[0], c->key[1]);
    for (size_t r = 0; r < rows + textable_rows (ta); r++) {
        const struct textable *t = r < rows ? tb : ta;
        size_t at = r < rows ? r : r - rows;
        const char *const key[2] = {jobdata_cell (t, at, c->key[0]),
                                    jobdata_cell (t, at, c->key[1])};
        size_t in_b = jobs_row (c, tb, key);

        if (t == ta && in_b < rows)
            continue;
        page_row (out, NULL, 0);
        page_cells (out, "%s %s", key[0], key[1]);
        compare_values (
            out, jobdata_number (a, c->view, jobs_row (c, ta, key), c->value),
            jobdata_number (b, c->view, in_b, c->value), c->unit);
        page_row_end (out);
    }
    page_table_end (out);
    html_section_end (out);
}

static void
jobs_job_timelines (FILE *out, const struct jobdata *a, const struct jobdata *b)
{
    double longest = fmax (a->scan ? bins_seconds (&a->scan->bins) : 0,
                           b->scan ? bins_seconds (&b->scan->bins) : 0);

    html_section (out, "figures", "Timelines");
    html_paragraph (out, "note", "Both on one time scale.");
    if (a->scan)
        fig_timeline (out, a->scan, &a->scan->processes, "fig-timeline-a", "A",
                      longest);
    if (b->scan)
        fig_timeline (out, b->scan, &b->scan->processes, "fig-timeline-b", "B",
                      longest);
    html_section_end (out);
}

/* A comparison needs the traces of all runs. */
static int jobs_compare (struct jobcompare *c,
                         const struct jobdata *a,
                         const struct jobdata *b,
                         struct joblist jobs[2],
                         struct errtext *err)
{
    struct query query = {0};
    const struct jobcompare_input in = {&query, jobs, jobs_limit, 0,
                                        warn_damage};

    ZERO (c);
    if (!a->live || !b->live)
        return 0;
    return query_parse_keys (&query, "function", err) < 0 ||
                   jobcompare_make (c, &in, err) < 0
               ? -1
               : 0;
}

static void jobs_put_headline (FILE *out, const struct jobcompare *c)
{
    if (!c->count)
        html_paragraph (out, "lead", "%s",
                        "Too few to tell: traces have gone. The numbers below "
                        "are those of an earlier analysis.");
    for (int i = 0; c->count && i < JOBCOMPARE_SENTENCES; i++)
        html_paragraph (out, "lead", "%s", c->headline[i]);
}

int compare_jobs (FILE *out,
                  struct joblist jobs[2],
                  const struct kind_rules *rules,
                  struct errtext *err)
{
    const char *dir_a = jobs[0].item[0].dir, *dir_b = jobs[1].item[0].dir;

    static const struct compared operations = {
        VIEW_operation, "Time of regions", {"category", "name"}, "sum_s", "s"};
    static const struct compared calls = {
        VIEW_call, "Number of calls", {"category", "name"}, "count", ""};
    struct jobcompare found;
    struct jobdata a, b;
    int rc;

    ZERO (&b);
    ZERO (&found);
    rc = jobdata_load (&a, dir_a, rules, err);
    if (rc == 0)
        rc = jobdata_load (&b, dir_b, rules, err);
    if (rc == 0)
        rc = jobs_compare (&found, &a, &b, jobs, err);
    if (rc == 0) {
        compare_begin (out, dir_a, dir_b, jobdata_text (a.about, "job_name"),
                       jobdata_text (b.about, "job_name"));
        jobs_put_headline (out, &found);
        jobs_job_changes (out, &a, &b);
        if (found.count)
            compare_times (out, &found);
        jobs_job_timelines (out, &a, &b);
        jobs_job_metrics (out, &a, &b);
        jobs_job_table (out, &a, &b, &operations);
        jobs_job_table (out, &a, &b, &calls);
        html_end (out, "dftrace " PACKAGE_VERSION ", dftrace report");
    }
    jobcompare_clear (&found);
    jobdata_clear (&a);
    jobdata_clear (&b);
    return rc;
}
