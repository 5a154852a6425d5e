/* SPDX-License-Identifier: MIT
 *
 * restable.c - numbers per run and point -> tables, and the files in results/
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/util/fsutil.h"
#include "sweep/plan/plan.h"
#include "sweep/results/restable.h"
#include "sweep/results/compare.h"
#include "sweep/results/questions.h"
#include "sweep/results/runreport.h"
#include "sweep/spec/value.h"

/* -- what people see --------------------------------------------------- */

static const char *const section_titles[METRIC_SECTIONS] = {
    [METRIC_SECTION_NONE] = "Further metrics",
    [METRIC_SECTION_IO] = "I/O and data loader",
    [METRIC_SECTION_FAULTS] = "Bytes from storage, page faults",
    [METRIC_SECTION_CHECKPOINT] = "Checkpoints and the whole job",
};

static void point_columns (struct textable *t, const struct resultset *r)
{
    for (size_t i = 0; i < r->sweep->spec->axes; i++)
        resultset_axis (t, r, (int)i);
}

static void
point_cells (struct textable *t, const struct resultset *r, int point)
{
    for (size_t i = 0; i < r->sweep->spec->axes; i++)
        plan_cell (t, resultset_value_of (r, point, (int)i));
}

static int any_not_done (const struct resultset *r)
{
    return r->report.good < r->report.count;
}

static void print_titled (FILE *out,
                          struct textable *t,
                          const char *title,
                          enum table_format format)
{
    if (format == TABLE_TEXT)
        fprintf (out, "\n%s\n\n", title);
    else if (format == TABLE_MARKDOWN)
        fprintf (out, "\n### %s\n\n", title);
    textable_print (t, out, format);
    textable_destroy (t);
}

static const char *with_repeats (const struct resultset *r, const char *title)
{
    if (r->sweep->spec->repeats == 1)
        return title;
    return arena_format ("%s (mean over up to %d repeats)", title,
                         r->sweep->spec->repeats);
}

/* The largest mean of a metric over the points; NaN: no point has it. */
static double restable_most (const struct resultset *r, const char *name)
{
    int metric = resultset_metric (r, name);
    double most = NAN;

    for (int p = -1; metric >= 0 && (p = resultset_next (r, p)) >= 0;) {
        struct statistics s = resultset_point (r, p, metric);

        if (s.n)
            most = fmax (most, s.mean);
    }
    return most;
}

/* A study that writes data and reads none shows what it wrote. */
static int restable_is_write (const struct resultset *r, const char *name)
{
    static const char *const writes[] = {"write_count", "write_bytes",
                                         "write_time", "write_bandwidth",
                                         "write_size"};

    for (size_t i = 0; i < ITEMS (writes); i++)
        if (!strcmp (writes[i], name))
            return restable_most (r, "write_count") > 0 &&
                   !(restable_most (r, "read_count") > 0);
    return 0;
}

static int restable_wanted (const struct resultset *r,
                            const struct column *c,
                            enum metric_section section,
                            const char *const *only)
{
    if (!only && section == METRIC_SECTION_IO && restable_is_write (r, c->name))
        return 1;
    if (c->section != section)
        return 0;
    for (size_t i = 0; only && only[i]; i++)
        if (!strcmp (only[i], c->name))
            return 1;
    return !only && section != METRIC_SECTION_NONE;
}

/* Columns that would be n/a in every row are named below the table. */
static void
restable_say_na (FILE *out, const char *names, enum table_format format)
{
    enum { LINE = 78 };
    size_t at = strlen ("n/a in every row:");

    if (!*names || (format != TABLE_TEXT && format != TABLE_MARKDOWN))
        return;
    fputs ("\nn/a in every row:", out);
    while (*names == ' ') {
        size_t n = 1 + strcspn (names + 1, " ");

        if (at + n > LINE) {
            fputs ("\n ", out);
            at = 1;
        }
        fwrite (names, 1, n, out);
        at += n;
        names += n;
    }
    fputc ('\n', out);
}

/* Layer mmap was traced somewhere, or its metrics were asked for. */
static int has_faults (const struct resultset *r, const char *const *only)
{
    return only != NULL || restable_most (r, "storage_bytes") >= 0;
}

/* Means by point of metrics, or of operations of the data layer. */
struct means {
    const char *title;
    struct column *column;
    size_t columns;
    int operations;
    int states; /* with the state and the check of each point */
};

static void print_means (FILE *out,
                         const struct resultset *r,
                         const struct means *m,
                         enum table_format format)
{
    struct textable *t = textable_create ();
    int state = m->states && any_not_done (r);
    int check = m->states && r->sweep->spec->checks;

    point_columns (t, r);
    for (size_t i = 0; i < m->columns; i++)
        textable_column (t, m->column[i].name, m->column[i].title,
                         m->column[i].unit, 1);
    if (state)
        textable_columns (t, "state");
    if (check)
        textable_columns (t, "check");
    for (int p = -1; (p = resultset_next (r, p)) >= 0;) {
        textable_row (t);
        point_cells (t, r, p);
        for (size_t i = 0; i < m->columns; i++) {
            const char *name = m->column[i].name;
            struct statistics s =
                m->operations
                    ? resultset_operation (r, p, name)
                    : resultset_point (r, p, resultset_metric (r, name));

            textable_double (t, s.n ? s.mean : NAN, m->column[i].digits);
        }
        if (state)
            textable_text (t, resultset_point_state (r, p));
        if (check)
            textable_text (t, verdict_word (verdict_point (r, p)));
    }
    print_titled (out, t, with_repeats (r, m->title), format);
}

static void print_section (FILE *out,
                           const struct resultset *r,
                           enum metric_section section,
                           const char *const *only,
                           enum table_format format)
{
    struct column shown[COLUMNS];
    struct means m = {
        .title = section_titles[section], .column = shown, .states = 1};
    const char *gone = "";

    for (size_t i = 0; i < COLUMNS; i++) {
        struct column c = column_at (i);

        if (!restable_wanted (r, &c, section, only))
            continue;
        if (!only && r->report.good && isnan (restable_most (r, c.name)))
            gone = arena_format ("%s %s", gone, c.name);
        else
            shown[m.columns++] = c;
    }
    if (m.columns)
        print_means (out, r, &m, format);
    restable_say_na (out, gone, format);
}

/* The data layer's own categories. */
static int is_data_layer (const char *operation)
{
    static const char *const category[] = {"data/", "dataloader/",
                                           "data_loader/", NULL};

    for (size_t i = 0; category[i]; i++)
        if (!strncmp (operation, category[i], strlen (category[i])))
            return 1;
    return 0;
}

/* "data/preprocess.mmap_read" -> "preprocess\nmmap_read" */
static const char *operation_title (const char *name)
{
    char *title = arena_text (strchr (name, '/') + 1);
    char *dot = strchr (title, '.');

    if (dot)
        *dot = '\n';
    return title;
}

static int restable_by_name (const void *x, const void *y)
{
    return strcmp (*(const char *const *)x, *(const char *const *)y);
}

static void print_operations (FILE *out,
                              const struct resultset *r,
                              enum table_format format)
{
    struct means m = {.title = "Time per operation of the data layer, "
                               "summed over threads and processes",
                      .column =
                          arena_array (r->operations + 1, sizeof (*m.column)),
                      .operations = 1};
    const char **names = arena_array (r->operations + 1, sizeof (*names));

    for (size_t i = 0; i < r->operations; i++)
        if (is_data_layer (r->operation[i]))
            names[m.columns++] = r->operation[i];
    SORT (names, m.columns, restable_by_name);
    for (size_t i = 0; i < m.columns; i++)
        m.column[i] = (struct column){.name = names[i],
                                      .title = operation_title (names[i]),
                                      .unit = "s",
                                      .digits = 4};
    if (m.columns)
        print_means (out, r, &m, format);
}

static void
print_scrapes (FILE *out, const struct resultset *r, enum table_format format)
{
    const struct spec *s = r->sweep->spec;
    struct means m = {.title = "From the output of the runs",
                      .column =
                          arena_array (s->scrapes + 1, sizeof (*m.column)),
                      .columns = s->scrapes};

    for (size_t i = 0; i < s->scrapes; i++)
        m.column[i] = (struct column){.name = s->scrape[i].name, .digits = 4};
    if (m.columns)
        print_means (out, r, &m, format);
}

void restable_print (FILE *out,
                     const struct resultset *r,
                     const char *const *only,
                     enum table_format format)
{
    if (format == TABLE_TEXT)
        fprintf (out, "%s: %zu configurations, %zu of %zu runs done\n",
                 r->sweep->spec->name, r->sweep->grid->count, r->report.good,
                 r->report.count);
    if (format == TABLE_TEXT)
        overhead_print (out, r->sweep, &r->report);
    print_section (out, r, METRIC_SECTION_IO, only, format);
    if (!only)
        print_operations (out, r, format);
    if (has_faults (r, only))
        print_section (out, r, METRIC_SECTION_FAULTS, only, format);
    print_section (out, r, METRIC_SECTION_CHECKPOINT, only, format);
    print_section (out, r, METRIC_SECTION_NONE, only, format);
    print_scrapes (out, r, format);
}

static void restable_statistics_columns (struct textable *t,
                                         const char *name,
                                         const char *unit)
{
    static const char *const what[] = {"mean", "sd", "n", "min", "max"};

    for (size_t i = 0; i < 5; i++)
        textable_column (t,
                         name ? arena_format ("%s_%s", name, what[i]) : what[i],
                         what[i], i == 2 ? NULL : unit, 1);
}

/* Columns and cells of mean, sd, n, min, max; name may be NULL. */
static void
restable_statistics_cells (struct textable *t, struct statistics s, int digits)
{
    double value[5] = {s.mean, s.sd, 0, s.min, s.max};

    for (size_t i = 0; i < 5; i++) {
        if (i == 2)
            textable_uint (t, s.n);
        else
            textable_double (t, s.n > (i == 1) ? value[i] : NAN, digits);
    }
}

struct textable *restable_metric (const struct resultset *r, int metric)
{
    struct textable *t = textable_create ();
    const struct result_metric *m = &r->metric[metric];
    int known = column_find (m->name);

    textable_columns (t, "label");
    point_columns (t, r);
    restable_statistics_columns (t, NULL, m->unit);
    textable_columns (t, "state");
    for (int p = -1; (p = resultset_next (r, p)) >= 0;) {
        textable_line (t, "%s", r->sweep->grid->point[p].label);
        point_cells (t, r, p);
        restable_statistics_cells (t, resultset_point (r, p, metric),
                                   known < 0 ? 3 : column_at (known).digits);
        textable_text (t, resultset_point_state (r, p));
    }
    return t;
}

/* ---- numbers per run and point -> tables for programs ---- */

static void restable_exact_id_columns (struct textable *t,
                                       const struct resultset *r)
{
    const struct spec *s = r->sweep->spec;

    textable_columns (t, "point label");
    for (size_t i = 0; i < s->columns; i++)
        textable_column (t, s->column[i], s->column[i], NULL, 0);
}

static void restable_exact_id_cells (struct textable *t,
                                     const struct resultset *r,
                                     int point)
{
    const struct point *p = &r->sweep->grid->point[point];

    textable_cells (t, "%s %s", p->id, p->label);
    for (size_t i = 0; i < r->sweep->spec->columns; i++)
        plan_cell (t, &p->column[i]);
}

/* How the node was before the run. */
static void before_cells (struct textable *t, const struct runstatus *s)
{
    textable_text (t, s->predecessor);
    if (s->state == RUN_NONE) {
        textable_cells (t, "- -");
    } else {
        textable_cells (t, "%.2f %ju", s->loadavg, s->cached_kb);
    }
    textable_known (t, s->state != RUN_NONE && s->data_cached_kb >= 0,
                    s->data_cached_kb);
}

static void status_cells (struct textable *t, const struct run_report *x)
{
    textable_cells (
        t, "%s %d?%d %s %s %s %.3f %.3f", outcome_word (x->outcome),
        x->status.state == RUN_ENDED, x->status.exit, x->status.node,
        x->status.job, x->status.task,
        x->status.state != RUN_NONE ? x->status.start : NAN,
        x->status.state == RUN_ENDED ? x->status.end - x->status.start : NAN);
    before_cells (t, &x->status);
}

static struct textable *restable_runs (const struct resultset *r)
{
    struct textable *t = textable_create ();

    textable_columns (t, "run");
    restable_exact_id_columns (t, r);
    textable_columns (t, "repeat control attempt state exit node job task "
                         "start_s elapsed_s predecessor loadavg cached_kb "
                         "data_cached_kb");
    for (size_t m = 0; m < r->metrics; m++)
        textable_column (t, r->metric[m].name, r->metric[m].name,
                         r->metric[m].unit, 1);
    for (size_t i = 0; i < r->report.count; i++) {
        const struct run_report *x = &r->report.run[i];

        textable_line (t, "%s", run_id (r->sweep->grid, x->run));
        restable_exact_id_cells (t, r, x->run.point);
        textable_cells (t, "%d %d %d?%d", x->run.repeat, x->run.control,
                        x->attempt >= 0, x->attempt);
        status_cells (t, x);
        for (size_t m = 0; m < r->metrics; m++) {
            textable_double (
                t,
                r->run[i].measure[m].present ? r->run[i].measure[m].value : NAN,
                6);
        }
    }
    return t;
}

struct textable *restable_points (const struct resultset *r)
{
    struct textable *t = textable_create ();

    restable_exact_id_columns (t, r);
    textable_columns (t, "state");
    if (r->sweep->spec->checks)
        textable_columns (t, "check");
    for (size_t m = 0; m < r->metrics; m++)
        restable_statistics_columns (t, r->metric[m].name, r->metric[m].unit);
    for (int p = -1; (p = resultset_next (r, p)) >= 0;) {
        textable_row (t);
        restable_exact_id_cells (t, r, p);
        textable_text (t, resultset_point_state (r, p));
        if (r->sweep->spec->checks)
            textable_text (t, verdict_word (verdict_point (r, p)));
        for (size_t m = 0; m < r->metrics; m++)
            restable_statistics_cells (t, resultset_point (r, p, (int)m), 6);
    }
    return t;
}

struct textable *restable_long (const struct resultset *r)
{
    struct textable *t = textable_create ();

    textable_columns (t,
                      "point label repeat# control# state metric unit value#");
    for (size_t i = 0; i < r->report.count; i++)
        for (size_t m = 0; m < r->metrics; m++) {
            const struct run_report *x = &r->report.run[i];
            const struct point *p = &r->sweep->grid->point[x->run.point];

            textable_line (
                t, "%s %s %d %d %s %s %s %.6f", p->id, p->label, x->run.repeat,
                x->run.control, outcome_word (x->outcome), r->metric[m].name,
                r->metric[m].unit,
                r->run[i].measure[m].present ? r->run[i].measure[m].value
                                             : NAN);
        }
    return t;
}

static struct textable *restable_operations (const struct resultset *r)
{
    struct textable *t = textable_create ();

    textable_columns (t, "run");
    restable_exact_id_columns (t, r);
    textable_columns (t, "category name count#");
    textable_column (t, "sum_s", "sum", "s", 1);
    textable_column (t, "mean_us", "mean", "us", 1);
    for (size_t i = 0; i < r->report.count; i++)
        for (size_t k = 0; k < r->run[i].operations; k++) {
            const struct operation *o = &r->run[i].operation[k];
            struct run run = r->report.run[i].run;

            textable_line (t, "%s", run_id (r->sweep->grid, run));
            restable_exact_id_cells (t, r, run.point);
            textable_cells (t, "%s %s %ju %.6f %.2f", o->category,
                            o->name + strlen (o->category) + 1,
                            (uint64_t)o->count, o->sum, o->mean_us);
        }
    return t;
}

/* ---- means and intervals of a sweep -> drawings of lib/chart ---- */

/* Half of an interval; 0 where it is not known. */
static double half_of (const struct statistics *s)
{
    double half = statistics_half (s);

    return isfinite (half) ? half : 0;
}

/* -- a metric over an axis --------------------------------------------- */

/* A metric over the values of an axis, a line per value of another (by -1: one
 * line): means over all runs with their 95 % intervals. Points without runs are
 * absent. */
static void
figure_plot (FILE *out, const struct resultset *r, int metric, int x, int by)
{
    const int axis[] = {x, by};
    const char *const *name = r->sweep->spec->column;
    struct cells across = cells_make (r, &x, 1);
    struct cells down = cells_make (r, &by, by >= 0);
    struct cells both = cells_make (r, axis, by >= 0 ? 2 : 1);
    const struct statistics *s = cells_statistics (r, &both, metric);
    struct chart_grid g = chart_grid_create (1, down.count, across.count);
    const struct chart c = {
        .title = arena_format ("%s: %s: means%s with 95 %% intervals",
                               r->sweep->spec->name, r->metric[metric].name,
                               r->sweep->spec->axes > (by >= 0 ? 2u : 1u)
                                   ? " over the other axes"
                                   : ""),
        .text = "Means of runs with their intervals, over the values of an "
                "axis",
        .metric = r->metric[metric].name,
        .measure = r->metric[metric].name,
        .unit = r->metric[metric].unit,
        .file = 1};

    g.column_name = name[x];
    g.row_name = by < 0 ? NULL : name[by];
    for (size_t i = 0; i < g.columns; i++)
        g.column[i] = value_text (resultset_value_of (r, across.first[i], x));
    for (size_t i = 0; by >= 0 && i < g.rows; i++)
        g.row[i] = value_text (resultset_value_of (r, down.first[i], by));
    for (size_t i = 0; i < g.rows * g.columns; i++)
        g.cell[i] = (struct cell){.v = NAN,
                                  .lo = NAN,
                                  .hi = NAN,
                                  .name = g.column[i % g.columns],
                                  .absent = 1};
    for (size_t i = 0; i < both.count; i++) {
        int point = both.first[i], column = across.of[point];
        struct cell *cell =
            &g.cell[(size_t)down.of[point] * g.columns + (size_t)column];

        if (!s[i].n)
            continue;
        *cell = cell_of (s[i].mean, g.column[column]);
        cell->lo = s[i].mean - half_of (&s[i]);
        cell->hi = s[i].mean + half_of (&s[i]);
    }
    chart_lines (out, &c, &g);
}

/* -- ratios ------------------------------------------------------------ */

static const char *forest_label (const struct resultset *r,
                                 const struct compare *c,
                                 const struct comparison *x)
{
    const struct sweepdir *d = r->sweep;
    const char *words =
        arena_format ("%s %s / %s", d->spec->column[c->axis],
                      value_text (&c->right), value_text (&c->left));

    for (size_t i = 0; i < d->spec->axes; i++)
        if ((int)i != c->axis)
            words = arena_format (
                "%s, %s=%s", words, d->spec->column[i],
                value_text (resultset_value_of (r, x->left_point, (int)i)));
    return words;
}

/* Ratios are means of logarithms. */
static struct cell forest_cell (const struct comparison *x)
{
    double half = half_of (&x->ratio);
    struct cell cell;

    if (!x->ratio.n)
        return (struct cell){.v = NAN, .why = "no pair is done"};
    cell = cell_of (exp (x->ratio.mean), NULL);
    cell.lo = exp (x->ratio.mean - half);
    cell.hi = exp (x->ratio.mean + half);
    return cell;
}

/* The ratios of some comparisons of a metric, with their intervals, one row
 * each; a line at 1. */
static void figure_compare (FILE *out,
                            const struct resultset *r,
                            const struct compare *c,
                            size_t compares,
                            int metric)
{
    struct comparison **x = arena_array (compares + 1, sizeof (*x));
    size_t *n = arena_array (compares + 1, sizeof (*n)), rows = 0;
    struct chart chart = {
        .title = arena_format ("%s: %s: ratios, paired by repeat, with 95 %% "
                               "intervals",
                               r->sweep->spec->name, r->metric[metric].name),
        .text = "Ratios of a metric between two values of an axis",
        .metric = r->metric[metric].name,
        .measure = "ratio (1: equal)",
        .file = 1};
    struct chart_grid g;

    for (size_t i = 0; i < compares; i++)
        rows += n[i] = compare_pairs (r, &c[i], metric, &x[i]);
    g = chart_grid_create (1, rows, 1);
    for (size_t i = 0, row = 0; i < compares; i++)
        for (size_t k = 0; k < n[i]; k++, row++) {
            g.row[row] = forest_label (r, &c[i], &x[i][k]);
            g.cell[row] = forest_cell (&x[i][k]);
        }
    chart_forest (out, &chart, &g);
}

/* ---- resultset -> DIR/results/, each file whole or not at all ---- */

enum { LINES_MAX = 8 }; /* of a figure: more cannot be told apart */

static struct atomic_file *
open_in (const struct resultset *r, const char *name, struct errtext *err)
{
    return atomic_open (arena_format ("%s/results/%s", r->sweep->path, name),
                        0644, err);
}

static int write_csv (const struct resultset *r,
                      const char *name,
                      struct textable *t,
                      struct errtext *err)
{
    struct atomic_file *f = open_in (r, name, err);

    if (f)
        textable_print (t, atomic_stream (f), TABLE_CSV);
    textable_destroy (t);
    return f ? atomic_commit (f, err) : -1;
}

static int reswrite_write_tables (const struct resultset *r,
                                  struct errtext *err)
{
    struct compare *c;
    size_t compares = compare_asked (r, &c);

    if (write_csv (r, "runs.csv", restable_runs (r), err) < 0 ||
        write_csv (r, "points.csv", restable_points (r), err) < 0 ||
        write_csv (r, "long.csv", restable_long (r), err) < 0 ||
        write_csv (r, "operations.csv", restable_operations (r), err) < 0 ||
        write_csv (r, "compare.csv", compare_all (r, c, compares), err) < 0 ||
        write_csv (r, "effects.csv", effects_all (r), err) < 0)
        return -1;
    if (r->sweep->spec->checks &&
        (write_csv (r, "checks.csv", verdict_table (r), err) < 0 ||
         junit_write (arena_format ("%s/results/junit.xml", r->sweep->path), r,
                      err) < 0))
        return -1;
    return write_csv (r, "outliers.csv", check_outliers (r), err);
}

/* -- figures ----------------------------------------------------------- */

/* Across: the first axis of numbers that varies, else the first that varies;
 * a line per value of the next one. */
static void
usual_axes (const struct resultset *r, const struct plot *p, int *x, int *by)
{
    const struct spec *s = r->sweep->spec;

    *x = p->x;
    *by = p->by;
    for (int numbers = 1; numbers >= 0; numbers--)
        for (size_t i = 0; *x < 0 && i < s->axes; i++)
            if (s->axis[i].count > 1 && (int)i != *by &&
                (!numbers || value_is_number (&s->axis[i].value[0])))
                *x = (int)i;
    if (*x < 0)
        *x = 0;
    for (size_t i = s->axes; p->x < 0 && *by < 0 && i-- > 0;)
        if (s->axis[i].count > 1 && s->axis[i].count <= LINES_MAX &&
            (int)i != *x)
            *by = (int)i;
}

static int write_plot (const struct resultset *r,
                       const struct plot *p,
                       struct errtext *err)
{
    int metric = resultset_metric (r, p->metric), x, by;
    struct atomic_file *f;
    const char *name;

    if (metric < 0)
        return 0; /* no run has it: the tables say so */
    usual_axes (r, p, &x, &by);
    name = arena_format ("plot.%s.%s%s%s.svg", p->metric,
                         r->sweep->spec->column[x], by < 0 ? "" : ".",
                         by < 0 ? "" : r->sweep->spec->column[by]);
    f = open_in (r, name, err);
    if (!f)
        return -1;
    figure_plot (atomic_stream (f), r, metric, x, by);
    return atomic_commit (f, err);
}

/* Compare the first metric that the sweep file asks for, else the time. */
static int write_compare (const struct resultset *r, struct errtext *err)
{
    const char *const *names = r->sweep->spec->metrics;
    int metric = resultset_metric (r, "wall_time");
    struct atomic_file *f;
    struct compare *c;
    size_t compares = compare_asked (r, &c);

    for (size_t i = 0; names && names[i]; i++)
        if (resultset_metric (r, names[i]) >= 0) {
            metric = resultset_metric (r, names[i]);
            break;
        }
    if (!compares || metric < 0)
        return 0;
    f = open_in (r, "compare.svg", err);
    if (!f)
        return -1;
    figure_compare (atomic_stream (f), r, c, compares, metric);
    return atomic_commit (f, err);
}

/* -- all --------------------------------------------------------------- */

static int write_summary (const struct resultset *r, struct errtext *err)
{
    const struct question effects = {.kind = QUESTION_EFFECTS};
    struct atomic_file *f = open_in (r, "summary.txt", err);
    FILE *out;

    if (!f)
        return -1;
    out = atomic_stream (f);
    restable_print (out, r, r->sweep->spec->metrics, TABLE_TEXT);
    questions_of_file (out, r, TABLE_TEXT);
    verdict_print (out, r, TABLE_TEXT);
    if (r->sweep->grid->count > 1 && r->report.good) {
        fputc ('\n', out);
        question_print (out, r, &effects, NULL, TABLE_TEXT);
    }
    fputc ('\n', out);
    check_print (out, r);
    return atomic_commit (f, err);
}

int resultset_write (struct resultset *r, struct errtext *err)
{
    struct sweepdir *d = r->sweep;

    if (make_dirs (arena_format ("%s/results", d->path), 0755, err) < 0 ||
        reswrite_write_tables (r, err) < 0)
        return -1;
    for (size_t i = 0; i < d->spec->plots; i++)
        if (write_plot (r, &d->spec->plot[i], err) < 0)
            return -1;
    if (write_compare (r, err) < 0)
        return -1;
    return write_summary (r, err); /* the last: it says that all is there */
}

int resultset_write_all (struct sweepdir *d, struct errtext *err)
{
    struct resultset *r =
        resultset_load (d, &(struct filter_options){.where = NULL}, err);

    return r ? resultset_write (r, err) : -1;
}
