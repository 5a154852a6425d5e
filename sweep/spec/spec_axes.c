/* SPDX-License-Identifier: MIT
 *
 * spec_axes.c - axes, points, const, range () -> columns and their values
 */
#include "config.h"

#include <ctype.h>

#include "lib/base/array.h"
#include "lib/util/optparse.h"
#include "lib/util/strmap.h"
#include "sweep/spec/expr.h"
#include "sweep/spec/spec_read.h"

static int name_is_good (const char *name)
{
    static const char *const words[] = {"and",  "or",    "not",  "in",
                                        "true", "false", "null", NULL};

    for (size_t i = 0; words[i]; i++)
        if (!strcmp (name, words[i]))
            return 0;
    if (!isalpha ((unsigned char)*name) && *name != '_')
        return 0;
    for (const char *p = name; *p; p++)
        if (!isalnum ((unsigned char)*p) && *p != '_')
            return 0;
    return expr_function (name) < 0;
}

static int axis_column (struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->columns; i++)
        if (!strcmp (r->column[i], name))
            return (int)i;
    return -1;
}

/* Column of a name, new or (when shared is allowed) known. */
static int column_of (struct reader *r, const struct ynode *key)
{
    int place = axis_column (r, key->text);

    if (place >= 0)
        return place;
    if (!name_is_good (key->text))
        reader_fail (r, key, 0,
                     "\"%s\" cannot be a name: letters, digits and _, "
                     "and no word of the expression language",
                     key->text);
    r->column = arena_grow (r->column, r->columns, sizeof (*r->column));
    r->column[r->columns] = arena_text (key->text);
    return (int)r->columns++;
}

static struct value scalar_value (struct reader *r, const struct ynode *n)
{
    if (n->type != YNODE_SCALAR)
        reader_fail (r, n, 0, "a single value should be here");
    return value_of_scalar (n->text, n->quoted);
}

static void set_column (struct reader *r,
                        struct setting_list *l,
                        const struct ynode *key,
                        const struct ynode *n)
{
    l->column = arena_grow (l->column, l->count, sizeof (*l->column));
    l->value = arena_grow (l->value, l->count, sizeof (*l->value));
    l->column[l->count] = column_of (r, key);
    l->value[l->count++] = scalar_value (r, n);
}

/* No value before has this key; -1 and err. */
static void axis_value_is_new (struct reader *r,
                               const struct axis *x,
                               const struct ynode *n,
                               const struct value *v,
                               const char *key)
{
    const char *text = value_show (v), *before;
    int fresh = 1;
    size_t place = strmap_intern (r->values, key, strlen (key), &fresh);

    if (fresh) {
        strmap_set (r->values, place, arena_text (text));
        return;
    }
    before = strmap_value (r->values, place);
    if (before && strcmp (before, text) != 0)
        reader_fail (r, n, 0,
                     "axes: %s has the value %s twice: as %s and as %s",
                     x->name, before, before, text);
    reader_fail (r, n, 0, "axes: %s has the value %s twice", x->name, text);
}

static void axis_add (struct reader *r,
                      struct axis *x,
                      const struct ynode *n,
                      struct value v)
{
    axis_value_is_new (r, x, n, &v, value_key (&v));
    /* 1.0 and "1.0": the runs could not tell them apart */
    if (value_is_number (&v))
        axis_value_is_new (r, x, n, &v,
                           arena_format ("text %s", value_text (&v)));
    if (x->count >= SPEC_VALUES_MAX)
        reader_fail (r, n, 0, "axes: %s has more than %d values", x->name,
                     SPEC_VALUES_MAX);
    x->value = arena_grow (x->value, x->count, sizeof (v));
    x->companion = arena_grow (x->companion, x->count, sizeof (*x->companion));
    memset (&x->companion[x->count], 0, sizeof (*x->companion));
    x->value[x->count++] = v;
}

static void
axis_from_list (struct reader *r, struct axis *x, const struct ynode *n)
{
    for (size_t i = 0; i < n->count; i++)
        axis_add (r, x, n->item[i], scalar_value (r, n->item[i]));
}

static void
axis_from_generator (struct reader *r, struct axis *x, const struct ynode *n);

static void
axis_companions (struct reader *r, struct axis *x, const struct ynode *n)
{
    struct setting_list *l = &x->companion[x->count - 1];

    if (n->type == YNODE_SCALAR && !n->quoted && !*n->text)
        return; /* "mmap:" alone */
    if (n->type != YNODE_MAP)
        reader_fail (r, n, 0,
                     "axes: %s: companions are a mapping, such as "
                     "{name: value}",
                     x->name);
    for (size_t i = 0; i < n->count; i++) {
        int known = axis_column (r, n->key[i]->text);

        if (known >= 0 && (size_t)known < r->spec->axes)
            reader_fail (r, n->key[i], 0,
                         "\"%s\" is an axis: a companion needs a name "
                         "of its own",
                         n->key[i]->text);
        set_column (r, l, n->key[i], n->item[i]);
    }
}

static void
axis_from_map (struct reader *r, struct axis *x, const struct ynode *n)
{
    for (size_t i = 0; i < n->count; i++) {
        axis_add (r, x, n->key[i], scalar_value (r, n->key[i]));
        axis_companions (r, x, n->item[i]);
    }
}

static void axis_read (struct reader *r, struct axis *x, const struct ynode *n)
{
    r->values = strmap_create ();
    if (n->type == YNODE_LIST)
        axis_from_list (r, x, n);
    else if (n->type == YNODE_MAP)
        axis_from_map (r, x, n);
    else
        axis_from_generator (r, x, n);
    strmap_destroy (r->values);
    r->values = NULL;
    if (!x->count)
        reader_fail (r, n, 0, "axes: %s has no values", x->name);
}

static int axis_sets (const struct axis *x, int column)
{
    for (size_t i = 0; i < x->count; i++)
        for (size_t j = 0; j < x->companion[i].count; j++)
            if (x->companion[i].column[j] == column)
                return 1;
    return 0;
}

/* Two axes that set one companion: which one would win? */
static void companions_are_apart (struct reader *r)
{
    const struct spec *s = r->spec;

    for (size_t c = s->axes; c < r->columns; c++) {
        const struct axis *first = NULL;

        for (size_t i = 0; i < s->axes; i++) {
            if (!axis_sets (&s->axis[i], (int)c))
                continue;
            if (first)
                reader_fail (r, s->axis[i].node, 0,
                             "axes: both %s and %s have the companion "
                             "\"%s\": only one axis may",
                             first->name, s->axis[i].name, r->column[c]);
            first = &s->axis[i];
        }
    }
}

/* An axis that was added later: the points with this value keep their ids. */
static void read_was (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "was");
    struct spec *s = r->spec;

    s->was = arena_array (s->axes, sizeof (*s->was));
    for (size_t i = 0; n && i < n->count; i++) {
        const struct ynode *v = n->item[i];
        size_t axis = 0, k;

        while (axis < s->axes && strcmp (s->axis[axis].name, n->key[i]->text))
            axis++;
        if (axis == s->axes)
            reader_fail (r, n->key[i], 0, "was: \"%s\" is no axis",
                         n->key[i]->text);
        k = v->type == YNODE_SCALAR ? axis_find (&s->axis[axis], v->text)
                                    : s->axis[axis].count;
        if (k == s->axis[axis].count)
            reader_fail (r, v, 0, "was: %s: a value of the axis should be here",
                         n->key[i]->text);
        s->was[axis] = s->axis[axis].value[k];
    }
}

void reader_axes (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "axes");
    struct spec *s = r->spec;

    s->axis = arena_array (n->count ? n->count : 1, sizeof (*s->axis));
    for (size_t i = 0; i < n->count; i++)
        column_of (r, n->key[i]);
    s->axes = n->count;
    if (!n->count)
        reader_fail (r, n, 0, "axes: there is none");
    for (size_t i = 0; i < n->count; i++) {
        struct axis *x = &s->axis[i];

        x->name = r->column[i];
        x->node = n->key[i];
        axis_read (r, x, n->item[i]);
    }
    read_was (r);
    companions_are_apart (r);
}

/* A number that an axis has, too, is written as it is there. */
static void point_as_in_axes (struct reader *r, struct extra_point *p)
{

    for (size_t i = 0; i < p->set.count; i++) {
        struct value *v = &p->set.value[i];
        const struct axis *x;
        size_t k;

        if (p->set.column[i] >= (int)r->spec->axes || !value_is_number (v))
            continue;
        x = &r->spec->axis[p->set.column[i]];
        k = axis_find (x, value_text (v));
        if (k < x->count && value_is_number (&x->value[k]))
            *v = x->value[k];
    }
}

static void point_read (struct reader *r, struct extra_point *p)
{
    const struct ynode *n = p->node;

    if (n->type != YNODE_MAP)
        reader_fail (r, n, 0,
                     "points: each is a mapping that names "
                     "all axes");
    for (size_t i = 0; i < n->count; i++)
        set_column (r, &p->set, n->key[i], n->item[i]);
    for (size_t i = 0; i < r->spec->axes; i++)
        if (!ynode_get (n, r->column[i]))
            reader_fail (r, n, 0, "points: the axis %s is missing",
                         r->column[i]);
    point_as_in_axes (r, p);
}

void reader_points (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "points");
    struct spec *s = r->spec;

    if (!n)
        return;
    s->extra = arena_array (n->count ? n->count : 1, sizeof (*s->extra));
    s->extras = n->count;
    for (size_t i = 0; i < n->count; i++) {
        s->extra[i].node = n->item[i];
        point_read (r, &s->extra[i]);
    }
}

void reader_const (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "const");
    struct spec *s = r->spec;
    struct setting_list l = {.count = 0};

    for (size_t i = 0; n && i < n->count; i++) {
        int known = axis_column (r, n->key[i]->text);

        if (known >= 0 && (size_t)known < s->axes)
            reader_fail (r, n->key[i], 0,
                         "\"%s\" is an axis and cannot be const",
                         n->key[i]->text);
        set_column (r, &l, n->key[i], n->item[i]);
    }
    n = ynode_get (r->root, "derive");
    s->first_derived = r->columns;
    for (size_t i = 0; n && i < n->count; i++) {
        if (axis_column (r, n->key[i]->text) >= 0)
            reader_fail (r, n->key[i], 0,
                         "\"%s\" is there already: a derived name is "
                         "a new one",
                         n->key[i]->text);
        column_of (r, n->key[i]);
    }
    s->constant = arena_array (r->columns, sizeof (*s->constant));
    for (size_t i = 0; i < l.count; i++)
        s->constant[l.column[i]] = l.value[i];
}

/* ---- range() lin() log() log2() log10() -> values of an axis ---- */

struct output {
    struct value *value;
    size_t count;
    struct reader *reader;
    const struct axis *axis;
    const struct ynode *node;
    size_t fault;        /* the place in the text of the node */
    const char *instead; /* of the problem of an argument, or NULL */
};

static _Noreturn void generator_fail (struct output *o, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

static void generator_fail (struct output *o, const char *fmt, ...)
{
    char text[sizeof (o->reader->err->text)];
    va_list ap;

    va_start (ap, fmt);
    vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    reader_fail (o->reader, o->node, o->fault, "axes: %s: %s", o->axis->name,
                 text);
}

static void generator_emit (struct output *o, struct value v)
{
    if (o->count >= SPEC_VALUES_MAX)
        generator_fail (o, "more than %d values", SPEC_VALUES_MAX);
    o->value = arena_grow (o->value, o->count, sizeof (v));
    o->value[o->count++] = v;
}

static int all_integers (const struct value *arg, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (arg[i].type != VALUE_INT)
            return 0;
    return 1;
}

/* 0.1 + 0.2 should read 0.3: what differs only in the last bits is cut. */
static double generator_tidy (double d)
{
    char text[40];
    double shorter;

    FORMAT (text, "%.12g", d);
    sscanf (text, "%lf", &shorter);
    return shorter;
}

static void gen_range (struct output *o, const struct value *arg, size_t count)
{
    double from = value_as_double (&arg[0]), to = value_as_double (&arg[1]);
    double step = count == 3 ? value_as_double (&arg[2]) : 1;

    if (step == 0 || (to - from) / step < 0)
        generator_fail (o, "range: the step does not lead from %g to %g", from,
                        to);
    if ((to - from) / step >= SPEC_VALUES_MAX)
        generator_fail (o, "range: more than %d values", SPEC_VALUES_MAX);
    if (!all_integers (arg, count)) {
        int64_t n = floor ((to - from) / step + 1e-9);
        for (int64_t i = 0; i <= n; i++)
            generator_emit (
                o, value_decimal (generator_tidy (from + (double)i * step)));
        return;
    }
    for (int64_t n = 0, s = count == 3 ? arg[2].integer : 1;
         n <= (int64_t)((to - from) / step); n++) {
        int64_t v = arg[0].integer + n * s;
        if (s > 0 ? v > arg[1].integer : v < arg[1].integer)
            break;
        generator_emit (o, value_int (v));
    }
}

static int64_t
count_argument (struct output *o, const char *name, const struct value *arg)
{
    if (arg[2].type != VALUE_INT || arg[2].integer < 2 ||
        arg[2].integer > SPEC_VALUES_MAX)
        generator_fail (o, "%s: the number of values is from 2 to %d", name,
                        SPEC_VALUES_MAX);
    return arg[2].integer;
}

static void gen_lin (struct output *o, const struct value *arg, size_t count)
{
    int64_t n = count_argument (o, "lin", arg), width;
    double from = value_as_double (&arg[0]), to = value_as_double (&arg[1]);

    if (all_integers (arg, 2) &&
        !__builtin_sub_overflow (arg[1].integer, arg[0].integer, &width) &&
        width % (n - 1) == 0) {
        for (int64_t i = 0; i < n; i++)
            generator_emit (o,
                            value_int (arg[0].integer + width / (n - 1) * i));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double v = from + (to - from) * ((double)i / (double)(n - 1));
        generator_emit (o, value_decimal (generator_tidy (v)));
    }
}

/* Whole ends give whole values (rounded): batch sizes and lengths are. */
static void gen_log (struct output *o, const struct value *arg, size_t count)
{
    int64_t n = count_argument (o, "log", arg);
    double from = value_as_double (&arg[0]), to = value_as_double (&arg[1]);

    if (from <= 0 || to <= 0)
        generator_fail (o, "log: both ends must be above 0");
    for (int64_t i = 0; i < n; i++) {
        double v = from * pow (to / from, (double)i / (double)(n - 1));
        struct value x = all_integers (arg, 2)
                             ? value_int (llround (v))
                             : value_decimal (generator_tidy (v));
        generator_emit (o, x);
    }
}

static void powers (struct output *o, const struct value *arg, int64_t base)
{
    int64_t v = arg[0].integer, to = arg[1].integer;

    if (!all_integers (arg, 2) || v <= 0 || to < v)
        generator_fail (o, "log%lld: wants two integers, 0 < from <= to",
                        (long long)base);
    for (;;) {
        generator_emit (o, value_int (v));
        if (v > to / base)
            break;
        v *= base;
    }
    if (v != to)
        generator_fail (o, "log%lld: %lld is not %lld times a power of %lld",
                        (long long)base, (long long)to,
                        (long long)arg[0].integer, (long long)base);
}

static void gen_log2 (struct output *o, const struct value *arg, size_t count)
{
    powers (o, arg, 2);
}

static void gen_log10 (struct output *o, const struct value *arg, size_t count)
{
    powers (o, arg, 10);
}

static const struct generator {
    const char *name, *usage;
    size_t least, most;
    void (*make) (struct output *o, const struct value *arg, size_t count);
} generators[] = {
    {"range", "range(from, to[, step])", 2, 3, gen_range},
    {"lin", "lin(from, to, number)", 3, 3, gen_lin},
    {"log", "log(from, to, number)", 3, 3, gen_log},
    {"log2", "log2(from, to)", 2, 2, gen_log2},
    {"log10", "log10(from, to)", 2, 2, gen_log10},
};

enum { GENERATORS = ITEMS (generators) };

static const struct generator *
generator_find (struct output *o, const char *text, size_t length)
{
    const char *names[GENERATORS + 1] = {NULL};
    char word[32];

    FORMAT (word, "%.*s", (int)length, text);
    for (size_t i = 0; i < GENERATORS; i++) {
        names[i] = generators[i].name;
        if (!strcmp (word, generators[i].name))
            return &generators[i];
    }
    generator_fail (
        o, "%s: no such generator%s: there are range lin log log2 log10", word,
        reader_guess (nearest_word (word, names)));
}

static void generator_mistake (void *output, size_t fault, const char *problem)
{
    struct output *o = output;

    o->fault = fault;
    generator_fail (o, "%s", o->instead ? o->instead : problem);
}

/* The arguments are read as a list expression: "(64, 256)" -> "[64, 256]". */
static struct value arguments (struct output *o, const char *text, size_t open)
{
    const struct mistakes m = {generator_mistake, o, open};
    size_t length = strlen (text);
    char *copy = arena_text (text + open);
    struct expr *e;

    o->fault = length - 1;
    if (text[length - 1] != ')')
        generator_fail (o, "a generator ends with \")\"");
    copy[0] = '[';
    copy[strlen (copy) - 1] = ']';
    e = expr_parse (copy, NULL, &m);
    o->instead = "a generator's arguments are numbers";
    expr_bind (e, (const char *[]){NULL}, &m);
    o->instead = NULL;
    o->fault = open;
    return expr_eval (e, NULL, &m);
}

/* Put the values of a generator's text into o. */
static void generate (struct output *o)
{
    const char *text = o->node->text;
    size_t open = strcspn (text, "("), word = strcspn (text, " (");
    const struct generator *g;
    struct value list;

    if (!text[open])
        generator_fail (o, "an axis is a list, a generator such as "
                           "range(1, 8), or a mapping");
    g = generator_find (o, text, word);
    list = arguments (o, text, open);
    if (list.count < g->least || list.count > g->most)
        generator_fail (o, "%s: it is written %s", g->name, g->usage);
    for (size_t i = 0; i < list.count; i++)
        if (!value_is_number (&list.item[i]))
            generator_fail (o, "a generator's arguments are numbers");
    g->make (o, list.item, list.count);
}

static void
axis_from_generator (struct reader *r, struct axis *x, const struct ynode *n)
{
    struct output o = {.reader = r, .axis = x, .node = n};

    generate (&o);
    for (size_t i = 0; i < o.count; i++)
        axis_add (r, x, n, o.value[i]);
}
