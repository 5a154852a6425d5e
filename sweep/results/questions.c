/* SPDX-License-Identifier: MIT
 *
 * questions.c - compare, baseline, group, effects; doubts about the numbers
 */
#include "config.h"

#include "sweep/results/questions.h"
#include "lib/base/array.h"

static const char *const usual[] = {"loader_time",    "read_time",
                                    "read_bandwidth", "job_time",
                                    "wall_time",      NULL};

/* The metrics of a baseline: without the loader, time is in question. */
static const char *const usual_cost[] = {"wall_time", "job_time", NULL};

static const char *title_of (const struct resultset *r,
                             const struct question *q)
{

    switch (q->kind) {
    case QUESTION_COMPARE:
        return ": means with 95 % intervals, paired ratio";
    case QUESTION_BASELINE:
        return arena_format (": what %s=%s costs against %s=%s, paired",
                             r->sweep->spec->column[q->compare.axis],
                             value_text (&q->compare.right),
                             r->sweep->spec->column[q->compare.axis],
                             value_text (&q->compare.left));
    case QUESTION_EFFECTS:
        return ": change from the lowest to the highest mean";
    default:
        return "";
    }
}

static struct textable *questions_table_of (const struct resultset *r,
                                            const struct question *q,
                                            int metric)
{
    switch (q->kind) {
    case QUESTION_COMPARE:
    case QUESTION_BASELINE:
        return compare_table (r, &q->compare, metric,
                              q->kind == QUESTION_BASELINE);
    case QUESTION_EFFECTS:
        return effects_table (r, metric);
    default:
        return group_table (r, q->axis, q->axes, metric);
    }
}

/* Print in how many rows the interval includes no difference. */
static void print_unclear (FILE *out,
                           const struct resultset *r,
                           const struct question *q,
                           int metric)
{
    int of_cost = q->kind == QUESTION_BASELINE;
    size_t rows, n;

    if (!of_cost && q->kind != QUESTION_COMPARE)
        return;
    n = compare_unclear (r, &q->compare, metric, of_cost, &rows);
    if (n > 0)
        fprintf (out,
                 "\nin %zu of %zu the interval includes %s: no difference is "
                 "shown there\n",
                 n, rows, of_cost ? "0" : "1");
}

void question_print (FILE *out,
                     const struct resultset *r,
                     const struct question *q,
                     const char *const *metrics,
                     enum table_format format)
{
    const char *empty = "";
    int first = 1;

    if (!metrics && q->kind == QUESTION_BASELINE)
        metrics = usual_cost;
    if (!metrics)
        metrics = r->sweep->spec->metrics;
    if (!metrics)
        metrics = usual;
    for (; *metrics; metrics++) {
        int m = resultset_metric (r, *metrics);
        struct textable *t;

        if (m < 0)
            continue;
        t = questions_table_of (r, q, m);
        if (format == TABLE_TEXT && !textable_rows (t)) {
            empty = arena_format ("%s %s", empty, *metrics);
            textable_destroy (t);
            continue;
        }
        if (format == TABLE_TEXT)
            fprintf (out, "%s%s%s\n\n", first ? "" : "\n", *metrics,
                     title_of (r, q));
        textable_print (t, out, format);
        textable_destroy (t);
        if (format == TABLE_TEXT)
            print_unclear (out, r, q, m);
        first = 0;
    }
    if (*empty)
        fprintf (out, "%sno run has a value to compare:%s\n", first ? "" : "\n",
                 empty);
}

void questions_of_file (FILE *out,
                        const struct resultset *r,
                        enum table_format format)
{
    const struct spec *s = r->sweep->spec;

    for (size_t i = 0; i < s->compares; i++) {
        struct question q = {.kind = QUESTION_COMPARE,
                             .compare = s->compare[i]};

        fputc ('\n', out);
        question_print (out, r, &q, NULL, format);
    }
    for (size_t i = 0; i < s->baselines; i++) {
        struct compare *c;
        size_t n = baseline_compares (r, &s->baseline[i], &c);

        for (size_t k = 0; k < n; k++) {
            struct question q = {.kind = QUESTION_BASELINE, .compare = c[k]};

            fputc ('\n', out);
            question_print (out, r, &q, NULL, format);
        }
    }
    if (s->groups) {
        struct question q = {
            .kind = QUESTION_GROUP, .axis = s->group, .axes = s->groups};

        fputc ('\n', out);
        question_print (out, r, &q, NULL, format);
    }
}

/* ---- runs, their places in the order, and their spread -> doubts ---- */

enum {
    REPEATS_MIN = 3,   /* of a point, to tell which of them stands out */
    RESIDUALS_MIN = 9, /* of the sweep, to tell how they scatter */
    OUTLIERS_SHOWN = 5,
};

static const double z_max = 5;          /* robust standard deviations */
static const double mad_to_sd = 1.4826; /* of a normal distribution */
static const double sure = 0.05;        /* probability */
static const double noise_least = 1e-3; /* 0.1 %: clocks, not disturbances */

struct residual {
    int point, repeat;
    double log;      /* later relative to the point's middle */
    double position; /* in the repeat */
    double value, others;
};

/* -- collection -------------------------------------------------------- */

static int check_by_number (const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

static double median (double *x, size_t n)
{
    SORT (x, n, check_by_number);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* The runs of a point with a positive number, as they are. */
static size_t check_runs_of (const struct resultset *r,
                             int point,
                             int metric,
                             struct residual *out)
{
    size_t n = 0;
    double x;

    for (int k = 0; k < r->sweep->spec->repeats; k++) {
        if (!resultset_value (r, point, k, metric, &x) || x <= 0)
            continue;
        out[n].point = point;
        out[n].repeat = k;
        out[n].log = log (x);
        out[n++].value = x;
    }
    return n;
}

/* -- outliers ---------------------------------------------------------- */

/* Relative to the median of the point, all of the sweep. */
static size_t
residuals (const struct resultset *r, int metric, struct residual **out)
{
    size_t repeats = r->sweep->spec->repeats, all = 0;
    double *sorted = arena_array (repeats + 1, sizeof (*sorted));

    *out = arena_array (r->sweep->grid->count * repeats + 1, sizeof (**out));
    for (size_t p = 0; p < r->sweep->grid->count; p++) {
        struct residual *x = *out + all;
        size_t n = check_runs_of (r, (int)p, metric, x);
        double middle;

        if (n < REPEATS_MIN)
            continue;
        for (size_t i = 0; i < n; i++)
            sorted[i] = x[i].log;
        middle = median (sorted, n);
        for (size_t i = 0; i < n; i++) {
            x[i].log -= middle;
            x[i].others = exp (middle);
        }
        all += n;
    }
    return all;
}

/* How residuals scatter: the median of their sizes. Medians themselves (0 by
 * their nature) are left out. */
static double scatter_of (const struct residual *x, size_t n)
{
    double *size = arena_array (n + 1, sizeof (*size));
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (x[i].log != 0)
            size[k++] = fabs (x[i].log);
    if (k < RESIDUALS_MIN)
        return NAN;
    return fmax (median (size, k) * mad_to_sd, noise_least);
}

static size_t
outliers_of (const struct resultset *r, int metric, struct residual **out)
{
    size_t n = residuals (r, metric, out), used = 0;
    double scatter = scatter_of (*out, n);

    for (size_t i = 0; isfinite (scatter) && i < n; i++)
        if (fabs ((*out)[i].log) > z_max * scatter)
            (*out)[used++] = (*out)[i];
    return used;
}

/* -- drift ------------------------------------------------------------- */

struct drift {
    double xx, xy, yy;
    size_t n, points;
};

static void drift_add (struct drift *d, const struct residual *x, size_t n)
{
    double log = 0, position = 0;

    if (n < 2)
        return;
    for (size_t i = 0; i < n; i++) {
        log += x[i].log / (double)n;
        position += x[i].position / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        d->xx += (x[i].position - position) * (x[i].position - position);
        d->xy += (x[i].position - position) * (x[i].log - log);
        d->yy += (x[i].log - log) * (x[i].log - log);
    }
    d->n += n;
    d->points++;
}

/* Place in the repeat: how many of its runs come earlier. */
static void places (const struct resultset *r, double *place)
{
    const struct layout *l = r->sweep->layout;
    size_t repeats = r->sweep->spec->repeats;
    double *next = arena_array (repeats + 1, sizeof (*next));

    for (size_t i = 0; i < l->runs; i++)
        if (!l->run[i].control)
            place[(size_t)l->run[i].point * repeats +
                  (size_t)l->run[i].repeat] = next[l->run[i].repeat]++;
}

/* Remove the residuals that stand out: one run that was disturbed is no drift.
 * Return how many are left. */
static size_t check_leave_out (struct residual *x,
                               size_t n,
                               const struct residual *out,
                               size_t outs)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < outs &&
               (out[k].point != x[i].point || out[k].repeat != x[i].repeat))
            k++;
        if (k == outs)
            x[used++] = x[i];
    }
    return used;
}

struct order_effect check_order (const struct resultset *r, int metric)
{
    struct residual *out;
    size_t outs = outliers_of (r, metric, &out);
    size_t repeats = r->sweep->spec->repeats;
    double *place =
        arena_array (r->sweep->grid->count * repeats + 1, sizeof (*place));
    struct residual *x = arena_array (repeats + 1, sizeof (*x));
    struct drift d = {.n = 0};
    struct order_effect e = {.p = NAN};
    double correlation;
    size_t freedom;

    places (r, place);
    for (size_t p = 0; p < r->sweep->grid->count; p++) {
        size_t n = check_runs_of (r, (int)p, metric, x);

        n = check_leave_out (x, n, out, outs);
        for (size_t i = 0; i < n; i++)
            x[i].position = place[p * repeats + (size_t)x[i].repeat];
        drift_add (&d, x, n);
    }
    e.n = d.n;
    e.left_out = outs;
    if (d.xx <= 0 || d.yy <= 0 || d.n < d.points + 3)
        return e;
    freedom = d.n - d.points - 1;
    correlation = d.xy / sqrt (d.xx * d.yy);
    e.per_run = expm1 (d.xy / d.xx);
    e.p = student_p (correlation * sqrt (freedom) /
                         sqrt (fmax (1e-300, 1 - correlation * correlation)),
                     freedom);
    return e;
}

/* -- tables ------------------------------------------------------------ */

struct textable *check_outliers (const struct resultset *r)
{
    struct textable *t = textable_create ();

    textable_columns (t, "run label metric unit value#");
    textable_column (t, "others", "the\nothers", NULL, 1);
    for (size_t m = 0; m < r->metrics; m++) {
        struct residual *x;
        size_t n = outliers_of (r, (int)m, &x);

        for (size_t i = 0; i < n; i++) {
            struct run run = {.point = x[i].point, .repeat = x[i].repeat};

            textable_line (
                t, "%s %s %s %s %.6f %.6f", run_id (r->sweep->grid, run),
                r->sweep->grid->point[x[i].point].label, r->metric[m].name,
                r->metric[m].unit, x[i].value, x[i].others);
        }
    }
    return t;
}

/* -- for people -------------------------------------------------------- */

static void print_missing (FILE *out, const struct resultset *r)
{
    size_t retried = 0;
    const char *between = " ";

    fputs ("missing:", out);
    if (r->report.good == r->report.count)
        fputs (" none", out);
    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (r->report.by_outcome[o] && o != OUTCOME_DONE) {
            fprintf (out, "%s%zu %s", between, r->report.by_outcome[o],
                     outcome_word (o));
            between = ", ";
        }
    for (size_t i = 0; i < r->report.count; i++)
        retried += r->report.run[i].attempt > 0;
    fprintf (out, ". retried: %zu run%s.\n", retried, retried == 1 ? "" : "s");
}

/* Metrics of `scrape:` that some runs did not print as a number, or not at
 * all. */
static void print_not_scraped (FILE *out, const struct resultset *r)
{
    const struct spec *s = r->sweep->spec;

    for (size_t k = 0; k < s->scrapes; k++) {
        int metric = resultset_metric (r, s->scrape[k].name);
        size_t runs, silent = 0;
        const char *text = resultset_not_a_number (r, -1, metric, &runs);

        for (size_t i = 0; i < r->report.count; i++)
            silent += r->report.run[i].outcome == OUTCOME_DONE &&
                      !r->run[i].measure[metric].present &&
                      !r->run[i].measure[metric].text;
        if (runs)
            fprintf (out,
                     "scrape: %s: %zu run%s matched what is no number, "
                     "as in \"%.40s\".\n",
                     s->scrape[k].name, runs, runs == 1 ? "" : "s", text);
        if (silent)
            fprintf (out, "scrape: %s: the output of %zu run%s has no match.\n",
                     s->scrape[k].name, silent, silent == 1 ? "" : "s");
    }
}

static void
print_order (FILE *out, const struct resultset *r, const char *name, int metric)
{
    struct order_effect e = check_order (r, metric);

    if (!isfinite (e.p))
        return;
    if (e.p >= sure)
        fprintf (out,
                 "order effect on %s (place in the repeat): none found "
                 "(p = %.2f, %zu runs%s)\n",
                 name, e.p, e.n, e.left_out ? ", without what stands out" : "");
    else
        fprintf (out,
                 "order effect on %s: %+.2f %% per place in the repeat (p = "
                 "%.3f, %zu runs%s): something drifts\n",
                 name, e.per_run * 100, e.p, e.n,
                 e.left_out ? ", without what stands out" : "");
}

static void print_outliers (FILE *out,
                            const struct resultset *r,
                            const char *name,
                            int metric)
{
    struct residual *x;
    size_t n = outliers_of (r, metric, &x);

    for (size_t i = 0; i < n && i < OUTLIERS_SHOWN; i++)
        fprintf (out, "stands out: %s r%d: %s %.6g %s, the others %.6g\n",
                 r->sweep->grid->point[x[i].point].label, x[i].repeat, name,
                 x[i].value, r->metric[metric].unit, x[i].others);
    if (n > OUTLIERS_SHOWN)
        fprintf (out, "and %zu more: results/outliers.csv\n",
                 n - OUTLIERS_SHOWN);
}

void check_print (FILE *out, const struct resultset *r)
{
    int wall = resultset_metric (r, "wall_time");

    print_missing (out, r);
    print_not_scraped (out, r);
    print_order (out, r, "wall_time", wall);
    print_outliers (out, r, "wall_time", wall);
}
