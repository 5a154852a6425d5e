/* SPDX-License-Identifier: MIT
 *
 * expr_func.c - the functions of the expression language: name -> value
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/spec/expr_node.h"

struct call {
    const char *name;
    const struct value *arg;
    size_t count;
    struct arena *arena;
    struct errtext *err;
};

static int need_number (const struct call *c, const struct value *v)
{
    if (value_is_number (v))
        return 0;
    return errf (c->err, "%s: %s is %s where a number should be", c->name,
                 value_show (c->arena, v), value_type_words (v->type));
}

static int extreme (const struct call *c, int sign, struct value *out)
{
    const struct value *v = c->arg;
    size_t count = c->count;
    int order;

    if (count == 1 && v->type == VALUE_LIST) {
        count = v->count;
        v = v->item;
    }
    if (!count)
        return errf (c->err, "%s: of an empty list", c->name);
    *out = v[0];
    for (size_t i = 0; i < count; i++) {
        if (need_number (c, &v[i]) < 0 ||
            value_compare (c->arena, &v[i], out, &order, c->err) < 0)
            return -1;
        if (order * sign > 0)
            *out = v[i];
    }
    out->text = NULL;
    return 0;
}

static int fn_min (const struct call *c, struct value *out)
{
    return extreme (c, -1, out);
}

static int fn_max (const struct call *c, struct value *out)
{
    return extreme (c, 1, out);
}

static int to_int (const struct call *c, double d, struct value *out)
{
    if (!(fabs (d) < 9.2e18))
        return errf (c->err, "%s: %g does not fit 64 bits", c->name, d);
    *out = value_int ((int64_t)d);
    return 0;
}

static int fn_abs (const struct call *c, struct value *out)
{
    if (need_number (c, c->arg) < 0)
        return -1;
    if (c->arg->type == VALUE_DECIMAL)
        *out = value_decimal (fabs (c->arg->decimal));
    else if (c->arg->integer == INT64_MIN)
        return errf (c->err, "abs: does not fit 64 bits");
    else
        *out = value_int (llabs (c->arg->integer));
    return 0;
}

static int
rounding (const struct call *c, double (*how) (double), struct value *out)
{
    if (need_number (c, c->arg) < 0)
        return -1;
    if (c->arg->type == VALUE_INT) {
        *out = value_int (c->arg->integer);
        return 0;
    }
    return to_int (c, how (c->arg->decimal), out);
}

static int fn_floor (const struct call *c, struct value *out)
{
    return rounding (c, floor, out);
}

static int fn_ceil (const struct call *c, struct value *out)
{
    return rounding (c, ceil, out);
}

static int fn_round (const struct call *c, struct value *out)
{
    return rounding (c, round, out);
}

static int fn_log2 (const struct call *c, struct value *out)
{
    int64_t n = c->arg->integer;

    if (need_number (c, c->arg) < 0)
        return -1;
    if (value_as_double (c->arg) <= 0)
        return errf (c->err, "log2: of %s", value_show (c->arena, c->arg));
    if (c->arg->type == VALUE_INT && (n & (n - 1)) == 0)
        *out = value_int (__builtin_ctzll ((unsigned long long)n));
    else
        *out = value_decimal (log2 (value_as_double (c->arg)));
    return 0;
}

static int fn_pow (const struct call *c, struct value *out)
{
    int64_t base = c->arg[0].integer, n = c->arg[1].integer, r = 1;

    if (need_number (c, &c->arg[0]) < 0 || need_number (c, &c->arg[1]) < 0)
        return -1;
    if (c->arg[0].type == VALUE_DECIMAL || c->arg[1].type == VALUE_DECIMAL ||
        n < 0) {
        double d =
            pow (value_as_double (&c->arg[0]), value_as_double (&c->arg[1]));
        if (!isfinite (d))
            return errf (c->err, "pow: the result is no finite number");
        *out = value_decimal (d);
        return 0;
    }
    if (n > 64 && (base > 1 || base < -1))
        n = 64; /* overflows anyway */
    else if (n > 64)
        n = 64 + n % 2;
    for (int64_t i = 0; i < n; i++)
        if (__builtin_mul_overflow (r, base, &r))
            return errf (c->err, "pow: does not fit 64 bits");
    *out = value_int (r);
    return 0;
}

static int fn_int (const struct call *c, struct value *out)
{
    struct value v = c->arg[0];

    if (v.type == VALUE_TEXT)
        v = value_of_scalar (c->arena, v.text, 0);
    if (v.type == VALUE_BOOL)
        v = value_int (v.integer);
    if (!value_is_number (&v))
        return errf (c->err, "int: %s is no number",
                     value_show (c->arena, &c->arg[0]));
    if (v.type == VALUE_DECIMAL)
        return to_int (c, trunc (v.decimal), out);
    *out = value_int (v.integer);
    return 0;
}

static int fn_str (const struct call *c, struct value *out)
{
    *out = value_str (value_text (c->arena, c->arg));
    return 0;
}

static int fn_len (const struct call *c, struct value *out)
{
    if (c->arg->type == VALUE_LIST)
        *out = value_int ((int64_t)c->arg->count);
    else if (c->arg->type == VALUE_TEXT)
        *out = value_int ((int64_t)strlen (c->arg->text));
    else
        return errf (c->err, "len: %s is %s: it wants text or a list",
                     value_show (c->arena, c->arg),
                     value_type_words (c->arg->type));
    return 0;
}

enum { ANY_NUMBER = 1000 };

static const struct function {
    const char *name;
    size_t least, most;
    int (*call) (const struct call *c, struct value *out); /* NULL: has */
} functions[] = {
    {"min", 1, ANY_NUMBER, fn_min},
    {"max", 1, ANY_NUMBER, fn_max},
    {"abs", 1, 1, fn_abs},
    {"floor", 1, 1, fn_floor},
    {"ceil", 1, 1, fn_ceil},
    {"round", 1, 1, fn_round},
    {"log2", 1, 1, fn_log2},
    {"pow", 2, 2, fn_pow},
    {"int", 1, 1, fn_int},
    {"str", 1, 1, fn_str},
    {"len", 1, 1, fn_len},
    {"has", 1, 1, NULL},
    {NULL, 0, 0, NULL},
};

int expr_function (const char *name)
{
    for (int i = 0; functions[i].name; i++)
        if (!strcmp (functions[i].name, name))
            return i;
    return -1;
}

const char *expr_function_name (int function)
{
    return functions[function].name;
}

int expr_function_arity (int function, size_t count, struct errtext *err)
{
    const struct function *f = &functions[function];

    if (count >= f->least && count <= f->most)
        return 0;
    return errf (err, "%s: takes %zu argument%s, not %zu", f->name, f->least,
                 f->most == ANY_NUMBER ? " or more"
                 : f->least == 1       ? ""
                                       : "s",
                 count);
}

int expr_function_wants_name (int function)
{
    return !functions[function].call;
}

int expr_call (int function,
               const struct value *arg,
               size_t count,
               struct arena *a,
               struct value *out,
               struct errtext *err)
{
    struct call c = {.name = functions[function].name,
                     .arg = arg,
                     .count = count,
                     .arena = a,
                     .err = err};

    return functions[function].call (&c, out);
}
