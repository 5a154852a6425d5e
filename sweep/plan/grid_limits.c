/* SPDX-License-Identifier: MIT
 *
 * grid_limits.c - check: of the sweep file -> bounds of each point
 *
 * In:  expressions over the columns of a point
 * Out: numbers; an expression that is none is an error before anything runs
 */
#include "config.h"

#include <math.h>

#include "sweep/plan/grid_work.h"

static int limits_number (const struct expansion *x,
                          const struct named_expr *e,
                          const struct value *column,
                          double *out)
{
    struct errtext err;
    struct value v;

    if (!e)
        return 0;
    if (expr_eval (e->expr, column, x->grid->arena, &v, &err) < 0)
        return grid_fail_at (x, e->node, column, "check", err.text);
    if (!value_is_number (&v))
        return grid_fail_at (x, e->node, column, "check",
                             arena_format (x->grid->arena,
                                           "%s is %s: a bound is a number",
                                           e->text, value_type_words (v.type)));
    *out = value_as_double (&v);
    return 0;
}

static int limits_of (const struct expansion *x,
                      const struct check_rule *c,
                      const struct value *column,
                      struct point_limit *out)
{
    double equal = NAN;

    out->applies = 1;
    out->low = -INFINITY;
    out->high = INFINITY;
    if (c->where &&
        grid_condition (x, c->where, "check", column, &out->applies) < 0)
        return -1;
    if (!out->applies)
        return 0;
    if (limits_number (x, c->min, column, &out->low) < 0 ||
        limits_number (x, c->max, column, &out->high) < 0 ||
        limits_number (x, c->equal, column, &equal) < 0)
        return -1;
    if (c->equal) {
        out->low = fmax (out->low, equal - fabs (equal) * c->within);
        out->high = fmin (out->high, equal + fabs (equal) * c->within);
    }
    if (out->low > out->high)
        return grid_fail_at (
            x, (c->equal ? c->equal : c->min)->node, column, "check",
            arena_format (x->grid->arena,
                          "%s: no number is at least %g and at most %g",
                          c->metric, out->low, out->high));
    return 0;
}

int grid_give_limits (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;

    p->limit = arena_array (x->grid->arena, s->checks + 1, sizeof (*p->limit));
    for (size_t i = 0; i < s->checks; i++)
        if (limits_of (x, &s->check[i], p->column, &p->limit[i]) < 0)
            return -1;
    return 0;
}
