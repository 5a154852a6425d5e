/* SPDX-License-Identifier: MIT
 *
 * compare.c - two values of an axis -> ratios and differences, paired by repeat
 */
#include "config.h"

#include "lib/util/optparse.h"
#include "sweep/plan/plan.h"
#include "sweep/results/restable.h"
#include "sweep/results/compare.h"

/* After the point, in text; programs get all of them. */
enum { DIGITS_RATIO = 3, DIGITS_SHARE = 1, DIGITS = 6 };

size_t baseline_compares (const struct resultset *r,
                          const struct compare *base,
                          struct compare **out)
{
    struct cells c = cells_make (r, &base->axis, 1);
    size_t n = 0;

    *out = arena_array (c.count + 1, sizeof (**out));
    for (size_t i = 0; i < c.count; i++) {
        const struct value *v = resultset_value_of (r, c.first[i], base->axis);

        if (value_same (v, &base->left))
            continue;
        (*out)[n] = *base;
        (*out)[n++].right = *v;
    }
    return n;
}

/* -- numbers ----------------------------------------------------------- */

/* In each repeat where both are done: the logarithm of the ratio, and the
 * difference. */
static void
pair_up (const struct resultset *r, struct comparison *x, int metric)
{
    double left, right;

    for (int k = 0; k < r->sweep->spec->repeats; k++) {
        if (!resultset_value (r, x->left_point, k, metric, &left) ||
            !resultset_value (r, x->right_point, k, metric, &right))
            continue;
        statistics_add (&x->difference, right - left);
        statistics_add (&x->paired_right, right);
        if (left > 0 && right > 0)
            statistics_add (&x->ratio, log (right / left));
    }
    statistics_end (&x->difference);
    statistics_end (&x->ratio);
    statistics_end (&x->paired_right);
}

size_t compare_pairs (const struct resultset *r,
                      const struct compare *c,
                      int metric,
                      struct comparison **out)
{
    size_t axes, n = 0;
    const int *axis = cells_axes_but (r, &c->axis, 1, &axes);
    struct cells same = cells_make (r, axis, axes);
    int *right = arena_array (same.count + 1, sizeof (*right));

    *out = arena_array (same.count + 1, sizeof (**out));
    for (int p = -1; (p = resultset_next (r, p)) >= 0;)
        if (value_same (resultset_value_of (r, p, c->axis), &c->right))
            right[same.of[p]] = p + 1;
    for (int p = -1; (p = resultset_next (r, p)) >= 0;) {
        struct comparison *x = &(*out)[n];

        if (!right[same.of[p]] ||
            !value_same (resultset_value_of (r, p, c->axis), &c->left))
            continue;
        x->left_point = p;
        x->right_point = right[same.of[p]] - 1;
        x->left = resultset_point (r, x->left_point, metric);
        x->right = resultset_point (r, x->right_point, metric);
        pair_up (r, x, metric);
        n++;
    }
    return n;
}

/* -- tables ------------------------------------------------------------ */

static void
mean_cells (struct textable *t, const struct statistics *s, int digits)
{
    textable_double (t, s->n ? s->mean : NAN, digits);
    textable_double (t, statistics_half (s), digits);
}

static double identity (double x)
{
    return x;
}

/* The mean with its interval; of: what the numbers become, exp of logarithms.
 */
static void interval_cells (struct textable *t,
                            const struct statistics *s,
                            double (*of) (double),
                            int digits)
{
    double half = statistics_half (s);

    textable_double (t, s->n ? of (s->mean) : NAN, digits);
    textable_double (t, of (s->mean - half), digits);
    textable_double (t, of (s->mean + half), digits);
}

/* Digits that the largest mean deserves. */
static int compare_digits_of (const struct comparison *x, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most =
            fmax (most, fmax (fabs (x[i].left.mean), fabs (x[i].right.mean)));
    return statistics_digits (most);
}

/* The other axes, then both means. */
static void compare_columns (struct textable *t,
                             const struct resultset *r,
                             const struct compare *c,
                             const char *unit)
{
    const char *left = value_text (&c->left);
    const char *right = value_text (&c->right);
    size_t axes;
    const int *axis = cells_axes_but (r, &c->axis, 1, &axes);

    for (size_t i = 0; i < axes; i++)
        resultset_axis (t, r, axis[i]);
    textable_column (t, left, left, unit, 1);
    textable_column (t, arena_format ("%s_half", left), "+-", unit, 1);
    textable_column (t, right, right, unit, 1);
    textable_column (t, arena_format ("%s_half", right), "+-", unit, 1);
}

static void compare_cells (struct textable *t,
                           const struct resultset *r,
                           const struct compare *c,
                           const struct comparison *x,
                           int digits)
{
    size_t axes;
    const int *axis = cells_axes_but (r, &c->axis, 1, &axes);

    textable_row (t);
    for (size_t i = 0; i < axes; i++)
        plan_cell (t, resultset_value_of (r, x->left_point, axis[i]));
    mean_cells (t, &x->left, digits);
    mean_cells (t, &x->right, digits);
}

/* The cost, and how much of the right value it is. */
static void
cost_cells (struct textable *t, const struct comparison *x, int digits)
{
    interval_cells (t, &x->difference, identity, digits);
    textable_double (t,
                     x->difference.n && x->paired_right.mean != 0
                         ? x->difference.mean / x->paired_right.mean * 100
                         : NAN,
                     DIGITS_SHARE);
}

struct textable *compare_table (const struct resultset *r,
                                const struct compare *c,
                                int metric,
                                int of_cost)
{
    struct textable *t = textable_create ();
    const char *unit = r->metric[metric].unit;
    const char *what = of_cost ? "cost" : "ratio";
    struct comparison *x;
    size_t n = compare_pairs (r, c, metric, &x);

    compare_columns (t, r, c, unit);
    if (!of_cost)
        unit = NULL;
    textable_column (t, what, what, unit, 1);
    textable_column (t, arena_format ("%s_low", what), "95 %\nfrom", unit, 1);
    textable_column (t, arena_format ("%s_high", what), "to", unit, 1);
    if (of_cost)
        textable_column (t, "cost_share", "of the\nwhole", "%", 1);
    textable_columns (t, "pairs#");
    for (size_t i = 0; i < n; i++) {
        compare_cells (t, r, c, &x[i], compare_digits_of (x, n));
        if (of_cost)
            cost_cells (t, &x[i], compare_digits_of (x, n));
        else
            interval_cells (t, &x[i].ratio, exp, DIGITS_RATIO);
        textable_uint (t, of_cost ? x[i].difference.n : x[i].ratio.n);
    }
    return t;
}

size_t compare_unclear (const struct resultset *r,
                        const struct compare *c,
                        int metric,
                        int of_cost,
                        size_t *rows)
{
    struct comparison *x;
    size_t n = compare_pairs (r, c, metric, &x), unclear = 0;

    *rows = 0;
    for (size_t i = 0; i < n; i++) {
        const struct statistics *s = of_cost ? &x[i].difference : &x[i].ratio;
        double half = statistics_half (s);

        if (s->n == 0 || !isfinite (half))
            continue;
        ++*rows;
        unclear += fabs (s->mean) <= half; /* ratio: logarithms */
    }
    return unclear;
}

/* -- all of them, for programs ----------------------------------------- */

static void add_rows (struct textable *t,
                      const struct resultset *r,
                      const struct compare *c,
                      int metric)
{
    const struct spec *s = r->sweep->spec;
    struct comparison *x;
    size_t n = compare_pairs (r, c, metric, &x);

    for (size_t i = 0; i < n; i++) {
        textable_line (t, "%s %s %s %s %s", s->column[c->axis],
                       value_text (&c->left), value_text (&c->right),
                       r->metric[metric].name, r->metric[metric].unit);
        for (size_t k = 0; k < s->axes; k++) {
            if ((int)k == c->axis)
                textable_na (t);
            else
                plan_cell (t, resultset_value_of (r, x[i].left_point, (int)k));
        }
        mean_cells (t, &x[i].left, DIGITS);
        mean_cells (t, &x[i].right, DIGITS);
        interval_cells (t, &x[i].ratio, exp, DIGITS_RATIO);
        interval_cells (t, &x[i].difference, identity, DIGITS);
        textable_cells (t, "%zu %zu", x[i].difference.n, x[i].ratio.n);
    }
}

struct textable *compare_all (const struct resultset *r,
                              const struct compare *c,
                              size_t compares)
{
    struct textable *t = textable_create ();

    textable_columns (t, "axis left right metric unit");
    for (size_t i = 0; i < r->sweep->spec->axes; i++)
        resultset_axis (t, r, (int)i);
    textable_columns (t, "left_mean# left_half# right_mean# right_half# "
                         "ratio# ratio_low# ratio_high# difference# "
                         "difference_low# difference_high# pairs# "
                         "ratio_pairs#");
    for (size_t i = 0; i < compares; i++)
        for (size_t m = 0; m < r->metrics; m++)
            add_rows (t, r, &c[i], (int)m);
    return t;
}

/* Every axis with just two values. */
static size_t two_valued (const struct resultset *r, struct compare *out)
{
    size_t n = 0;

    for (size_t i = 0; i < r->sweep->spec->axes; i++) {
        int axis = (int)i;
        struct cells c = cells_make (r, &axis, 1);

        if (c.count != 2)
            continue;
        out[n].axis = axis;
        out[n].left = *resultset_value_of (r, c.first[0], axis);
        out[n++].right = *resultset_value_of (r, c.first[1], axis);
    }
    return n;
}

size_t compare_asked (const struct resultset *r, struct compare **out)
{
    const struct spec *s = r->sweep->spec;
    struct compare *more;
    size_t n = 0;

    if (!s->compares && !s->baselines) {
        *out = arena_array (s->axes + 1, sizeof (**out));
        return two_valued (r, *out);
    }
    *out = arena_array (s->compares + s->baselines * r->sweep->grid->count + 1,
                        sizeof (**out));
    for (size_t i = 0; i < s->compares; i++)
        (*out)[n++] = s->compare[i];
    for (size_t i = 0; i < s->baselines; i++) {
        size_t k = baseline_compares (r, &s->baseline[i], &more);

        memcpy (*out + n, more, k * sizeof (**out));
        n += k;
    }
    return n;
}

/* ---- "access=mmap:direct", "data=mock", "seq,gbs" -> axes, values ---- */

static int
axis_named (const struct sweepdir *d, const char *name, struct errtext *err)
{
    const struct spec *s = d->spec;
    const char **names = arena_array (s->axes + 1, sizeof (*names));
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
    for (int as_number = 0; as_number <= 1; as_number++)
        for (size_t i = 0; i < d->grid->count; i++) {
            *out = d->grid->point[i].column[axis];
            if (value_is_called (out, text, as_number))
                return 0;
        }
    errno = EINVAL;
    return errf (err, "%s: no point has %s=%s", text, d->spec->column[axis],
                 text);
}

/* "AXIS=…": the axis and the text behind it. NULL: form should be here, or
 * there is no such axis. */
static const char *axis_equals (const struct sweepdir *d,
                                const char *text,
                                const char *form,
                                int *axis,
                                struct errtext *err)
{
    const char *equals = strchr (text, '=');

    errno = EINVAL;
    if (!equals || (strchr (form, ':') && !strchr (equals, ':'))) {
        errf (err, "%s: %s should be here", text, form);
        return NULL;
    }
    *axis = axis_named (d, arena_copy (text, equals - text), err);
    return *axis < 0 ? NULL : equals + 1;
}

int compare_parse (const struct sweepdir *d,
                   const char *text,
                   struct compare *out,
                   struct errtext *err)
{
    const char *left =
        axis_equals (d, text, "AXIS=VALUE:VALUE", &out->axis, err);
    size_t n = left ? strcspn (left, ":") : 0;

    if (!left ||
        value_named (d, out->axis, arena_copy (left, n), &out->left, err) < 0)
        return -1;
    return value_named (d, out->axis, left + n + 1, &out->right, err);
}

int group_parse (const struct sweepdir *d,
                 const char *text,
                 int **axis,
                 size_t *count,
                 struct errtext *err)
{
    *axis = arena_array (strlen (text) + 1, sizeof (**axis));
    *count = 0;
    while (*text) {
        const char *name = arena_copy (text, strcspn (text, ","));
        int found = axis_named (d, name, err);

        if (found < 0)
            return -1;
        (*axis)[(*count)++] = found;
        text += strlen (name);
        text += *text == ',';
    }
    return 0;
}

int baseline_parse (const struct sweepdir *d,
                    const char *text,
                    struct compare *out,
                    struct errtext *err)
{
    const char *left = axis_equals (d, text, "AXIS=VALUE", &out->axis, err);

    return left ? value_named (d, out->axis, left, &out->left, err) : -1;
}
