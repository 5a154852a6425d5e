/* SPDX-License-Identifier: MIT
 *
 * compare.c - two values of an axis, groups of axes -> tables
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/util/optparse.h"
#include "sweep/compare.h"
#include "sweep/plan.h"

enum { DIGITS = 6 };

/* -- words ------------------------------------------------------------- */

static int
axis_named (const struct sweepdir *d, const char *name, struct errtext *err)
{
    const struct spec *s = d->spec;
    const char **names = arena_array (d->arena, s->axes + 1, sizeof (*names));
    const char *near;

    for (size_t i = 0; i < s->axes; i++) {
        names[i] = s->column[i];
        if (!strcmp (names[i], name))
            return (int)i;
    }
    near = nearest_word (name, names);
    errno = EINVAL;
    return errf (err, "%s: no such axis%s%s%s", name,
                 near ? ": did you mean \"" : "", near ? near : "",
                 near ? "\"?" : "");
}

static int value_named (const struct sweepdir *d,
                        int axis,
                        const char *text,
                        struct value *out,
                        struct errtext *err)
{
    for (size_t i = 0; i < d->grid->count; i++) {
        *out = d->grid->point[i].column[axis];
        if (!strcmp (value_text (d->arena, out), text))
            return 0;
    }
    errno = EINVAL;
    return errf (err, "%s: no point has %s=%s", text, d->spec->column[axis],
                 text);
}

int compare_parse (const struct sweepdir *d,
                   const char *text,
                   struct compare *out,
                   struct errtext *err)
{
    const char *equals = strchr (text, '=');
    const char *colon = equals ? strchr (equals, ':') : NULL;
    struct arena *a = d->arena;

    errno = EINVAL;
    if (!colon)
        return errf (err, "%s: AXIS=VALUE:VALUE should be here", text);
    out->axis =
        axis_named (d, arena_copy (a, text, (size_t)(equals - text)), err);
    if (out->axis < 0 ||
        value_named (d, out->axis,
                     arena_copy (a, equals + 1, (size_t)(colon - equals - 1)),
                     &out->left, err) < 0)
        return -1;
    return value_named (d, out->axis, colon + 1, &out->right, err);
}

int group_parse (const struct sweepdir *d,
                 const char *text,
                 int **axis,
                 size_t *count,
                 struct errtext *err)
{
    *axis = arena_array (d->arena, strlen (text) + 1, sizeof (**axis));
    *count = 0;
    while (*text) {
        const char *name = arena_copy (d->arena, text, strcspn (text, ","));
        int found = axis_named (d, name, err);

        if (found < 0)
            return -1;
        (*axis)[(*count)++] = found;
        text += strlen (name);
        text += *text == ',';
    }
    return 0;
}

/* -- shared ------------------------------------------------------------ */

static const struct value *
cell (const struct resultset *r, size_t point, size_t axis)
{
    return &r->sweep->grid->point[point].column[axis];
}

/* The same setting of all axes but one. */
static int same_but (const struct resultset *r, size_t x, size_t y, int but)
{
    for (size_t i = 0; i < r->sweep->spec->axes; i++)
        if ((int)i != but &&
            !value_same (r->sweep->arena, cell (r, x, i), cell (r, y, i)))
            return 0;
    return 1;
}

static void number (struct textable *t, double x)
{
    if (isfinite (x))
        textable_double (t, x, DIGITS);
    else
        textable_na (t);
}

static void
axis_column (struct textable *t, const struct resultset *r, size_t i)
{
    const struct spec *s = r->sweep->spec;

    textable_column (t, s->column[i], s->column[i], NULL,
                     cell (r, 0, i)->type != VALUE_TEXT);
}

/* -- compare ----------------------------------------------------------- */

static void compare_columns (struct textable *t,
                             const struct resultset *r,
                             const struct compare *c,
                             const char *unit)
{
    struct arena *a = r->sweep->arena;
    const char *left = value_text (a, &c->left);
    const char *right = value_text (a, &c->right);

    for (size_t i = 0; i < r->sweep->spec->axes; i++)
        if ((int)i != c->axis)
            axis_column (t, r, i);
    textable_column (t, left, left, unit, 1);
    textable_column (t, arena_format (a, "%s_half", left), "+-", unit, 1);
    textable_column (t, right, right, unit, 1);
    textable_column (t, arena_format (a, "%s_half", right), "+-", unit, 1);
    textable_column (t, "ratio", "ratio", NULL, 1);
    textable_column (t, "ratio_low", "95 %\nfrom", NULL, 1);
    textable_column (t, "ratio_high", "to", NULL, 1);
    textable_column (t, "pairs", "pairs", NULL, 1);
}

/* Logarithms of right / left, paired by repeat. */
static struct statistics
ratios (const struct resultset *r, int left, int right, int metric)
{
    struct statistics s = {.n = 0};
    double x, y;

    for (int k = 0; k < r->sweep->spec->repeats; k++)
        if (resultset_value (r, left, k, metric, &x) &&
            resultset_value (r, right, k, metric, &y) && x > 0 && y > 0)
            statistics_add (&s, log (y / x));
    statistics_end (&s);
    return s;
}

static void mean_cells (struct textable *t, struct statistics s)
{
    number (t, s.n ? s.mean : NAN);
    number (t, statistics_half (&s));
}

static void compare_row (struct textable *t,
                         const struct resultset *r,
                         const struct compare *c,
                         size_t left,
                         size_t right,
                         int metric)
{
    struct statistics s = ratios (r, (int)left, (int)right, metric);
    double half = statistics_half (&s);

    textable_row (t);
    for (size_t i = 0; i < r->sweep->spec->axes; i++)
        if ((int)i != c->axis)
            plan_cell (t, r->sweep->arena, cell (r, left, i));
    mean_cells (t, resultset_point (r, (int)left, metric));
    mean_cells (t, resultset_point (r, (int)right, metric));
    number (t, s.n ? exp (s.mean) : NAN);
    number (t, exp (s.mean - half));
    number (t, exp (s.mean + half));
    textable_uint (t, s.n);
}

struct textable *
compare_table (const struct resultset *r, const struct compare *c, int metric)
{
    struct textable *t = textable_create ();
    struct arena *a = r->sweep->arena;
    size_t points = r->sweep->grid->count;

    compare_columns (t, r, c, r->metric[metric].unit);
    for (size_t x = 0; x < points; x++) {
        if (!value_same (a, cell (r, x, (size_t)c->axis), &c->left) ||
            !resultset_has_point (r, (int)x))
            continue;
        for (size_t y = 0; y < points; y++)
            if (value_same (a, cell (r, y, (size_t)c->axis), &c->right) &&
                resultset_has_point (r, (int)y) && same_but (r, x, y, c->axis))
                compare_row (t, r, c, x, y, metric);
    }
    return t;
}

/* -- group and pivot --------------------------------------------------- */

static int same_group (
    const struct resultset *r, const int *axis, size_t axes, size_t x, size_t y)
{
    for (size_t i = 0; i < axes; i++)
        if (!value_same (r->sweep->arena, cell (r, x, (size_t)axis[i]),
                         cell (r, y, (size_t)axis[i])))
            return 0;
    return 1;
}

/* Is it the first point of its group? */
static int
leads (const struct resultset *r, const int *axis, size_t axes, size_t point)
{
    for (size_t i = 0; i < point; i++)
        if (resultset_has_point (r, (int)i) &&
            same_group (r, axis, axes, i, point))
            return 0;
    return resultset_has_point (r, (int)point);
}

/* Over all runs of the group; with `across`, also of the same value of it. */
static struct statistics group_statistics (const struct resultset *r,
                                           const int *axis,
                                           size_t axes,
                                           size_t point,
                                           const struct value *across,
                                           int metric)
{
    struct statistics s = {.n = 0};
    double x;

    for (size_t p = 0; p < r->sweep->grid->count; p++) {
        if (!same_group (r, axis, axes, point, p) ||
            (across && !value_same (r->sweep->arena, across,
                                    cell (r, p, (size_t)axis[axes]))))
            continue;
        for (int k = 0; k < r->sweep->spec->repeats; k++)
            if (resultset_value (r, (int)p, k, metric, &x))
                statistics_add (&s, x);
    }
    statistics_end (&s);
    return s;
}

struct textable *group_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric)
{
    struct textable *t = textable_create ();
    const char *unit = r->metric[metric].unit;

    for (size_t i = 0; i < axes; i++)
        axis_column (t, r, (size_t)axis[i]);
    textable_column (t, "mean", "mean", unit, 1);
    textable_column (t, "half", "+-", unit, 1);
    textable_column (t, "min", "min", unit, 1);
    textable_column (t, "max", "max", unit, 1);
    textable_column (t, "n", "n", NULL, 1);
    for (size_t p = 0; p < r->sweep->grid->count; p++) {
        struct statistics s;

        if (!leads (r, axis, axes, p))
            continue;
        s = group_statistics (r, axis, axes, p, NULL, metric);
        textable_row (t);
        for (size_t i = 0; i < axes; i++)
            plan_cell (t, r->sweep->arena, cell (r, p, (size_t)axis[i]));
        mean_cells (t, s);
        number (t, s.n ? s.min : NAN);
        number (t, s.n ? s.max : NAN);
        textable_uint (t, s.n);
    }
    return t;
}

struct textable *pivot_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric)
{
    struct textable *t = textable_create ();
    struct arena *a = r->sweep->arena;
    size_t points = r->sweep->grid->count, down = axes - 1;
    const int *last = &axis[down];

    for (size_t i = 0; i < down; i++)
        axis_column (t, r, (size_t)axis[i]);
    for (size_t p = 0; p < points; p++)
        if (leads (r, last, 1, p))
            textable_column (
                t,
                arena_format (a, "%s=%s", r->sweep->spec->column[*last],
                              value_text (a, cell (r, p, (size_t)*last))),
                value_text (a, cell (r, p, (size_t)*last)),
                r->metric[metric].unit, 1);
    for (size_t p = 0; p < points; p++) {
        if (!leads (r, axis, down, p))
            continue;
        textable_row (t);
        for (size_t i = 0; i < down; i++)
            plan_cell (t, a, cell (r, p, (size_t)axis[i]));
        for (size_t q = 0; q < points; q++) {
            struct statistics s;

            if (!leads (r, last, 1, q))
                continue;
            s = group_statistics (r, axis, down, p, cell (r, q, (size_t)*last),
                                  metric);
            number (t, s.n ? s.mean : NAN);
        }
    }
    return t;
}
