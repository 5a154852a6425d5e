/* SPDX-License-Identifier: MIT
 *
 * grid.c - axes -> points: product, derived names, exclusions
 *
 * In:  struct spec
 * Out: struct grid; the same bytes for the same spec on every machine
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/grid_work.h"

const char *grid_point_text (const struct spec *s,
                             struct arena *a,
                             const struct value *column)
{
    const char *text = "";

    for (size_t i = 0; i < s->axes; i++)
        text = arena_format (a, "%s%s%s=%s", text, i ? " " : "", s->column[i],
                             value_text (a, &column[i]));
    return text;
}

int grid_fail_at (const struct expansion *x,
                  const struct ynode *n,
                  const struct value *column,
                  const char *key,
                  const char *problem)
{
    errno = EINVAL;
    return ytree_errf (x->spec->tree, n, x->err, "%s: %s (at %s)", key, problem,
                       grid_point_text (x->spec, x->grid->arena, column));
}

/* -- one point --------------------------------------------------------- */

static int derive (const struct expansion *x, struct value *column)
{
    const struct spec *s = x->spec;
    struct errtext err;

    for (size_t i = 0; i < s->derives; i++) {
        const struct named_expr *d = &s->derive[i];

        if (expr_eval (d->expr, column, x->grid->arena, &column[d->column],
                       &err) < 0)
            return grid_fail_at (x, d->node, column, s->column[d->column],
                                 err.text);
    }
    return 0;
}

/* The values of what a condition looks at, for its message. */
static const char *values_used (const struct expansion *x,
                                const struct named_expr *c,
                                const struct value *column)
{
    struct arena *a = x->grid->arena;
    const char *text = "";

    for (size_t i = 0; i < x->spec->columns; i++)
        if (expr_uses (c->expr, (int)i))
            text =
                arena_format (a, "%s%s%s=%s", text, *text ? " " : "",
                              x->spec->column[i], value_show (a, &column[i]));
    return text;
}

int grid_condition (const struct expansion *x,
                    const struct named_expr *c,
                    const char *key,
                    const struct value *column,
                    int *truth)
{
    struct errtext err;
    struct value v;

    if (expr_eval (c->expr, column, x->grid->arena, &v, &err) < 0)
        return grid_fail_at (x, c->node, column, key, err.text);
    if (v.type != VALUE_BOOL)
        return grid_fail_at (
            x, c->node, column, key,
            arena_format (x->grid->arena,
                          "%s is %s: a condition is true or false", c->text,
                          value_type_words (v.type)));
    *truth = (int)v.integer;
    return 0;
}

static int excluded (const struct expansion *x,
                     const struct value *column,
                     int early,
                     int *drop)
{
    *drop = 0;
    for (size_t i = 0; !*drop && i < x->spec->excludes; i++) {
        if (x->spec->exclude[i].early != early)
            continue;
        if (grid_condition (x, &x->spec->exclude[i], "exclude", column, drop) <
            0)
            return -1;
        x->grid->dropped[i] += (size_t)*drop;
        x->grid->excluded += (size_t)*drop;
    }
    return 0;
}

static int required (const struct expansion *x, const struct value *column)
{
    struct arena *a = x->grid->arena;
    int holds;

    for (size_t i = 0; i < x->spec->requires; i++) {
        const struct named_expr *c = &x->spec->require[i];

        if (grid_condition (x, c, "require", column, &holds) < 0)
            return -1;
        if (!holds)
            return grid_fail_at (x, c->node, column, "require",
                                 arena_format (a,
                                               "%s is false with %s: exclude "
                                               "the point or change its values",
                                               c->text,
                                               values_used (x, c, column)));
    }
    return 0;
}

static int grid_give_control (const struct expansion *x, struct point *p)
{
    const struct control *c = &x->spec->control;

    p->control = c->wanted;
    if (!c->wheres)
        return 0;
    return grid_condition (x, c->where, "control", p->column, &p->control);
}

/* -- all points -------------------------------------------------------- */

static int point_add (const struct expansion *x,
                      struct value *column,
                      int exclusions,
                      size_t place)
{
    struct grid *g = x->grid;
    struct point *p;
    int drop = 0;

    if (exclusions && excluded (x, column, 1, &drop) < 0)
        return -1;
    if (drop)
        return 0;
    if (derive (x, column) < 0 ||
        (exclusions && excluded (x, column, 0, &drop) < 0))
        return -1;
    if (drop)
        return 0;
    if (required (x, column) < 0)
        return -1;
    g->point = arena_grow (g->arena, g->point, g->count, sizeof (*p));
    p = &g->point[g->count];
    memset (p, 0, sizeof (*p));
    p->column = column;
    grid_point_digest (x, p);
    if (grid_give_label (x, p) < 0 || grid_give_env (x, p) < 0 ||
        grid_give_options (x, p) < 0 || grid_give_data (x, p) < 0 ||
        grid_give_trace (x, p) < 0 || grid_give_control (x, p) < 0 ||
        grid_give_limits (x, p) < 0 || grid_give_task_id (x, p, place) < 0)
        return -1;
    g->count++;
    return 0;
}

static void grid_apply (struct value *column, const struct setting_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        column[l->column[i]] = l->value[i];
}

static struct value *columns_start (const struct expansion *x)
{
    struct value *column =
        arena_array (x->grid->arena, x->spec->columns, sizeof (*column));

    memcpy (column, x->spec->constant, x->spec->columns * sizeof (*column));
    return column;
}

static int add_product (const struct expansion *x)
{
    const struct spec *s = x->spec;

    x->grid->product = 1;
    for (size_t i = 0; i < s->axes; i++)
        if (__builtin_mul_overflow (x->grid->product, s->axis[i].count,
                                    &x->grid->product) ||
            x->grid->product > SPEC_POINTS_MAX)
            return ytree_errf (s->tree, s->axis[i].node, x->err,
                               "axes: more than %d points", SPEC_POINTS_MAX);
    for (size_t n = 0; n < x->grid->product; n++) {
        struct value *column = columns_start (x);
        size_t rest = n;

        for (size_t i = s->axes; i-- > 0;) {
            const struct axis *axis = &s->axis[i];
            size_t at = rest % axis->count;

            rest /= axis->count;
            grid_apply (column, &axis->companion[at]);
            column[i] = axis->value[at];
        }
        if (point_add (x, column, 1, n) < 0)
            return -1;
    }
    return 0;
}

/* An extra point has the companions of the axis values it names. */
static int add_extras (const struct expansion *x)
{
    const struct spec *s = x->spec;

    for (size_t n = 0; n < s->extras; n++) {
        struct value *column = columns_start (x);

        grid_apply (column, &s->extra[n].set);
        for (size_t i = 0; i < s->axes; i++)
            for (size_t j = 0; j < s->axis[i].count; j++)
                if (value_same (x->grid->arena, &column[i],
                                &s->axis[i].value[j]))
                    grid_apply (column, &s->axis[i].companion[j]);
        grid_apply (column, &s->extra[n].set);
        if (point_add (x, column, 0, 0) < 0)
            return -1;
    }
    return 0;
}

static int grid_own_expand (const struct expansion *x)
{
    if (add_product (x) < 0 || add_extras (x) < 0 || grid_give_ids (x) < 0 ||
        grid_labels_are_unique (x) < 0)
        return -1;
    if (!x->grid->count)
        return ytree_errf (x->spec->tree, x->spec->axis[0].node, x->err,
                           "axes: no point is left: every one is excluded");
    grid_give_groups (x);
    return 0;
}

struct grid *grid_expand (const struct spec *s, struct errtext *err)
{
    struct expansion x = {.spec = s, .err = err};

    x.grid = calloc (1, sizeof (*x.grid));
    if (!x.grid) {
        (void)errf (err, "memory: not enough");
        return NULL;
    }
    x.grid->arena = arena_create ();
    x.grid->dropped =
        arena_array (x.grid->arena, s->excludes + 1, sizeof (*x.grid->dropped));
    if (grid_own_expand (&x) < 0) {
        grid_destroy (x.grid);
        errno = EINVAL;
        return NULL;
    }
    return x.grid;
}

void grid_destroy (struct grid *g)
{
    int saved_errno = errno;

    if (!g)
        return;
    arena_destroy (g->arena);
    free (g);
    errno = saved_errno;
}
