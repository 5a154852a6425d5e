/* SPDX-License-Identifier: MIT
 *
 * questions.c - compare, baseline, group and effects -> tables
 */
#include "config.h"

#include "sweep/results/questions.h"

static const char *const usual[] = {"loader_time",    "read_time",
                                    "read_bandwidth", "job_time",
                                    "wall_time",      NULL};

/* What a baseline without the loader is about is time. */
static const char *const usual_cost[] = {"wall_time", "job_time", NULL};

static const char *title_of (const struct resultset *r,
                             const struct question *q)
{
    struct arena *a = r->sweep->arena;

    switch (q->kind) {
    case QUESTION_COMPARE:
        return ": means with 95 % intervals, paired ratio";
    case QUESTION_BASELINE:
        return arena_format (a, ": what %s=%s costs against %s=%s, paired",
                             r->sweep->spec->column[q->compare.axis],
                             value_text (a, &q->compare.right),
                             r->sweep->spec->column[q->compare.axis],
                             value_text (a, &q->compare.left));
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
        return compare_table (r, &q->compare, metric);
    case QUESTION_BASELINE:
        return baseline_table (r, &q->compare, metric);
    case QUESTION_EFFECTS:
        return effects_table (r, metric);
    default:
        return group_table (r, q->axis, q->axes, metric);
    }
}

/* What a reader of many intervals might miss. */
static void print_unclear (FILE *out,
                           const struct resultset *r,
                           const struct question *q,
                           int metric)
{
    int of_ratio = q->kind == QUESTION_COMPARE;
    size_t rows, n;

    if (!of_ratio && q->kind != QUESTION_BASELINE)
        return;
    n = compare_unclear (r, &q->compare, metric, of_ratio, &rows);
    if (n > 0)
        fprintf (out,
                 "\nin %zu of %zu the interval includes %s: no difference is "
                 "shown there\n",
                 n, rows, of_ratio ? "1" : "0");
}

void question_print (FILE *out,
                     const struct resultset *r,
                     const struct question *q,
                     const char *const *metrics,
                     enum table_format format)
{
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
        if (format == TABLE_TEXT)
            fprintf (out, "%s%s%s\n\n", first ? "" : "\n", *metrics,
                     title_of (r, q));
        t = questions_table_of (r, q, m);
        textable_print (t, out, format);
        textable_destroy (t);
        if (format == TABLE_TEXT)
            print_unclear (out, r, q, m);
        first = 0;
    }
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
