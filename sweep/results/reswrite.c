/* SPDX-License-Identifier: MIT
 *
 * reswrite.c - resultset -> DIR/results/, each file whole or not at all
 */
#include "config.h"

#include "lib/util/fsutil.h"
#include "sweep/results/check.h"
#include "sweep/results/figure.h"
#include "sweep/results/junit.h"
#include "sweep/results/questions.h"
#include "sweep/results/restable.h"
#include "sweep/results/verdict.h"

enum { LINES_MAX = 8 }; /* of a figure: more cannot be told apart */

static struct atomic_file *
open_in (const struct resultset *r, const char *name, struct errtext *err)
{
    return atomic_open (
        arena_format (r->sweep->arena, "%s/results/%s", r->sweep->path, name),
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

static int write_outliers (const struct resultset *r, struct errtext *err)
{
    int *metric = arena_array (r->sweep->arena, r->metrics + 1, sizeof (int));

    for (size_t i = 0; i < r->metrics; i++)
        metric[i] = (int)i;
    return write_csv (r, "outliers.csv", check_outliers (r, metric, r->metrics),
                      err);
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
         junit_write (arena_format (r->sweep->arena, "%s/results/junit.xml",
                                    r->sweep->path),
                      r, err) < 0))
        return -1;
    return write_outliers (r, err);
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
    struct arena *a = r->sweep->arena;
    int metric = resultset_metric (r, p->metric), x, by;
    struct atomic_file *f;
    const char *name;

    if (metric < 0)
        return 0; /* no run has it: the tables say so */
    usual_axes (r, p, &x, &by);
    name = arena_format (a, "plot.%s.%s%s%s.svg", p->metric,
                         r->sweep->spec->column[x], by < 0 ? "" : ".",
                         by < 0 ? "" : r->sweep->spec->column[by]);
    f = open_in (r, name, err);
    if (!f)
        return -1;
    figure_plot (atomic_stream (f), r, metric, x, by);
    return atomic_commit (f, err);
}

/* Of the first metric that the sweep file asks for, else of the time. */
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

    if (make_dirs (arena_format (d->arena, "%s/results", d->path), 0755, err) <
            0 ||
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
    struct resultset *r = resultset_load (d, err);

    return r ? resultset_write (r, err) : -1;
}
