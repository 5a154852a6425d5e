/* SPDX-License-Identifier: MIT
 *
 * restable.c - numbers per run and point -> rows and columns
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/plan.h"
#include "sweep/results/columns.h"
#include "sweep/results/overhead.h"
#include "sweep/results/restable.h"
#include "sweep/results/verdict.h"

/* -- what people see --------------------------------------------------- */

static const char *const section_titles[METRIC_SECTIONS] = {
    [METRIC_SECTION_NONE] = "Further metrics",
    [METRIC_SECTION_IO] = "I/O and data loader",
    [METRIC_SECTION_FAULTS] = "Bytes from storage, page faults",
    [METRIC_SECTION_CHECKPOINT] = "Checkpoints and the whole job",
};

static void point_columns (struct textable *t, const struct resultset *r)
{
    const struct spec *s = r->sweep->spec;

    for (size_t i = 0; i < s->axes; i++)
        textable_column (t, s->column[i], s->column[i], NULL,
                         s->axis[i].value[0].type != VALUE_TEXT);
}

static void
point_cells (struct textable *t, const struct resultset *r, int point)
{
    const struct spec *s = r->sweep->spec;

    for (size_t i = 0; i < s->axes; i++)
        plan_cell (t, r->sweep->arena, &r->sweep->grid->point[point].column[i]);
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
    return arena_format (r->sweep->arena, "%s (mean over up to %d repeats)",
                         title, r->sweep->spec->repeats);
}

/* The largest mean of a metric over the points; NaN: no point has it. */
static double restable_most (const struct resultset *r, const char *name)
{
    int metric = resultset_metric (r, name);
    double most = NAN;

    for (size_t p = 0; metric >= 0 && p < r->sweep->grid->count; p++) {
        struct statistics s = {.n = 0};

        if (resultset_has_point (r, (int)p))
            s = resultset_point (r, (int)p, metric);
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

    for (size_t i = 0; i < sizeof (writes) / sizeof (writes[0]); i++)
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

static void print_section (FILE *out,
                           const struct resultset *r,
                           enum metric_section section,
                           const char *const *only,
                           enum table_format format)
{
    struct textable *t = textable_create ();
    struct column shown[COLUMNS];
    const char *gone = "";
    size_t n = 0;

    point_columns (t, r);
    for (size_t i = 0; i < COLUMNS; i++) {
        struct column c = column_at (i);

        if (!restable_wanted (r, &c, section, only))
            continue;
        if (!only && r->report.good && isnan (restable_most (r, c.name))) {
            gone = arena_format (r->sweep->arena, "%s %s", gone, c.name);
            continue;
        }
        textable_column (t, c.name, c.title, c.unit, 1);
        shown[n++] = c;
    }
    if (any_not_done (r))
        textable_column (t, "state", "state", NULL, 0);
    if (r->sweep->spec->checks)
        textable_column (t, "check", "check", NULL, 0);
    for (size_t p = 0; n && p < r->sweep->grid->count; p++) {
        if (!resultset_has_point (r, (int)p))
            continue;
        textable_row (t);
        point_cells (t, r, (int)p);
        for (size_t i = 0; i < n; i++) {
            struct statistics s = resultset_point (
                r, (int)p, resultset_metric (r, shown[i].name));

            if (s.n)
                textable_double (t, s.mean, shown[i].digits);
            else
                textable_na (t);
        }
        if (any_not_done (r))
            textable_text (t, resultset_point_state (r, (int)p));
        if (r->sweep->spec->checks)
            textable_text (t, verdict_word (verdict_point (r, (int)p)));
    }
    if (n)
        print_titled (out, t, with_repeats (r, section_titles[section]),
                      format);
    else
        textable_destroy (t);
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
static const char *operation_title (struct arena *a, const char *name)
{
    char *title = arena_text (a, strchr (name, '/') + 1);
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
    struct arena *a = r->sweep->arena;
    struct textable *t = textable_create ();
    const char **names = arena_array (a, r->operations + 1, sizeof (*names));
    size_t n = 0;

    for (size_t i = 0; i < r->operations; i++)
        if (is_data_layer (r->operation[i]))
            names[n++] = r->operation[i];
    qsort (names, n, sizeof (*names), restable_by_name);
    point_columns (t, r);
    for (size_t i = 0; i < n; i++)
        textable_column (t, names[i], operation_title (a, names[i]), "s", 1);
    for (size_t p = 0; n && p < r->sweep->grid->count; p++) {
        if (!resultset_has_point (r, (int)p))
            continue;
        textable_row (t);
        point_cells (t, r, (int)p);
        for (size_t i = 0; i < n; i++) {
            struct statistics s = resultset_operation (r, (int)p, names[i]);

            if (s.n)
                textable_double (t, s.mean, 4);
            else
                textable_na (t);
        }
    }
    if (n)
        print_titled (out, t,
                      with_repeats (r, "Time per operation of the data layer, "
                                       "summed over threads and processes"),
                      format);
    else
        textable_destroy (t);
}

static void
print_scrapes (FILE *out, const struct resultset *r, enum table_format format)
{
    const struct spec *spec = r->sweep->spec;
    struct textable *t;

    if (!spec->scrapes)
        return;
    t = textable_create ();
    point_columns (t, r);
    for (size_t i = 0; i < spec->scrapes; i++)
        textable_column (t, spec->scrape[i].name, spec->scrape[i].name, NULL,
                         1);
    for (size_t p = 0; p < r->sweep->grid->count; p++) {
        if (!resultset_has_point (r, (int)p))
            continue;
        textable_row (t);
        point_cells (t, r, (int)p);
        for (size_t i = 0; i < spec->scrapes; i++) {
            struct statistics s = resultset_point (
                r, (int)p, resultset_metric (r, spec->scrape[i].name));

            if (s.n)
                textable_double (t, s.mean, 4);
            else
                textable_na (t);
        }
    }
    print_titled (out, t, with_repeats (r, "From the output of the runs"),
                  format);
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

void restable_statistics_columns (struct textable *t,
                                  struct arena *a,
                                  const char *name,
                                  const char *unit)
{
    static const char *const what[] = {"mean", "sd", "n", "min", "max"};

    for (size_t i = 0; i < 5; i++)
        textable_column (
            t, name ? arena_format (a, "%s_%s", name, what[i]) : what[i],
            what[i], i == 2 ? NULL : unit, 1);
}

void restable_statistics_cells (struct textable *t,
                                struct statistics s,
                                int digits)
{
    double value[5] = {s.mean, s.sd, 0, s.min, s.max};

    for (size_t i = 0; i < 5; i++) {
        if (i == 2)
            textable_uint (t, s.n);
        else if (s.n > (i == 1))
            textable_double (t, value[i], digits);
        else
            textable_na (t);
    }
}

struct textable *restable_metric (const struct resultset *r, int metric)
{
    struct textable *t = textable_create ();
    const struct result_metric *m = &r->metric[metric];
    int known = column_find (m->name);

    textable_column (t, "label", "label", NULL, 0);
    point_columns (t, r);
    restable_statistics_columns (t, r->sweep->arena, NULL, m->unit);
    textable_column (t, "state", "state", NULL, 0);
    for (size_t p = 0; p < r->sweep->grid->count; p++) {
        if (!resultset_has_point (r, (int)p))
            continue;
        textable_row (t);
        textable_text (t, r->sweep->grid->point[p].label);
        point_cells (t, r, (int)p);
        restable_statistics_cells (
            t, resultset_point (r, (int)p, metric),
            known < 0 ? 3 : column_at ((size_t)known).digits);
        textable_text (t, resultset_point_state (r, (int)p));
    }
    return t;
}
