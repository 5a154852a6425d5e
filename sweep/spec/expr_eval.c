/* SPDX-License-Identifier: MIT
 *
 * expr_eval.c - expression tree and the values of names -> value; functions
 */
#include "config.h"

#include "sweep/spec/expr.h"

struct context {
    const struct value *column;
    struct errtext *err;
};

static int
eval (const struct context *c, const struct expr *e, struct value *out);

static int64_t floor_div (int64_t x, int64_t y)
{
    int64_t q = x / y;

    return x % y && (x % y < 0) != (y < 0) ? q - 1 : q;
}

static int int_arithmetic (const struct context *c,
                           enum expr_op op,
                           int64_t x,
                           int64_t y,
                           struct value *out)
{
    static const char *const sign[] = {
        [EXPR_ADD] = "+", [EXPR_SUB] = "-",       [EXPR_MUL] = "*",
        [EXPR_DIV] = "/", [EXPR_FLOORDIV] = "//", [EXPR_MOD] = "%"};
    int64_t r = 0;
    int overflow = 0;

    if (op == EXPR_ADD)
        overflow = __builtin_add_overflow (x, y, &r);
    else if (op == EXPR_SUB)
        overflow = __builtin_sub_overflow (x, y, &r);
    else if (op == EXPR_MUL)
        overflow = __builtin_mul_overflow (x, y, &r);
    else if (y == 0)
        return errf (c->err, "%lld %s 0: division by zero", (long long)x,
                     sign[op]);
    else if (y == -1) /* INT64_MIN / -1 traps */
        overflow = op != EXPR_MOD && __builtin_sub_overflow (0, x, &r);
    else if (op == EXPR_MOD)
        r = x - floor_div (x, y) * y;
    else if (op == EXPR_DIV && x % y)
        return errf (c->err,
                     "%lld / %lld is not whole; use // or %lld.0 / %lld",
                     (long long)x, (long long)y, (long long)x, (long long)y);
    else
        r = floor_div (x, y);
    if (overflow)
        return errf (c->err, "%lld %s %lld does not fit 64 bits", (long long)x,
                     sign[op], (long long)y);
    *out = value_int (r);
    return 0;
}

static int decimal_arithmetic (const struct context *c,
                               enum expr_op op,
                               double x,
                               double y,
                               struct value *out)
{
    double r = 0;

    if (y == 0 && (op == EXPR_DIV || op == EXPR_FLOORDIV || op == EXPR_MOD))
        return errf (c->err, "%g divided by zero", x);
    if (op == EXPR_ADD)
        r = x + y;
    else if (op == EXPR_SUB)
        r = x - y;
    else if (op == EXPR_MUL)
        r = x * y;
    else if (op == EXPR_DIV)
        r = x / y;
    else if (op == EXPR_FLOORDIV)
        r = floor (x / y);
    else
        r = x - floor (x / y) * y;
    if (!isfinite (r))
        return errf (c->err, "the result is too large a number");
    *out = value_decimal (r);
    return 0;
}

static int arithmetic (const struct context *c,
                       const struct expr *e,
                       const struct value *x,
                       const struct value *y,
                       struct value *out)
{
    const struct value *bad = value_is_number (x) ? y : x;

    if (e->op == EXPR_ADD && x->type == VALUE_TEXT && y->type == VALUE_TEXT) {
        if (strlen (x->text) + strlen (y->text) > VALUE_TEXT_MAX)
            return errf (c->err, "a text of more than %d bytes",
                         VALUE_TEXT_MAX);
        *out = value_str (arena_format ("%s%s", x->text, y->text));
        return 0;
    }
    if (!value_is_number (x) || !value_is_number (y))
        return errf (c->err, "%s is %s where a number should be",
                     value_show (bad), value_type_words (bad->type));
    if (x->type == VALUE_INT && y->type == VALUE_INT)
        return int_arithmetic (c, e->op, x->integer, y->integer, out);
    return decimal_arithmetic (c, e->op, value_as_double (x),
                               value_as_double (y), out);
}

static int membership (const struct context *c,
                       const struct value *x,
                       const struct value *y,
                       struct value *out)
{
    int order;

    *out = value_bool (0);
    if (x->type == VALUE_TEXT && y->type == VALUE_TEXT) {
        *out = value_bool (strstr (y->text, x->text) != NULL);
        return 0;
    }
    if (y->type != VALUE_LIST)
        return errf (c->err, "%s is %s: \"in\" wants a list", value_show (y),
                     value_type_words (y->type));
    for (size_t i = 0; i < y->count; i++) {
        if (value_compare (x, &y->item[i], &order, c->err) < 0)
            return -1;
        if (order == 0)
            *out = value_bool (1);
    }
    return 0;
}

static int expr_eval_compare (const struct context *c,
                              const struct expr *e,
                              const struct value *x,
                              const struct value *y,
                              struct value *out)
{
    int order, truth;

    if (value_compare (x, y, &order, c->err) < 0)
        return -1;
    if (e->op != EXPR_EQ && e->op != EXPR_NE &&
        (x->type == VALUE_NULL || y->type == VALUE_NULL))
        return errf (c->err, "null has no order; use == or !=");
    truth = e->op == EXPR_EQ   ? order == 0
            : e->op == EXPR_NE ? order != 0
            : e->op == EXPR_LT ? order < 0
            : e->op == EXPR_LE ? order <= 0
            : e->op == EXPR_GT ? order > 0
                               : order >= 0;
    *out = value_bool (truth);
    return 0;
}

static int truth (const struct context *c, const struct expr *e, int *out)
{
    struct value v;

    if (eval (c, e, &v) < 0)
        return -1;
    if (v.type != VALUE_BOOL)
        return errf (c->err, "%s is %s where true or false should be",
                     value_show (&v), value_type_words (v.type));
    *out = (int)v.integer;
    return 0;
}

static int
logic (const struct context *c, const struct expr *e, struct value *out)
{
    int left, right;

    if (truth (c, e->arg[0], &left) < 0)
        return -1;
    if (e->op == EXPR_CHOOSE)
        return eval (c, e->arg[left ? 1 : 2], out);
    *out = value_bool (e->op == EXPR_NOT ? !left : left);
    if (e->op == EXPR_NOT || left == (e->op == EXPR_OR))
        return 0;
    if (truth (c, e->arg[1], &right) < 0)
        return -1;
    *out = value_bool (right);
    return 0;
}

static int
eval_name (const struct context *c, const struct expr *e, struct value *out)
{
    *out = c->column[e->place];
    if (out->type == VALUE_NONE)
        return errf (c->err, "%s has no value at this point: give one in const",
                     e->name);
    return 0;
}

static int
eval_many (const struct context *c, const struct expr *e, struct value **out)
{
    *out = arena_array (e->count ? e->count : 1, sizeof (**out));
    for (size_t i = 0; i < e->count; i++)
        if (eval (c, e->arg[i], &(*out)[i]) < 0)
            return -1;
    return 0;
}

static int
eval_call (const struct context *c, const struct expr *e, struct value *out)
{
    struct value *arg;

    if (expr_function_wants_name (e->place)) {
        enum value_type type = c->column[e->arg[0]->place].type;
        *out = value_bool (type != VALUE_NONE && type != VALUE_NULL);
        return 0;
    }
    if (eval_many (c, e, &arg) < 0)
        return -1;
    return expr_call (e->place, arg, e->count, out, c->err);
}

static int
eval_list (const struct context *c, const struct expr *e, struct value *out)
{
    struct value *item;

    if (eval_many (c, e, &item) < 0)
        return -1;
    *out = (struct value){.type = VALUE_LIST, .item = item, .count = e->count};
    return 0;
}

static int
negate (const struct context *c, const struct expr *e, struct value *out)
{
    struct value v, zero = value_int (0);

    if (eval (c, e->arg[0], &v) < 0)
        return -1;
    if (v.type == VALUE_DECIMAL) {
        *out = value_decimal (-v.decimal);
        return 0;
    }
    if (v.type != VALUE_INT)
        return arithmetic (c, e, &zero, &v, out); /* says what is wrong */
    return int_arithmetic (c, EXPR_SUB, 0, v.integer, out);
}

static int
eval (const struct context *c, const struct expr *e, struct value *out)
{
    struct value x, y;

    switch (e->op) {
    case EXPR_VALUE:
        *out = e->value;
        return 0;
    case EXPR_NAME:
        return eval_name (c, e, out);
    case EXPR_CALL:
        return eval_call (c, e, out);
    case EXPR_LIST:
        return eval_list (c, e, out);
    case EXPR_NEGATE:
        return negate (c, e, out);
    case EXPR_NOT:
    case EXPR_OR:
    case EXPR_AND:
    case EXPR_CHOOSE:
        return logic (c, e, out);
    default:
        break;
    }
    if (eval (c, e->arg[0], &x) < 0 || eval (c, e->arg[1], &y) < 0)
        return -1;
    if (e->op == EXPR_IN)
        return membership (c, &x, &y, out);
    if (e->op >= EXPR_EQ && e->op <= EXPR_GE)
        return expr_eval_compare (c, e, &x, &y, out);
    return arithmetic (c, e, &x, &y, out);
}

int expr_eval (const struct expr *e,
               const struct value *column,
               struct value *out,
               struct errtext *err)
{
    struct context c = {.column = column, .err = err};

    return eval (&c, e, out);
}

/* ---- the functions of the expression language: name -> value ---- */

struct arguments {
    const char *name;
    const struct value *arg;
    size_t count;
    struct errtext *err;
};

static int need_number (const struct arguments *c, const struct value *v)
{
    if (value_is_number (v))
        return 0;
    return errf (c->err, "%s: %s is %s where a number should be", c->name,
                 value_show (v), value_type_words (v->type));
}

static int extreme (const struct arguments *c, int sign, struct value *out)
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
            value_compare (&v[i], out, &order, c->err) < 0)
            return -1;
        if (order * sign > 0)
            *out = v[i];
    }
    out->text = NULL;
    return 0;
}

static int fn_min (const struct arguments *c, struct value *out)
{
    return extreme (c, -1, out);
}

static int fn_max (const struct arguments *c, struct value *out)
{
    return extreme (c, 1, out);
}

static int to_int (const struct arguments *c, double d, struct value *out)
{
    if (!(fabs (d) < 9.2e18))
        return errf (c->err, "%s: %g does not fit 64 bits", c->name, d);
    *out = value_int (d);
    return 0;
}

static int fn_abs (const struct arguments *c, struct value *out)
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
rounding (const struct arguments *c, double (*how) (double), struct value *out)
{
    if (need_number (c, c->arg) < 0)
        return -1;
    if (c->arg->type == VALUE_INT) {
        *out = value_int (c->arg->integer);
        return 0;
    }
    return to_int (c, how (c->arg->decimal), out);
}

static int fn_floor (const struct arguments *c, struct value *out)
{
    return rounding (c, floor, out);
}

static int fn_ceil (const struct arguments *c, struct value *out)
{
    return rounding (c, ceil, out);
}

static int fn_round (const struct arguments *c, struct value *out)
{
    return rounding (c, round, out);
}

static int fn_log2 (const struct arguments *c, struct value *out)
{
    int64_t n = c->arg->integer;

    if (need_number (c, c->arg) < 0)
        return -1;
    if (value_as_double (c->arg) <= 0)
        return errf (c->err, "log2: of %s", value_show (c->arg));
    if (c->arg->type == VALUE_INT && (n & (n - 1)) == 0)
        *out = value_int (__builtin_ctzll ((unsigned long long)n));
    else
        *out = value_decimal (log2 (value_as_double (c->arg)));
    return 0;
}

static int fn_pow (const struct arguments *c, struct value *out)
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

static int fn_int (const struct arguments *c, struct value *out)
{
    struct value v = c->arg[0];

    if (v.type == VALUE_TEXT)
        v = value_of_scalar (v.text, 0);
    if (v.type == VALUE_BOOL)
        v = value_int (v.integer);
    if (!value_is_number (&v))
        return errf (c->err, "int: %s is no number", value_show (&c->arg[0]));
    if (v.type == VALUE_DECIMAL)
        return to_int (c, trunc (v.decimal), out);
    *out = value_int (v.integer);
    return 0;
}

static int fn_str (const struct arguments *c, struct value *out)
{
    *out = value_str (value_text (c->arg));
    return 0;
}

static int fn_len (const struct arguments *c, struct value *out)
{
    if (c->arg->type == VALUE_LIST)
        *out = value_int (c->arg->count);
    else if (c->arg->type == VALUE_TEXT)
        *out = value_int (strlen (c->arg->text));
    else
        return errf (c->err, "len: %s is %s: it wants text or a list",
                     value_show (c->arg), value_type_words (c->arg->type));
    return 0;
}

enum { ANY_NUMBER = 1000 };

static const struct function {
    const char *name;
    size_t least, most;
    int (*call) (const struct arguments *c, struct value *out); /* NULL: has */
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
               struct value *out,
               struct errtext *err)
{
    struct arguments c = {.name = functions[function].name,
                          .arg = arg,
                          .count = count,
                          .err = err};

    return functions[function].call (&c, out);
}
