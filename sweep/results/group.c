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
static int group_digits_of (const struct balanced *s, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        if (s[i].n)
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
    const struct balanced *s = cells_balanced (r, &c, axis, axes, metric);
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
        group_number (t, s[k].mean, digits);
        group_number (t, s[k].half, digits);
        group_number (t, s[k].n ? s[k].min : NAN, digits);
        group_number (t, s[k].n ? s[k].max : NAN, digits);
        textable_uint (t, s[k].n);
    }
    return t;
}

/* The cell of each row and column; -1 none. */
static int *group_matrix (const struct resultset *r,
                          const struct cells *all,
                          const struct cells *down,
                          const struct cells *across)
{
    size_t n = down->count * across->count;
    int *cell_at = arena_array (r->sweep->arena, n + 1, sizeof (*cell_at));

    for (size_t i = 0; i < n; i++)
        cell_at[i] = -1;
    for (size_t p = 0; p < r->sweep->grid->count; p++)
        if (all->of[p] >= 0)
            cell_at[(size_t)down->of[p] * across->count +
                    (size_t)across->of[p]] = all->of[p];
    return cell_at;
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
    struct cells all = cells_make (r, axis, axes);
    const int *at = group_matrix (r, &all, &down, &across);
    const struct balanced *s = cells_balanced (r, &all, axis, axes, metric);
    int digits = group_digits_of (s, all.count);

    for (size_t i = 0; i + 1 < axes; i++)
        group_axis_column (t, r, axis[i]);
    for (size_t k = 0; k < across.count; k++) {
        const char *value = value_text (a, cell (r, across.first[k], last));

        textable_column (
            t, arena_format (a, "%s=%s", r->sweep->spec->column[last], value),
            value, r->metric[metric].unit, 1);
        textable_column (
            t, arena_format (a, "%s=%s_n", r->sweep->spec->column[last], value),
            "n", NULL, 1);
    }
    for (size_t i = 0; i < down.count; i++) {
        textable_row (t);
        for (size_t k = 0; k + 1 < axes; k++)
            plan_cell (t, a, cell (r, down.first[i], axis[k]));
        for (size_t k = 0; k < across.count; k++) {
            int one = at[i * across.count + k];

            group_number (t, one >= 0 ? s[one].mean : NAN, digits);
            textable_uint (t, one >= 0 ? s[one].n : 0);
        }
    }
    return t;
}
