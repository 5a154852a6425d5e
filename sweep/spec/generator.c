/* SPDX-License-Identifier: MIT
 *
 * generator.c - range() lin() log() log2() log10() -> values of an axis
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/util/optparse.h"
#include "sweep/spec/spec_read.h"

struct output {
    struct arena *arena;
    struct value *value;
    size_t count;
    struct errtext *err;
};

static int generator_emit (struct output *o, struct value v)
{
    if (o->count >= SPEC_VALUES_MAX)
        return errf (o->err, "more than %d values", SPEC_VALUES_MAX);
    o->value = arena_grow (o->arena, o->value, o->count, sizeof (v));
    o->value[o->count++] = v;
    return 0;
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

    (void)snprintf (text, sizeof (text), "%.12g", d);
    (void)sscanf (text, "%lf", &shorter);
    return shorter;
}

static int gen_range (struct output *o, const struct value *arg, size_t count)
{
    double from = value_as_double (&arg[0]), to = value_as_double (&arg[1]);
    double step = count == 3 ? value_as_double (&arg[2]) : 1;

    if (step == 0 || (to - from) / step < 0)
        return errf (o->err, "range: the step does not lead from %g to %g",
                     from, to);
    if ((to - from) / step >= SPEC_VALUES_MAX)
        return errf (o->err, "range: more than %d values", SPEC_VALUES_MAX);
    if (!all_integers (arg, count)) {
        int64_t n = (int64_t)floor ((to - from) / step + 1e-9);
        for (int64_t i = 0; i <= n; i++)
            if (generator_emit (o, value_decimal (generator_tidy (
                                       from + (double)i * step))) < 0)
                return -1;
        return 0;
    }
    for (int64_t n = 0, s = count == 3 ? arg[2].integer : 1;
         n <= (int64_t)((to - from) / step); n++) {
        int64_t v = arg[0].integer + n * s;
        if (s > 0 ? v > arg[1].integer : v < arg[1].integer)
            break;
        if (generator_emit (o, value_int (v)) < 0)
            return -1;
    }
    return 0;
}

static int count_argument (struct output *o,
                           const char *name,
                           const struct value *arg,
                           int64_t *n)
{
    if (arg[2].type != VALUE_INT || arg[2].integer < 2 ||
        arg[2].integer > SPEC_VALUES_MAX)
        return errf (o->err, "%s: the number of values is from 2 to %d", name,
                     SPEC_VALUES_MAX);
    *n = arg[2].integer;
    return 0;
}

static int gen_lin (struct output *o, const struct value *arg, size_t count)
{
    int64_t n = 0, width;
    double from = value_as_double (&arg[0]), to = value_as_double (&arg[1]);

    (void)count;
    if (count_argument (o, "lin", arg, &n) < 0)
        return -1;
    if (all_integers (arg, 2) &&
        !__builtin_sub_overflow (arg[1].integer, arg[0].integer, &width) &&
        width % (n - 1) == 0) {
        for (int64_t i = 0; i < n; i++)
            if (generator_emit (
                    o, value_int (arg[0].integer + width / (n - 1) * i)) < 0)
                return -1;
        return 0;
    }
    for (int64_t i = 0; i < n; i++) {
        double v = from + (to - from) * ((double)i / (double)(n - 1));
        if (generator_emit (o, value_decimal (generator_tidy (v))) < 0)
            return -1;
    }
    return 0;
}

/* Whole ends give whole values (rounded): batch sizes and lengths are. */
static int gen_log (struct output *o, const struct value *arg, size_t count)
{
    int64_t n = 0;
    double from = value_as_double (&arg[0]), to = value_as_double (&arg[1]);

    (void)count;
    if (count_argument (o, "log", arg, &n) < 0)
        return -1;
    if (from <= 0 || to <= 0)
        return errf (o->err, "log: both ends must be above 0");
    for (int64_t i = 0; i < n; i++) {
        double v = from * pow (to / from, (double)i / (double)(n - 1));
        struct value x = all_integers (arg, 2)
                             ? value_int (llround (v))
                             : value_decimal (generator_tidy (v));
        if (generator_emit (o, x) < 0)
            return -1;
    }
    return 0;
}

static int powers (struct output *o, const struct value *arg, int64_t base)
{
    int64_t v = arg[0].integer, to = arg[1].integer;

    if (!all_integers (arg, 2) || v <= 0 || to < v)
        return errf (o->err, "log%lld: wants two integers, 0 < from <= to",
                     (long long)base);
    for (;;) {
        if (generator_emit (o, value_int (v)) < 0)
            return -1;
        if (v > to / base)
            break;
        v *= base;
    }
    if (v != to)
        return errf (o->err, "log%lld: %lld is not %lld times a power of %lld",
                     (long long)base, (long long)to, (long long)arg[0].integer,
                     (long long)base);
    return 0;
}

static int gen_log2 (struct output *o, const struct value *arg, size_t count)
{
    (void)count;
    return powers (o, arg, 2);
}

static int gen_log10 (struct output *o, const struct value *arg, size_t count)
{
    (void)count;
    return powers (o, arg, 10);
}

static const struct generator {
    const char *name, *usage;
    size_t least, most;
    int (*make) (struct output *o, const struct value *arg, size_t count);
} generators[] = {
    {"range", "range(from, to[, step])", 2, 3, gen_range},
    {"lin", "lin(from, to, number)", 3, 3, gen_lin},
    {"log", "log(from, to, number)", 3, 3, gen_log},
    {"log2", "log2(from, to)", 2, 2, gen_log2},
    {"log10", "log10(from, to)", 2, 2, gen_log10},
};

enum { GENERATORS = sizeof (generators) / sizeof (generators[0]) };

static const struct generator *
generator_find (const char *text, size_t length, struct errtext *err)
{
    const char *names[GENERATORS + 1] = {NULL};
    char word[32];
    const char *near;

    (void)snprintf (word, sizeof (word), "%.*s", (int)length, text);
    for (size_t i = 0; i < GENERATORS; i++) {
        names[i] = generators[i].name;
        if (!strcmp (word, generators[i].name))
            return &generators[i];
    }
    near = nearest_word (word, names);
    (void)errf (err,
                "%s: no such generator%s%s%s: there are range lin log "
                "log2 log10",
                word, near ? " (did you mean \"" : "", near ? near : "",
                near ? "\"?)" : "");
    return NULL;
}

/* The arguments are read as a list expression: "(64, 256)" -> "[64, 256]". */
static int arguments (struct arena *a,
                      const char *text,
                      size_t open,
                      struct value *list,
                      size_t *fault,
                      struct errtext *err)
{
    size_t length = strlen (text);
    struct expr *e;
    char *copy = arena_text (a, text + open);

    *fault = length - 1;
    if (text[length - 1] != ')')
        return errf (err, "a generator ends with \")\"");
    copy[0] = '[';
    copy[strlen (copy) - 1] = ']';
    e = expr_parse (a, copy, NULL, fault, err);
    *fault += open;
    if (!e)
        return -1;
    if (expr_bind (e, (const char *[]){NULL}, fault, err) < 0) {
        *fault += open;
        return errf (err, "a generator's arguments are numbers");
    }
    *fault = open;
    return expr_eval (e, NULL, a, list, err);
}

struct value *generate (struct arena *a,
                        const char *text,
                        size_t *count,
                        size_t *fault,
                        struct errtext *err)
{
    struct output o = {.arena = a, .err = err};
    const struct generator *g;
    struct value list;
    size_t open = strcspn (text, "("), word = strcspn (text, " (");

    *fault = 0;
    if (!text[open]) {
        (void)errf (err, "an axis is a list, a generator such as "
                         "range(1, 8), or a mapping");
        return NULL;
    }
    if (!(g = generator_find (text, word, err)) ||
        arguments (a, text, open, &list, fault, err) < 0)
        return NULL;
    if (list.count < g->least || list.count > g->most) {
        (void)errf (err, "%s: it is written %s", g->name, g->usage);
        return NULL;
    }
    for (size_t i = 0; i < list.count; i++)
        if (!value_is_number (&list.item[i])) {
            (void)errf (err, "a generator's arguments are numbers");
            return NULL;
        }
    if (g->make (&o, list.item, list.count) < 0) {
        errno = EINVAL;
        return NULL;
    }
    *count = o.count;
    return o.value;
}
