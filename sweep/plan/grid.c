/* SPDX-License-Identifier: MIT
 *
 * grid.c - axes -> points: product, exclusions, texts, digests, ids
 *
 * In:  struct spec
 * Out: struct grid; the same bytes for the same spec on every machine
 */
#include "config.h"

#include <setjmp.h>
#include <strings.h>

#include "lib/base/array.h"
#include "lib/settings/plan.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"
#include "sweep/plan/order.h"
#include "sweep/spec/sbatch.h"

struct expansion {
    const struct spec *spec;
    struct grid *grid;
    struct strmap *seen; /* NULL: none */
    struct errtext *err;
    const struct ynode *node; /* that is being evaluated */
    const struct value *column;
    const char *key;
    struct mistakes mistakes; /* in it */
    jmp_buf failed; /* where the expansion ends at the first mistake */
};

/* "seq=2048 gbs=64 access=mmap", of the axes. */
static const char *grid_point_text (const struct spec *s,
                                    const struct value *column)
{
    const char *text = "";

    for (size_t i = 0; i < s->axes; i++)
        text = arena_format ("%s%s%s=%s", text, i ? " " : "", s->column[i],
                             value_text (&column[i]));
    return text;
}

/* End the expansion with err at the node. */
static _Noreturn void
grid_fail (struct expansion *x, const struct ynode *n, const char *problem)
{
    ytree_errf (x->spec->tree, n, x->err, "%s", problem);
    longjmp (x->failed, 1);
}

/* As grid_fail, with the point's axes. */
static _Noreturn void grid_fail_at (struct expansion *x,
                                    const struct ynode *n,
                                    const struct value *column,
                                    const char *key,
                                    const char *problem)
{
    grid_fail (x, n,
               arena_format ("%s: %s (at %s)", key, problem,
                             grid_point_text (x->spec, column)));
}

static void grid_mistake (void *expansion, size_t offset, const char *problem)
{
    struct expansion *x = expansion;

    grid_fail_at (x, x->node, x->column, x->key, problem);
}

/* -- one point --------------------------------------------------------- */

/* Mistakes from now on are in this node. */
static const struct mistakes *grid_at (struct expansion *x,
                                       const struct ynode *node,
                                       const struct value *column,
                                       const char *key)
{
    x->node = node;
    x->column = column;
    x->key = key;
    return &x->mistakes;
}

static struct value grid_eval (struct expansion *x,
                               const struct named_expr *e,
                               const struct value *column,
                               const char *key)
{
    return expr_eval (e->expr, column, grid_at (x, e->node, column, key));
}

static void derive (struct expansion *x, struct value *column)
{
    const struct spec *s = x->spec;

    for (size_t i = 0; i < s->derives; i++) {
        const struct named_expr *d = &s->derive[i];

        column[d->column] = grid_eval (x, d, column, s->column[d->column]);
    }
}

/* The values of what a condition looks at, for its message. */
static const char *values_used (struct expansion *x,
                                const struct named_expr *c,
                                const struct value *column)
{
    const char *text = "";

    for (size_t i = 0; i < x->spec->columns; i++)
        if (expr_uses (c->expr, (int)i))
            text = arena_format ("%s%s%s=%s", text, *text ? " " : "",
                                 x->spec->column[i], value_show (&column[i]));
    return text;
}

/* Is a condition of the sweep file true at a point; key is for the message. */
static int grid_condition (struct expansion *x,
                           const struct named_expr *c,
                           const char *key,
                           const struct value *column)
{
    struct value v = grid_eval (x, c, column, key);

    if (v.type != VALUE_BOOL)
        mistake (&x->mistakes, 0, "%s is %s: a condition is true or false",
                 c->text, value_type_words (v.type));
    return (int)v.integer;
}

/* ---- templates at a point -> variables, options, paths, tracing ---- */

static struct value evaluate (struct expansion *x,
                              const struct named_template *t,
                              const struct point *p,
                              const char *key)
{
    const struct mistakes *m =
        grid_at (x, t->node, p->column, arena_format ("%s: %s", key, t->name));
    struct value v = template_eval (t->template, p->column, m);

    if (v.type == VALUE_LIST)
        mistake (m, 0, "a list is no text");
    return v;
}

/* null: unset; true and false: 1 and 0 */
static void grid_give_env (struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;

    p->env = arena_array (s->envs ? s->envs : 1, sizeof (*p->env));
    for (size_t i = 0; i < s->envs; i++) {
        struct value v = evaluate (x, &s->env[i], p, "env");

        p->env[i].name = s->env[i].name;
        if (v.type == VALUE_BOOL)
            p->env[i].text = v.integer ? "1" : "0";
        else if (v.type != VALUE_NULL)
            p->env[i].text = value_text (&v);
    }
}

/* -- options of sbatch ------------------------------------------------- */

static int is_count (const char *text)
{
    return *text && !text[strspn (text, "0123456789")];
}

/* "4", "2-8", "1k"; since 23.11 "1-15:4", "2,4,8" */
static int is_nodes (const char *text)
{
    return *text >= '0' && *text <= '9' &&
           !text[strspn (text, "0123456789,:-kKmM")];
}

static int is_time (const char *text)
{
    static const char *const words[] = {"UNLIMITED", "INFINITE", "-1"};

    for (size_t i = 0; i < ITEMS (words); i++)
        if (!strcasecmp (text, words[i]))
            return 1;
    return grow_seconds (text) >= 0;
}

/* "2000", "4G", "1.5T", "4GB" */
static int is_size (const char *text)
{
    size_t n = strspn (text, "0123456789.");

    if (!n || (n == 1 && *text == '.'))
        return 0;
    text += n;
    if (*text && strchr ("kKmMgGtTpP", *text))
        text++;
    return !*text || ((*text == 'b' || *text == 'B') && !text[1]);
}

static const struct {
    const char *option;
    int (*is_good) (const char *text);
    const char *as_in;
} option_shapes[] = {
    {"nodes", is_nodes, "4 or 2-8"},
    {"ntasks", is_count, "4"},
    {"ntasks-per-node", is_count, "4"},
    {"ntasks-per-core", is_count, "1"},
    {"ntasks-per-socket", is_count, "1"},
    {"ntasks-per-gpu", is_count, "1"},
    {"cpus-per-task", is_count, "4"},
    {"cpus-per-gpu", is_count, "4"},
    {"time", is_time, "30, \"01:30:00\" or 2-12"},
    {"time-min", is_time, "30, \"01:30:00\" or 2-12"},
    {"mem", is_size, "4000 or 4G"},
    {"mem-per-cpu", is_size, "4000 or 4G"},
    {"mem-per-gpu", is_size, "4000 or 4G"},
    {"tmp", is_size, "4000 or 4G"},
};

/* sbatch would refuse these when the sweep is frozen already. */
static void option_is_good (struct expansion *x,
                            const struct named_template *t,
                            const struct point *p,
                            const struct name_text *o)
{

    for (size_t i = 0; i < ITEMS (option_shapes); i++) {
        if (strcmp (o->name, option_shapes[i].option) != 0 ||
            (o->text && option_shapes[i].is_good (o->text)))
            continue;
        grid_fail_at (
            x, t->node, p->column, arena_format ("slurm: %s", o->name),
            arena_format ("\"%s\" is nothing that sbatch takes: as in %s",
                          o->text ? o->text : "true", option_shapes[i].as_in));
    }
}

/* null and false: absent; true: bare */
static void grid_give_options (struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;

    p->option = arena_array (s->slurms ? s->slurms : 1, sizeof (*p->option));
    for (size_t i = 0; i < s->slurms; i++) {
        struct name_text *o = &p->option[p->options];
        struct value v = evaluate (x, &s->slurm[i], p, "slurm");

        if (v.type == VALUE_NULL || (v.type == VALUE_BOOL && !v.integer))
            continue;
        o->name = s->slurm[i].name;
        o->text = v.type == VALUE_BOOL ? NULL : value_text (&v);
        option_is_good (x, &s->slurm[i], p, o);
        p->options++;
    }
}

/* place is that in the grid before exclusions. */
static void
grid_give_task_id (struct expansion *x, struct point *p, size_t place)
{
    const struct spec *s = x->spec;
    struct value v;

    if (s->task_id == TASK_ID_GRID)
        p->task_id = arena_format ("%zu", place);
    if (s->task_id != TASK_ID_EXPR)
        return;
    v = grid_eval (x, s->task_id_expr, p->column, "task_id");
    if (v.type != VALUE_INT || v.integer < 0)
        mistake (&x->mistakes, 0, "%s is no whole number from 0 on",
                 value_show (&v));
    p->task_id = arena_format ("%lld", (long long)v.integer);
}

static void grid_give_data (struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;

    p->data = arena_array (s->datas + 1, sizeof (*p->data));
    for (size_t i = 0; i < s->datas; i++) {
        struct value v = evaluate (x, &s->data[i], p, "data");

        p->data[i] = value_text (&v);
    }
}

/* "posix,app,max_bytes=1G", as the option of sbatch; NULL: not traced. Elements
 * of a list have a row each. */
static void grid_give_trace (struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct tracespec parsed;
    struct errtext err;

    p->trace = s->layers ? arena_text (s->layers) : NULL;
    for (size_t i = 0; p->trace && i < s->tracings; i++) {
        const struct named_template *t = &s->tracing[i];
        int more = i && t[-1].name == t->name;
        struct value v = evaluate (x, t, p, "trace");

        if (v.type != VALUE_NULL)
            p->trace = arena_format ("%s%c%s%s%s", p->trace, more ? ':' : ',',
                                     more ? "" : t->name, more ? "" : "=",
                                     value_text (&v));
    }
    if (s->tracings && p->trace &&
        tracespec_parse (&parsed, p->trace, &err) < 0)
        grid_fail_at (x, s->tracing[0].node, p->column, "trace", err.text);
}

/* ---- check: of the sweep file -> bounds of each point ---- */

static double limits_number (struct expansion *x,
                             const struct named_expr *e,
                             const struct value *column,
                             double fallback)
{
    struct value v;

    if (!e)
        return fallback;
    v = grid_eval (x, e, column, "check");
    if (!value_is_number (&v))
        mistake (&x->mistakes, 0, "%s is %s: a bound is a number", e->text,
                 value_type_words (v.type));
    return value_as_double (&v);
}

static void limits_of (struct expansion *x,
                       const struct check_rule *c,
                       const struct value *column,
                       struct point_limit *out)
{
    double equal;

    out->applies = !c->where || grid_condition (x, c->where, "check", column);
    out->low = -INFINITY;
    out->high = INFINITY;
    if (!out->applies)
        return;
    out->low = limits_number (x, c->min, column, out->low);
    out->high = limits_number (x, c->max, column, out->high);
    if (c->equal) {
        equal = limits_number (x, c->equal, column, NAN);
        out->low = fmax (out->low, equal - fabs (equal) * c->within);
        out->high = fmin (out->high, equal + fabs (equal) * c->within);
    }
    if (out->low > out->high)
        grid_fail_at (
            x, (c->equal ? c->equal : c->min)->node, column, "check",
            arena_format ("%s: no number is at least %g and at most %g",
                          c->metric, out->low, out->high));
}

static void grid_give_limits (struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;

    p->limit = arena_array (s->checks + 1, sizeof (*p->limit));
    for (size_t i = 0; i < s->checks; i++)
        limits_of (x, &s->check[i], p->column, &p->limit[i]);
}

/* ---- points -> digests, ids, labels, groups ---- */

enum { ID_DIGITS = 8 }; /* of the digest; more when two points collide */

/* -- identity ---------------------------------------------------------- */

static int grid_ids_by_name (const void *x, const void *y, void *names)
{
    const char *const *name = names;

    return strcmp (name[*(const int *)x], name[*(const int *)y]);
}

/* The value that the axis had before it was an axis. */
static int
is_as_before (struct expansion *x, const struct point *p, size_t axis)
{
    const struct value *was = &x->spec->was[axis];

    return was->type != VALUE_NONE && value_same (was, &p->column[axis]);
}

/* Over the axes only, sorted by name: a new value or another order of axes
 * leaves the ids of all other points alone. */
static void grid_point_digest (struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    int *order = arena_array (s->axes, sizeof (*order));
    struct sha256 d;

    for (size_t i = 0; i < s->axes; i++)
        order[i] = (int)i;
    qsort_r (order, s->axes, sizeof (*order), grid_ids_by_name,
             (void *)s->column);
    sha256_init (&d);
    for (size_t i = 0; i < s->axes; i++) {
        const struct value *v = &p->column[order[i]];

        if (is_as_before (x, p, order[i]))
            continue;
        sha256_text (&d,
                     arena_format ("%s=%s:%s\n", s->column[order[i]],
                                   value_type_word (v->type), value_text (v)));
    }
    sha256_hex (&d, p->digest);
}

static int ids_of_length (struct expansion *x, size_t digits)
{
    struct strmap *seen = strmap_create ();
    int unique = 1;

    for (size_t i = 0; unique && i < x->grid->count; i++)
        strmap_intern (seen, x->grid->point[i].digest, digits, &unique);
    strmap_destroy (seen);
    return unique;
}

/* Give every point an id: the shortest prefix of its digest that is unique. */
static void grid_give_ids (struct expansion *x)
{
    size_t digits = ID_DIGITS;
    struct grid *g = x->grid;

    while (digits < SHA256_HEX && !ids_of_length (x, digits))
        digits += 4;
    for (size_t i = 0; i < g->count; i++)
        g->point[i].id = arena_copy (g->point[i].digest, digits);
    if (digits >= SHA256_HEX)
        grid_fail (x, ynode_get (ytree_root (x->spec->tree), "points"),
                   "points: one is in the grid already");
}

/* -- labels and groups ------------------------------------------------- */

static const char *sanitised (const char *text)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-";
    char *label = arena_copy (text, strnlen (text, LABEL_MAX));

    for (char *p = label; *p; p++)
        if (!strchr (good, *p) || (p == label && (*p == '.' || *p == '-')))
            *p = '_';
    return *label ? label : "_";
}

static const char *usual_label (struct expansion *x, const struct point *p)
{
    const char *text = "";

    for (size_t i = 0; i < x->spec->axes; i++)
        if (!is_as_before (x, p, i))
            text = arena_format (
                "%s%s%s%s", text, *text ? "-" : "",
                p->column[i].type == VALUE_TEXT ? "" : x->spec->column[i],
                value_text (&p->column[i]));
    return text;
}

/* The label as the user means it. */
static const char *label_meant (struct expansion *x, const struct point *p)
{
    struct value v;

    if (!x->spec->label)
        return usual_label (x, p);
    v = template_eval (x->spec->label, p->column,
                       grid_at (x, x->spec->label_node, p->column, "label"));
    return value_text (&v);
}

/* Labels that differ only in what a file's name cannot have ("a b" and "a/b"):
 * the later one gets the first digits of its digest. */
static int
label_made_apart (struct expansion *x, struct point *p, struct point *as)
{
    enum { DIGITS = 6 };

    if (!strcmp (label_meant (x, p), label_meant (x, as)))
        return 0;
    p->label = arena_format ("%.*s.%.*s", LABEL_MAX - DIGITS - 1, p->label,
                             DIGITS, p->digest);
    return 1;
}

static void grid_labels_are_unique (struct expansion *x)
{
    struct grid *g = x->grid;
    struct strmap *seen = x->seen = strmap_create ();

    for (size_t i = 0; i < g->count; i++) {
        struct point *p = &g->point[i], *first;
        int isnew;
        size_t n = strmap_intern (seen, p->label, strlen (p->label), &isnew);

        if (!isnew && label_made_apart (x, p, strmap_value (seen, n)))
            n = strmap_intern (seen, p->label, strlen (p->label), &isnew);
        first = strmap_value (seen, n);
        if (!isnew)
            grid_fail_at (
                x, x->spec->label_node ?: x->spec->axis[0].node, p->column,
                "label",
                arena_format ("\"%s\" is also the label of %s: put more axes "
                              "into it",
                              p->label,
                              grid_point_text (x->spec, first->column)));
        strmap_set (seen, n, p);
    }
    strmap_destroy (seen);
    x->seen = NULL;
}

static void grid_give_groups (struct expansion *x)
{
    struct grid *g = x->grid;
    struct strmap *seen = strmap_create ();

    for (size_t i = 0; i < g->count; i++) {
        const char *key = "";
        struct point *p = &g->point[i];

        if (p->trace)
            key = arena_format ("trace %s\n", p->trace);
        for (size_t o = 0; o < p->options; o++)
            key = arena_format ("%s--%s%s%s\n", key, p->option[o].name,
                                p->option[o].text ? "=" : "",
                                p->option[o].text ? p->option[o].text : "");
        p->group = (int)strmap_intern (seen, key, strlen (key), NULL);
    }
    g->groups = (int)strmap_count (seen);
    strmap_destroy (seen);
}

/* -- all points -------------------------------------------------------- */

static int excluded (struct expansion *x, const struct value *column, int early)
{
    for (size_t i = 0; i < x->spec->excludes; i++)
        if (x->spec->exclude[i].early == early &&
            grid_condition (x, &x->spec->exclude[i], "exclude", column)) {
            x->grid->dropped[i]++;
            x->grid->excluded++;
            return 1;
        }
    return 0;
}

static void required (struct expansion *x, const struct value *column)
{
    for (size_t i = 0; i < x->spec->requires; i++) {
        const struct named_expr *c = &x->spec->require[i];

        if (!grid_condition (x, c, "require", column))
            grid_fail_at (x, c->node, column, "require",
                          arena_format ("%s is false with %s: exclude "
                                        "the point or change its values",
                                        c->text, values_used (x, c, column)));
    }
}

/* -- all points -------------------------------------------------------- */

static void point_add (struct expansion *x,
                       struct value *column,
                       int exclusions,
                       size_t place)
{
    struct grid *g = x->grid;
    const struct control *c = &x->spec->control;
    struct point *p;

    if (exclusions && excluded (x, column, 1))
        return;
    derive (x, column);
    if (exclusions && excluded (x, column, 0))
        return;
    required (x, column);
    g->point = arena_grow (g->point, g->count, sizeof (*p));
    p = &g->point[g->count];
    ZERO (p);
    p->column = column;
    grid_point_digest (x, p);
    p->label = sanitised (label_meant (x, p));
    grid_give_env (x, p);
    grid_give_options (x, p);
    grid_give_data (x, p);
    grid_give_trace (x, p);
    p->control = c->wheres ? grid_condition (x, c->where, "control", p->column)
                           : c->wanted;
    grid_give_limits (x, p);
    grid_give_task_id (x, p, place);
    g->count++;
}

static void grid_apply (struct value *column, const struct setting_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        column[l->column[i]] = l->value[i];
}

static struct value *columns_start (struct expansion *x)
{
    struct value *column = arena_array (x->spec->columns, sizeof (*column));

    memcpy (column, x->spec->constant, x->spec->columns * sizeof (*column));
    return column;
}

static void add_product (struct expansion *x)
{
    const struct spec *s = x->spec;

    x->grid->product = 1;
    for (size_t i = 0; i < s->axes; i++)
        if (__builtin_mul_overflow (x->grid->product, s->axis[i].count,
                                    &x->grid->product) ||
            x->grid->product > SPEC_POINTS_MAX)
            grid_fail (
                x, s->axis[i].node,
                arena_format ("axes: more than %d points", SPEC_POINTS_MAX));
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
        point_add (x, column, 1, n);
    }
}

/* An extra point has the companions of the axis values it names. */
static void add_extras (struct expansion *x)
{
    const struct spec *s = x->spec;

    for (size_t n = 0; n < s->extras; n++) {
        struct value *column = columns_start (x);

        grid_apply (column, &s->extra[n].set);
        for (size_t i = 0; i < s->axes; i++)
            for (size_t j = 0; j < s->axis[i].count; j++)
                if (value_same (&column[i], &s->axis[i].value[j]))
                    grid_apply (column, &s->axis[i].companion[j]);
        grid_apply (column, &s->extra[n].set);
        point_add (x, column, 0, 0);
    }
}

static void grid_own_expand (struct expansion *x)
{
    add_product (x);
    add_extras (x);
    grid_give_ids (x);
    grid_labels_are_unique (x);
    if (!x->grid->count)
        grid_fail (x, x->spec->axis[0].node,
                   "axes: no point is left: every one is excluded");
    grid_give_groups (x);
}

struct grid *grid_expand (const struct spec *s, struct errtext *err)
{
    struct expansion *x = arena_alloc (sizeof (*x)); /* as longjmp () may change
                                                        what is on the stack */

    x->spec = s;
    x->err = err;
    x->mistakes = (struct mistakes){grid_mistake, x, 0};
    x->grid = arena_alloc (sizeof (*x->grid));
    x->grid->dropped =
        arena_array (s->excludes + 1, sizeof (*x->grid->dropped));
    if (setjmp (x->failed)) {
        strmap_destroy (x->seen);
        errno = EINVAL;
        return NULL;
    }
    grid_own_expand (x);
    return x->grid;
}
