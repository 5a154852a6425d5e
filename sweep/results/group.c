/* SPDX-License-Identifier: MIT
 *
 * group.c - results over some axes -> rows, or rows and columns
 */
#include "config.h"

#include <math.h>

#include "sweep/results/cells.h"
#include "sweep/results/group.h"
#include "sweep/plan/plan.h"

static void group_number (struct textable *t, double x, int digits)
{
    if (isfinite (x))
        textable_double (t, x, digits);
    else
        textable_na (t);
}

/* Digits that the largest mean deserves. */
static int group_digits_of (const struct statistics *s, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax (most, fabs (s[i].mean));
    return statistics_digits (most);
}

static const struct value *cell (const struct resultset *r, int point, int axis)
{
    return &r->sweep->grid->point[point].column[axis];
}

static void
group_axis_column (struct textable *t, const struct resultset *r, int i)
{
    const struct spec *s = r->sweep->spec;

    textable_column (t, s->column[i], s->column[i], NULL,
                     cell (r, 0, i)->type != VALUE_TEXT);
}

struct textable *group_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric)
{
    struct textable *t = textable_create ();
    const char *unit = r->metric[metric].unit;
    struct cells c = cells_make (r, axis, axes);
    const struct statistics *s = cells_statistics (r, &c, metric);
    int digits = group_digits_of (s, c.count);

    for (size_t i = 0; i < axes; i++)
        group_axis_column (t, r, axis[i]);
    textable_column (t, "mean", "mean", unit, 1);
    textable_column (t, "half", "+-", unit, 1);
    textable_column (t, "min", "min", unit, 1);
    textable_column (t, "max", "max", unit, 1);
    textable_column (t, "n", "n", NULL, 1);
    for (size_t k = 0; k < c.count; k++) {
        textable_row (t);
        for (size_t i = 0; i < axes; i++)
            plan_cell (t, r->sweep->arena, cell (r, c.first[k], axis[i]));
        group_number (t, s[k].n ? s[k].mean : NAN, digits);
        group_number (t, statistics_half (&s[k]), digits);
        group_number (t, s[k].n ? s[k].min : NAN, digits);
        group_number (t, s[k].n ? s[k].max : NAN, digits);
        textable_uint (t, s[k].n);
    }
    return t;
}

/* Per row and column. */
static struct statistics *matrix (const struct resultset *r,
                                  const struct cells *down,
                                  const struct cells *across,
                                  int metric)
{
    size_t n = down->count * across->count;
    struct statistics *s = arena_array (r->sweep->arena, n + 1, sizeof (*s));
    double x;

    for (size_t p = 0; p < r->sweep->grid->count; p++)
        for (int k = 0; down->of[p] >= 0 && k < r->sweep->spec->repeats; k++)
            if (resultset_value (r, (int)p, k, metric, &x))
                statistics_add (&s[(size_t)down->of[p] * across->count +
                                   (size_t)across->of[p]],
                                x);
    for (size_t i = 0; i < n; i++)
        statistics_end (&s[i]);
    return s;
}

struct textable *pivot_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric)
{
    struct textable *t = textable_create ();
    struct arena *a = r->sweep->arena;
    int last = axis[axes - 1];
    struct cells down = cells_make (r, axis, axes - 1);
    struct cells across = cells_make (r, &last, 1);
    const struct statistics *s = matrix (r, &down, &across, metric);
    int digits = group_digits_of (s, down.count * across.count);

    for (size_t i = 0; i + 1 < axes; i++)
        group_axis_column (t, r, axis[i]);
    for (size_t k = 0; k < across.count; k++) {
        const char *value = value_text (a, cell (r, across.first[k], last));

        textable_column (
            t, arena_format (a, "%s=%s", r->sweep->spec->column[last], value),
            value, r->metric[metric].unit, 1);
    }
    for (size_t i = 0; i < down.count; i++) {
        textable_row (t);
        for (size_t k = 0; k + 1 < axes; k++)
            plan_cell (t, a, cell (r, down.first[i], axis[k]));
        for (size_t k = 0; k < across.count; k++) {
            const struct statistics *x = &s[i * across.count + k];

            group_number (t, x->n ? x->mean : NAN, digits);
        }
    }
    return t;
}
