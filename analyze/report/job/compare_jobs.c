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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/page.h"
#include "analyze/report/job/fig_job.h"
#include "analyze/report/job/jobdata.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/util/fsutil.h"

/* --- calls and regions of two jobs -> what became slower --------------------
 */

enum { TIMES_DRAWN = 16, SIDES = 2 };

static const double times_sure = 0.05;

/* A call or a region of one job, the other, or both. */
struct timed {
    char *name; /* "POSIX read", "data/item"; owned */
    const char *layer, *word;
    const struct hist *hist[SIDES]; /* NULL: not in this job */
    struct hist_ratio than;         /* p: adjusted */
};

struct times {
    struct timed *row;
    size_t count;
};

/* --- pairs ------------------------------------------------------------ */

static double timed_seconds (const struct timed *t, int side)
{
    return t->hist[side] ? (double)t->hist[side]->sum / 1e9 : 0;
}

static uint64_t timed_count (const struct timed *t, int side)
{
    return t->hist[side] ? t->hist[side]->count : 0;
}

static int timed_by_change (const void *x, const void *y)
{
    const struct timed *a = x, *b = y;
    double p = fabs (timed_seconds (a, 1) - timed_seconds (a, 0));
    double q = fabs (timed_seconds (b, 1) - timed_seconds (b, 0));

    if (p != q)
        return p < q ? 1 : -1;
    return strcmp (a->name, b->name);
}

static int times_add (struct times *t,
                      const char *layer,
                      const char *word,
                      const struct hist *a,
                      const struct hist *b)
{
    struct timed *row = &t->row[t->count];

    *row = (struct timed){.layer = layer,
                          .word = word,
                          .hist = {a, b},
                          .than = hist_compare (a, b)};
    if (!(row->name = text_format ("%s %s", layer, word)))
        return -1;
    t->count++;
    return 0;
}

static const struct hist *times_call (const struct jobdata *d, int call)
{
    const struct call_total *c = d->totals.tally.call[call];

    return c && c->time.count ? &c->time : NULL;
}

static const struct hist *
times_op (const struct jobdata *d, const char *key, size_t length)
{
    const struct strmap *ops = d->totals.tally.ops;
    int64_t at = strmap_find (ops, key, length);
    const struct op_total *op = at < 0 ? NULL : strmap_value (ops, (size_t)at);

    return op && op->time.count ? &op->time : NULL;
}

/* All regions of `of`; of b only those that a does not have. */
static int times_add_ops (struct times *t,
                          const struct jobdata *of,
                          const struct jobdata *a,
                          const struct jobdata *b)
{
    const struct strmap *ops = of->totals.tally.ops;

    for (size_t i = 0; i < strmap_count (ops); i++) {
        size_t length, n;
        const char *key = strmap_key (ops, i, &length);
        const struct hist *x = times_op (a, key, length);
        const struct hist *y = times_op (b, key, length);

        if ((!x && !y) || (of == b && x))
            continue;
        n = strlen (key);
        if (times_add (t, key, n < length ? key + n + 1 : "", x, y) < 0)
            return -1;
    }
    return 0;
}

static int
times_fill (struct times *t, const struct jobdata *a, const struct jobdata *b)
{
    double *p;
    int rc;

    t->row = calloc (CALL_MAX + strmap_count (a->totals.tally.ops) +
                         strmap_count (b->totals.tally.ops) + 1,
                     sizeof (*t->row));
    if (!t->row)
        return -1;
    for (int call = 0; call < CALL_MAX; call++)
        if ((times_call (a, call) || times_call (b, call)) &&
            times_add (t,
                       call_category_name (
                           (enum call_category)call_table[call].category),
                       call_table[call].name, times_call (a, call),
                       times_call (b, call)) < 0)
            return -1;
    if (times_add_ops (t, a, a, b) < 0 || times_add_ops (t, b, a, b) < 0 ||
        !(p = calloc (t->count + 1, sizeof (*p))))
        return -1;
    for (size_t i = 0; i < t->count; i++)
        p[i] = t->row[i].than.p;
    rc = statistics_holm (p, t->count);
    for (size_t i = 0; i < t->count; i++)
        t->row[i].than.p = p[i];
    free (p);
    if (t->count)
        qsort (t->row, t->count, sizeof (*t->row), timed_by_change);
    return rc;
}

static void times_clear (struct times *t)
{
    for (size_t i = 0; i < t->count; i++)
        free (t->row[i].name);
    free (t->row);
}

/* --- figures ------------------------------------------------------------ */

static void times_draw_sums (FILE *out, const struct times *t)
{
    static const char *const side[SIDES] = {"A", "B"};
    const struct chart c = {.title = "Time in calls and regions, A and B",
                            .text = "Bars side by side on one scale",
                            .metric = "sum_s",
                            .measure = "time, summed over threads",
                            .unit = "s"};
    struct cell cell[SIDES][TIMES_DRAWN];
    char text[SIDES][TIMES_DRAWN][32];
    const char *name[TIMES_DRAWN];
    size_t n = t->count < TIMES_DRAWN ? t->count : TIMES_DRAWN;
    struct categories cats = {n, 0, name, NULL, NULL, NULL, 0};
    struct series s[SIDES];

    for (int k = 0; k < SIDES; k++) {
        for (size_t i = 0; i < n; i++) {
            double v = timed_seconds (&t->row[i], k);

            (void)snprintf (text[k][i], sizeof (text[k][i]), "%.9g", v);
            cell[k][i] = (struct cell){.v = v,
                                       .lo = NAN,
                                       .hi = NAN,
                                       .text = text[k][i],
                                       .id = side[k],
                                       .name = t->row[i].name};
            name[i] = t->row[i].name;
        }
        s[k] = (struct series){side[k], cell[k]};
    }
    html_figure (out, "fig-times", c.title);
    chart_bars (out, &c, &cats, s, SIDES);
    html_figure_end (out,
                     "The %zu calls and regions, of %zu, whose time differs "
                     "most.",
                     n, t->count);
}

static void times_draw_ratios (FILE *out, const struct times *t)
{
    const struct chart c = {
        .title = "How long one call or region takes: B / A",
        .text = "Ratios of geometric means with their 95 % intervals",
        .metric = "duration_ratio",
        .measure = "duration in B / duration in A",
        .unit = ""};
    struct cell cell[TIMES_DRAWN];
    char text[TIMES_DRAWN][32];
    const char *name[TIMES_DRAWN];
    size_t n = 0;

    for (size_t i = 0; i < t->count && n < TIMES_DRAWN; i++) {
        const struct timed *r = &t->row[i];

        if (isnan (r->than.ratio))
            continue;
        (void)snprintf (text[n], sizeof (text[n]), "%.9g", r->than.ratio);
        cell[n] = (struct cell){.v = r->than.ratio,
                                .lo = r->than.low,
                                .hi = r->than.high,
                                .text = text[n],
                                .name = r->name};
        name[n++] = r->name;
    }
    if (!n)
        return;
    html_figure (out, "fig-ratios", c.title);
    chart_forest (out, &c, n, name, cell);
    html_figure_end (
        out, "Geometric means of the durations; whiskers are their 95 %% "
             "intervals. An interval that holds 1 is no difference. The "
             "intervals are about the calls of these two jobs; what another "
             "run would give is told by sweeps with repeats.");
}

/* --- table -------------------------------------------------------------- */

static void times_put_ratio (FILE *out, const struct timed *r)
{
    char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX], words[WORDS_MAX + 4];
    char note[2 * WORDS_MAX + 8];

    if (isnan (r->than.ratio)) {
        page_words (out, NAN, "", "only in one of them");
        return;
    }
    (void)snprintf (words, sizeof (words), "\xc3\x97%s",
                    number_words (a, r->than.ratio));
    (void)snprintf (note, sizeof (note), "%s\xe2\x80\xa6%s",
                    number_words (b, r->than.low),
                    number_words (c, r->than.high));
    page_ratio (out, r->than.ratio, words, isnan (r->than.low) ? NULL : note,
                "95 % interval below");
}

static const char *times_verdict (const struct timed *r)
{
    if (!timed_count (r, 0) || !timed_count (r, 1))
        return timed_count (r, 0) ? "only in A" : "only in B";
    if (isnan (r->than.p))
        return "too few to tell";
    if (r->than.p >= times_sure)
        return "no difference seen";
    return r->than.ratio > 1 ? "slower in B" : "faster in B";
}

static void times_put_row (FILE *out, const struct timed *r)
{
    double delta = timed_seconds (r, 1) - timed_seconds (r, 0);
    char buf[WORDS_MAX], words[WORDS_MAX + 2];

    page_row (out, NULL, 0);
    page_td (out, "t", r->layer);
    page_td (out, "t", r->word);
    for (int k = 0; k < SIDES; k++)
        page_value (out, (double)timed_count (r, k), "", NULL);
    for (int k = 0; k < SIDES; k++)
        page_value (out, timed_seconds (r, k), "s", NULL);
    (void)snprintf (words, sizeof (words), "%s%s", delta > 0 ? "+" : "",
                    value_words (buf, delta, "s"));
    page_words (out, delta, words, NULL);
    times_put_ratio (out, r);
    (void)snprintf (words, sizeof (words), "%.2g", r->than.p);
    page_words (out, r->than.p, words, "fewer than five on a side");
    page_td (out, "t", times_verdict (r));
    page_row_end (out);
}

static void times_put_table (FILE *out, const struct times *t)
{
    page_table (out, 1);
    page_th (out, "t", "layer", NULL);
    page_th (out, "t", "call or region", NULL);
    page_th (out, NULL, "count A", NULL);
    page_th (out, NULL, "count B", NULL);
    page_th (out, NULL, "time A", NULL);
    page_th (out, NULL, "time B", NULL);
    page_th (out, NULL, "B \xe2\x88\x92 A", NULL);
    page_th (out, NULL, "duration B / A", NULL);
    page_th (out, NULL, "p", NULL);
    page_th (out, "t", "verdict", NULL);
    page_table_body (out);
    for (size_t i = 0; i < t->count; i++)
        times_put_row (out, &t->row[i]);
    page_table_end (out);
    html_paragraph (
        out, "note", "%s",
        "Time is summed over threads. Duration B / A compares single calls: "
        "geometric means with the 95 % interval (Welch's t of the "
        "logarithms). p is the probability that a difference this large is "
        "chance, corrected for the number of rows (Holm); below 0.05 it is "
        "taken for real. Calls of one job are not independent, so that "
        "small differences of many calls look surer than they are.");
}

/* A section: times of both on one scale, ratios of the durations with their
 * intervals and what is significant of them. Needs the traces of both, and
 * says so where they have gone. 0, or -1 (ENOMEM). */
static int
compare_times (FILE *out, const struct jobdata *a, const struct jobdata *b)
{
    struct times t = {NULL, 0};
    int rc = 0;

    html_section (out, "times", "Calls and regions, B against A");
    if (!a->live || !b->live)
        html_paragraph (out, NULL,
                        "n/a: the traces of %s have gone, and with them the "
                        "durations of single calls.",
                        !a->live && !b->live ? "both"
                        : a->live            ? "B"
                                             : "A");
    else if ((rc = times_fill (&t, a, b)) == 0 && t.count == 0)
        html_paragraph (out, NULL, "No call and no region in either.");
    else if (rc == 0) {
        times_draw_sums (out, &t);
        times_draw_ratios (out, &t);
        times_put_table (out, &t);
    }
    html_section_end (out);
    times_clear (&t);
    return rc;
}

/* --- all of it --------------------------------------------------------------
 */
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
