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
#include "lib/util/fsutil.h"

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

static void times_draw_sums (FILE *out, const struct jobcompare *c)
{
    static const char *const side[] = {"A", "B"};
    const struct chart chart = {.title = "Time in calls and regions, A and B",
                                .text = "Bars side by side on one scale",
                                .metric = "sum_s",
                                .measure = "time, summed over threads",
                                .unit = "s"};
    struct cell cell[JOBCOMPARE_SIDES][TIMES_DRAWN];
    char text[JOBCOMPARE_SIDES][TIMES_DRAWN][32];
    const char *name[TIMES_DRAWN];
    const struct jobcompare_row *row = &c->row[times_first (c)];
    size_t all = c->count - times_first (c);
    size_t n = MIN (all, TIMES_DRAWN);
    struct categories cats = {n, 0, name, NULL, NULL, NULL, 0};
    struct series s[JOBCOMPARE_SIDES];

    for (int k = 0; k < JOBCOMPARE_SIDES; k++) {
        for (size_t i = 0; i < n; i++) {
            name[i] = row[i].any->value[0];
            FORMAT (text[k][i], "%.9g", row[i].seconds[k]);
            cell[k][i] = (struct cell){.v = row[i].seconds[k],
                                       .lo = NAN,
                                       .hi = NAN,
                                       .text = text[k][i],
                                       .id = side[k],
                                       .name = name[i]};
        }
        s[k] = (struct series){side[k], cell[k]};
    }
    html_figure (out, "fig-times", chart.title);
    chart_bars (out, &chart, &cats, s, JOBCOMPARE_SIDES);
    html_figure_end (out,
                     "The %zu calls and regions, of %zu, whose time differs "
                     "most.",
                     n, all);
}

static void times_draw_ratios (FILE *out, const struct jobcompare *c)
{
    const struct chart chart = {
        .title = "Time in calls and regions: B / A",
        .text = "Ratios of geometric means with their 95 % intervals",
        .metric = "time_ratio",
        .measure = "time in B / time in A",
        .unit = ""};
    struct cell cell[TIMES_DRAWN];
    char text[TIMES_DRAWN][32];
    const char *name[TIMES_DRAWN];
    size_t n = 0;

    for (size_t i = 0; i < c->count && n < TIMES_DRAWN; i++) {
        const struct jobcompare_row *r = &c->row[i];

        if (isnan (r->than.low))
            continue;
        FORMAT (text[n], "%.9g", r->than.ratio);
        name[n] = r->title ? r->title : r->any->value[0];
        cell[n] = (struct cell){.v = r->than.ratio,
                                .lo = r->than.low,
                                .hi = r->than.high,
                                .text = text[n],
                                .name = name[n]};
        n++;
    }
    if (!n)
        return;
    html_figure (out, "fig-ratios", chart.title);
    chart_forest (out, &chart, n, name, cell);
    html_figure_end (out, "Whiskers are 95 %% intervals over the %s.",
                     c->step ? "steps of these two runs" : "runs");
}

static void times_put_row (FILE *out, const struct jobcompare_row *r)
{
    char p[16];

    page_row (out, NULL, 0);
    page_td (out, "t", r->title ? r->title : r->any->value[0]);
    for (int k = 0; k < JOBCOMPARE_SIDES; k++)
        page_value (out, r->count[k], "", NULL);
    for (int k = 0; k < JOBCOMPARE_SIDES; k++)
        page_value (out, r->seconds[k], "s", NULL);
    page_change (out, r->seconds[1] - r->seconds[0], "s");
    if (isnan (r->than.ratio))
        page_words (out, NAN, "", "no interval: too few runs or steps");
    else
        page_ratio (out, r->than.ratio, r->than.low, r->than.high,
                    "95 % interval below");
    FORMAT (p, "%.2g", r->than.p);
    page_words (out, r->than.p, p, "too few runs or steps");
    page_td (out, "t", jobcompare_word (r->verdict));
    page_row_end (out);
}

static void times_put_table (FILE *out, const struct jobcompare *c)
{
    static const char *const heads[] = {"count A", "count B",          "time A",
                                        "time B",  "B \xe2\x88\x92 A", "B / A",
                                        "p"};

    page_table (out, 1);
    page_th (out, "t", "call or region", NULL);
    for (size_t i = 0; i < ITEMS (heads); i++)
        page_th (out, NULL, heads[i], NULL);
    page_th (out, "t", "B is", NULL);
    page_table_body (out);
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

static void
compare_count (FILE *out, const char *what, uint64_t a, uint64_t b, size_t *n)
{
    char x[24], y[24];

    FORMAT (x, "%" PRIu64, a);
    FORMAT (y, "%" PRIu64, b);
    compare_change (out, what, x, y, n);
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
        compare_begin (out, dir_a, dir_b, a.facts.name, b.facts.name);
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
