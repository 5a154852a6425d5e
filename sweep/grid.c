/* SPDX-License-Identifier: MIT
 *
 * grid.c - axes -> points: product, derived names, exclusions, identity
 *
 * In:  struct spec
 * Out: struct grid; the same bytes for the same spec on every machine
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/strmap.h"
#include "sweep/grid.h"

enum { ID_DIGITS = 8 }; /* of the digest; more when two points collide */

struct expansion {
    const struct spec *spec;
    struct grid *grid;
    struct errtext *err;
};

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

static int fail_at (const struct expansion *x,
                    const struct ynode *n,
                    const struct value *column,
                    const char *key,
                    const char *problem)
{
    errno = EINVAL;
    return ytree_errf (x->spec->tree, n, x->err, "%s: %s (at %s)", key, problem,
                       grid_point_text (x->spec, x->grid->arena, column));
}

/* -- identity ---------------------------------------------------------- */

static int by_name (const void *x, const void *y, void *names)
{
    const char *const *name = names;

    return strcmp (name[*(const int *)x], name[*(const int *)y]);
}

/* The value that the axis had before it was an axis. */
static int
is_as_before (const struct expansion *x, const struct point *p, size_t axis)
{
    const struct value *was = &x->spec->was[axis];

    return was->type != VALUE_NONE &&
           value_same (x->grid->arena, was, &p->column[axis]);
}

/* Over the axes only, sorted by name: a new value or another order of axes
 * leaves the ids of all other points alone. */
static void point_digest (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct arena *a = x->grid->arena;
    int *order = arena_array (a, s->axes, sizeof (*order));
    struct sha256 d;

    for (size_t i = 0; i < s->axes; i++)
        order[i] = (int)i;
    qsort_r (order, s->axes, sizeof (*order), by_name, (void *)s->column);
    sha256_init (&d);
    for (size_t i = 0; i < s->axes; i++) {
        const struct value *v = &p->column[order[i]];

        if (is_as_before (x, p, (size_t)order[i]))
            continue;
        sha256_text (&d, arena_format (a, "%s=%s:%s\n", s->column[order[i]],
                                       value_type_word (v->type),
                                       value_text (a, v)));
    }
    sha256_hex (&d, p->digest);
}

static int ids_of_length (const struct expansion *x, size_t digits)
{
    struct strmap *seen = strmap_create ();
    int unique = seen != NULL;

    for (size_t i = 0; unique && i < x->grid->count; i++)
        (void)strmap_intern (seen, x->grid->point[i].digest, digits, &unique);
    strmap_destroy (seen);
    return unique;
}

static int give_ids (const struct expansion *x)
{
    size_t digits = ID_DIGITS;
    struct grid *g = x->grid;

    while (digits < SHA256_HEX && !ids_of_length (x, digits))
        digits += 4;
    for (size_t i = 0; i < g->count; i++)
        g->point[i].id = arena_copy (g->arena, g->point[i].digest, digits);
    if (digits >= SHA256_HEX)
        return ytree_errf (x->spec->tree,
                           ynode_get (ytree_root (x->spec->tree), "points"),
                           x->err, "points: one is in the grid already");
    return 0;
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
            return fail_at (x, d->node, column, s->column[d->column], err.text);
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

static int condition (const struct expansion *x,
                      const struct named_expr *c,
                      const char *key,
                      const struct value *column,
                      int *truth)
{
    struct errtext err;
    struct value v;

    if (expr_eval (c->expr, column, x->grid->arena, &v, &err) < 0)
        return fail_at (x, c->node, column, key, err.text);
    if (v.type != VALUE_BOOL)
        return fail_at (x, c->node, column, key,
                        arena_format (x->grid->arena,
                                      "%s is %s: a condition is true or false",
                                      c->text, value_type_words (v.type)));
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
        if (condition (x, &x->spec->exclude[i], "exclude", column, drop) < 0)
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

        if (condition (x, c, "require", column, &holds) < 0)
            return -1;
        if (!holds)
            return fail_at (x, c->node, column, "require",
                            arena_format (a,
                                          "%s is false with %s: exclude "
                                          "the point or change its values",
                                          c->text, values_used (x, c, column)));
    }
    return 0;
}

static const char *sanitised (struct arena *a, const char *text)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-";
    char *label = arena_copy (a, text, strnlen (text, LABEL_MAX));

    for (char *p = label; *p; p++)
        if (!strchr (good, *p) || (p == label && (*p == '.' || *p == '-')))
            *p = '_';
    return *label ? label : "_";
}

static const char *usual_label (const struct expansion *x,
                                const struct point *p)
{
    struct arena *a = x->grid->arena;
    const char *text = "";

    for (size_t i = 0; i < x->spec->axes; i++)
        if (!is_as_before (x, p, i))
            text = arena_format (
                a, "%s%s%s%s", text, *text ? "-" : "",
                p->column[i].type == VALUE_TEXT ? "" : x->spec->column[i],
                value_text (a, &p->column[i]));
    return text;
}

static int give_label (const struct expansion *x, struct point *p)
{
    struct arena *a = x->grid->arena;
    struct errtext err;
    struct value v;

    if (!x->spec->label) {
        p->label = sanitised (a, usual_label (x, p));
        return 0;
    }
    if (template_eval (x->spec->label, p->column, a, &v, &err) < 0)
        return fail_at (x, x->spec->label_node, p->column, "label", err.text);
    p->label = sanitised (a, value_text (a, &v));
    return 0;
}

static int evaluate (const struct expansion *x,
                     const struct named_template *t,
                     const struct point *p,
                     const char *key,
                     struct value *v)
{
    struct arena *a = x->grid->arena;
    struct errtext err;

    if (template_eval (t->template, p->column, a, v, &err) < 0)
        return fail_at (x, t->node, p->column,
                        arena_format (a, "%s: %s", key, t->name), err.text);
    if (v->type == VALUE_LIST)
        return fail_at (x, t->node, p->column,
                        arena_format (a, "%s: %s", key, t->name),
                        "a list is no text");
    return 0;
}

/* null: unset; true and false: 1 and 0 */
static int give_env (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct arena *a = x->grid->arena;
    struct value v;

    p->env = arena_array (a, s->envs ? s->envs : 1, sizeof (*p->env));
    for (size_t i = 0; i < s->envs; i++) {
        if (evaluate (x, &s->env[i], p, "env", &v) < 0)
            return -1;
        p->env[i].name = s->env[i].name;
        if (v.type == VALUE_BOOL)
            p->env[i].text = v.integer ? "1" : "0";
        else if (v.type != VALUE_NULL)
            p->env[i].text = value_text (a, &v);
    }
    return 0;
}

/* null and false: absent; true: bare */
static int give_options (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct arena *a = x->grid->arena;
    struct value v;

    p->option = arena_array (a, s->slurms ? s->slurms : 1, sizeof (*p->option));
    for (size_t i = 0; i < s->slurms; i++) {
        struct name_text *o = &p->option[p->options];

        if (evaluate (x, &s->slurm[i], p, "slurm", &v) < 0)
            return -1;
        if (v.type == VALUE_NULL || (v.type == VALUE_BOOL && !v.integer))
            continue;
        o->name = s->slurm[i].name;
        o->text = v.type == VALUE_BOOL ? NULL : value_text (a, &v);
        p->options++;
    }
    return 0;
}

static int give_data (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct value v;

    p->data = arena_array (x->grid->arena, s->datas + 1, sizeof (*p->data));
    for (size_t i = 0; i < s->datas; i++) {
        if (evaluate (x, &s->data[i], p, "data", &v) < 0)
            return -1;
        p->data[i] = value_text (x->grid->arena, &v);
    }
    return 0;
}

static int give_twin (const struct expansion *x, struct point *p)
{
    const struct control *c = &x->spec->control;

    p->twin = c->wanted;
    if (!c->wheres)
        return 0;
    return condition (x, c->where, "control", p->column, &p->twin);
}

/* -- all points -------------------------------------------------------- */

static int
point_add (const struct expansion *x, struct value *column, int exclusions)
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
    point_digest (x, p);
    if (give_label (x, p) < 0 || give_env (x, p) < 0 ||
        give_options (x, p) < 0 || give_data (x, p) < 0 || give_twin (x, p) < 0)
        return -1;
    g->count++;
    return 0;
}

static void apply (struct value *column, const struct setting_list *l)
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
            apply (column, &axis->companion[at]);
            column[i] = axis->value[at];
        }
        if (point_add (x, column, 1) < 0)
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

        apply (column, &s->extra[n].set);
        for (size_t i = 0; i < s->axes; i++)
            for (size_t j = 0; j < s->axis[i].count; j++)
                if (value_same (x->grid->arena, &column[i],
                                &s->axis[i].value[j]))
                    apply (column, &s->axis[i].companion[j]);
        apply (column, &s->extra[n].set);
        if (point_add (x, column, 0) < 0)
            return -1;
    }
    return 0;
}

static int labels_are_unique (const struct expansion *x)
{
    struct grid *g = x->grid;
    struct strmap *seen = strmap_create ();
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < g->count; i++) {
        struct point *p = &g->point[i], *first;
        int isnew = 1;
        int64_t n = strmap_intern (seen, p->label, strlen (p->label), &isnew);

        if (n >= 0 && isnew) {
            strmap_set (seen, (size_t)n, p);
        } else if (n >= 0) {
            const struct ynode *at = x->spec->label_node;
            first = strmap_value (seen, (size_t)n);
            rc = fail_at (
                x, at ? at : x->spec->axis[0].node, p->column, "label",
                arena_format (
                    g->arena,
                    "\"%s\" is also the label of %s: put more axes "
                    "into it",
                    p->label,
                    grid_point_text (x->spec, g->arena, first->column)));
        }
    }
    strmap_destroy (seen);
    return rc;
}

static void give_groups (const struct expansion *x)
{
    struct grid *g = x->grid;
    struct strmap *seen = strmap_create ();

    for (size_t i = 0; i < g->count; i++) {
        const char *key = "";
        struct point *p = &g->point[i];

        for (size_t o = 0; o < p->options; o++)
            key = arena_format (g->arena, "%s--%s%s%s\n", key,
                                p->option[o].name, p->option[o].text ? "=" : "",
                                p->option[o].text ? p->option[o].text : "");
        p->group = (int)strmap_intern (seen, key, strlen (key), NULL);
    }
    g->groups = (int)strmap_count (seen);
    strmap_destroy (seen);
}

static int expand (const struct expansion *x)
{
    if (add_product (x) < 0 || add_extras (x) < 0 || give_ids (x) < 0 ||
        labels_are_unique (x) < 0)
        return -1;
    if (!x->grid->count)
        return ytree_errf (x->spec->tree, x->spec->axis[0].node, x->err,
                           "axes: no point is left: every one is excluded");
    give_groups (x);
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
    if (expand (&x) < 0) {
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
