/* SPDX-License-Identifier: MIT
 *
 * expr_eval.c - expression tree and the values of names -> value; functions
 */
#include "config.h"

#include "sweep/spec/expr.h"

struct context {
    const struct value *column;
    const struct mistakes *mistakes;
};

static struct value eval (struct context *c, const struct expr *e);

#define fail(C, ...) mistake ((C)->mistakes, 0, __VA_ARGS__)

static int
compare (struct context *c, const struct value *x, const struct value *y)
{
    return value_compare (x, y, c->mistakes);
}

static int64_t floor_div (int64_t x, int64_t y)
{
    int64_t q = x / y;

    return x % y && (x % y < 0) != (y < 0) ? q - 1 : q;
}

static struct value
int_arithmetic (struct context *c, enum expr_op op, int64_t x, int64_t y)
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
        fail (c, "%lld %s 0: division by zero", (long long)x, sign[op]);
    else if (y == -1) /* INT64_MIN / -1 traps */
        overflow = op != EXPR_MOD && __builtin_sub_overflow (0, x, &r);
    else if (op == EXPR_MOD)
        r = x - floor_div (x, y) * y;
    else if (op == EXPR_DIV && x % y)
        fail (c, "%lld / %lld is not whole; use // or %lld.0 / %lld",
              (long long)x, (long long)y, (long long)x, (long long)y);
    else
        r = floor_div (x, y);
    if (overflow)
        fail (c, "%lld %s %lld does not fit 64 bits", (long long)x, sign[op],
              (long long)y);
    return value_int (r);
}

static struct value
decimal_arithmetic (struct context *c, enum expr_op op, double x, double y)
{
    double r = 0;

    if (y == 0 && (op == EXPR_DIV || op == EXPR_FLOORDIV || op == EXPR_MOD))
        fail (c, "%g divided by zero", x);
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
        fail (c, "the result is too large a number");
    return value_decimal (r);
}

static struct value arithmetic (struct context *c,
                                const struct expr *e,
                                const struct value *x,
                                const struct value *y)
{
    const struct value *bad = value_is_number (x) ? y : x;

    if (e->op == EXPR_ADD && x->type == VALUE_TEXT && y->type == VALUE_TEXT) {
        if (strlen (x->text) + strlen (y->text) > VALUE_TEXT_MAX)
            fail (c, "a text of more than %d bytes", VALUE_TEXT_MAX);
        return value_str (arena_format ("%s%s", x->text, y->text));
    }
    if (!value_is_number (x) || !value_is_number (y))
        fail (c, "%s is %s where a number should be", value_show (bad),
              value_type_words (bad->type));
    if (x->type == VALUE_INT && y->type == VALUE_INT)
        return int_arithmetic (c, e->op, x->integer, y->integer);
    return decimal_arithmetic (c, e->op, value_as_double (x),
                               value_as_double (y));
}

static struct value
membership (struct context *c, const struct value *x, const struct value *y)
{
    int found = 0;

    if (x->type == VALUE_TEXT && y->type == VALUE_TEXT) {
        return value_bool (strstr (y->text, x->text) != NULL);
    }
    if (y->type != VALUE_LIST)
        fail (c, "%s is %s: \"in\" wants a list", value_show (y),
              value_type_words (y->type));
    for (size_t i = 0; i < y->count; i++)
        found |= compare (c, x, &y->item[i]) == 0;
    return value_bool (found);
}

static struct value expr_eval_compare (struct context *c,
                                       const struct expr *e,
                                       const struct value *x,
                                       const struct value *y)
{
    int order = compare (c, x, y);

    if (e->op != EXPR_EQ && e->op != EXPR_NE &&
        (x->type == VALUE_NULL || y->type == VALUE_NULL))
        fail (c, "null has no order; use == or !=");
    return value_bool (e->op == EXPR_EQ   ? order == 0
                       : e->op == EXPR_NE ? order != 0
                       : e->op == EXPR_LT ? order < 0
                       : e->op == EXPR_LE ? order <= 0
                       : e->op == EXPR_GT ? order > 0
                                          : order >= 0);
}

static int truth (struct context *c, const struct expr *e)
{
    struct value v = eval (c, e);

    if (v.type != VALUE_BOOL)
        fail (c, "%s is %s where true or false should be", value_show (&v),
              value_type_words (v.type));
    return (int)v.integer;
}

static struct value logic (struct context *c, const struct expr *e)
{
    int left = truth (c, e->arg[0]);

    if (e->op == EXPR_CHOOSE)
        return eval (c, e->arg[left ? 1 : 2]);
    if (e->op == EXPR_NOT)
        return value_bool (!left);
    return value_bool (left == (e->op == EXPR_OR) ? left
                                                  : truth (c, e->arg[1]));
}

static struct value eval_name (struct context *c, const struct expr *e)
{
    struct value v = c->column[e->place];

    if (v.type == VALUE_NONE)
        fail (c, "%s has no value at this point: give one in const", e->name);
    return v;
}

static struct value *eval_many (struct context *c, const struct expr *e)
{
    struct value *v = arena_array (e->count ? e->count : 1, sizeof (*v));

    for (size_t i = 0; i < e->count; i++)
        v[i] = eval (c, e->arg[i]);
    return v;
}

static struct value
expr_call (struct context *c, int function, const struct value *arg, size_t n);

static struct value eval_call (struct context *c, const struct expr *e)
{
    if (expr_function_wants_name (e->place)) {
        enum value_type type = c->column[e->arg[0]->place].type;

        return value_bool (type != VALUE_NONE && type != VALUE_NULL);
    }
    return expr_call (c, e->place, eval_many (c, e), e->count);
}

static struct value negate (struct context *c, const struct expr *e)
{
    struct value v = eval (c, e->arg[0]), zero = value_int (0);

    if (v.type == VALUE_DECIMAL)
        return value_decimal (-v.decimal);
    if (v.type != VALUE_INT)
        return arithmetic (c, e, &zero, &v); /* says what is wrong */
    return int_arithmetic (c, EXPR_SUB, 0, v.integer);
}

static struct value eval (struct context *c, const struct expr *e)
{
    struct value x, y;

    switch (e->op) {
    case EXPR_VALUE:
        return e->value;
    case EXPR_NAME:
        return eval_name (c, e);
    case EXPR_CALL:
        return eval_call (c, e);
    case EXPR_LIST:
        return (struct value){
            .type = VALUE_LIST, .item = eval_many (c, e), .count = e->count};
    case EXPR_NEGATE:
        return negate (c, e);
    case EXPR_NOT:
    case EXPR_OR:
    case EXPR_AND:
    case EXPR_CHOOSE:
        return logic (c, e);
    default:
        break;
    }
    x = eval (c, e->arg[0]);
    y = eval (c, e->arg[1]);
    if (e->op == EXPR_IN)
        return membership (c, &x, &y);
    if (e->op >= EXPR_EQ && e->op <= EXPR_GE)
        return expr_eval_compare (c, e, &x, &y);
    return arithmetic (c, e, &x, &y);
}

struct value expr_eval (const struct expr *e,
                        const struct value *column,
                        const struct mistakes *m)
{
    struct context c = {.column = column, .mistakes = m};

    return eval (&c, e);
}

/* ---- the functions of the expression language: name -> value ---- */

struct arguments {
    const char *name;
    const struct value *arg;
    size_t count;
    struct context *context;
};

static void need_number (const struct arguments *c, const struct value *v)
{
    if (!value_is_number (v))
        fail (c->context, "%s: %s is %s where a number should be", c->name,
              value_show (v), value_type_words (v->type));
}

static struct value extreme (const struct arguments *c, int sign)
{
    const struct value *v = c->arg;
    size_t count = c->count;
    struct value most;

    if (count == 1 && v->type == VALUE_LIST) {
        count = v->count;
        v = v->item;
    }
    if (!count)
        fail (c->context, "%s: of an empty list", c->name);
    most = v[0];
    for (size_t i = 0; i < count; i++) {
        need_number (c, &v[i]);
        if (compare (c->context, &v[i], &most) * sign > 0)
            most = v[i];
    }
    most.text = NULL;
    return most;
}

static struct value fn_min (const struct arguments *c)
{
    return extreme (c, -1);
}

static struct value fn_max (const struct arguments *c)
{
    return extreme (c, 1);
}

static struct value to_int (const struct arguments *c, double d)
{
    if (!(fabs (d) < 9.2e18))
        fail (c->context, "%s: %g does not fit 64 bits", c->name, d);
    return value_int (d);
}

static struct value fn_abs (const struct arguments *c)
{
    need_number (c, c->arg);
    if (c->arg->type == VALUE_DECIMAL)
        return value_decimal (fabs (c->arg->decimal));
    if (c->arg->integer == INT64_MIN)
        fail (c->context, "abs: does not fit 64 bits");
    return value_int (llabs (c->arg->integer));
}

static struct value rounding (const struct arguments *c, double (*how) (double))
{
    need_number (c, c->arg);
    if (c->arg->type == VALUE_INT) {
        return value_int (c->arg->integer);
    }
    return to_int (c, how (c->arg->decimal));
}

static struct value fn_floor (const struct arguments *c)
{
    return rounding (c, floor);
}

static struct value fn_ceil (const struct arguments *c)
{
    return rounding (c, ceil);
}

static struct value fn_round (const struct arguments *c)
{
    return rounding (c, round);
}

static struct value fn_log2 (const struct arguments *c)
{
    int64_t n = c->arg->integer;

    need_number (c, c->arg);
    if (value_as_double (c->arg) <= 0)
        fail (c->context, "log2: of %s", value_show (c->arg));
    if (c->arg->type == VALUE_INT && (n & (n - 1)) == 0)
        return value_int (__builtin_ctzll ((unsigned long long)n));
    return value_decimal (log2 (value_as_double (c->arg)));
}

static struct value fn_pow (const struct arguments *c)
{
    int64_t base = c->arg[0].integer, n = c->arg[1].integer, r = 1;

    need_number (c, &c->arg[0]);
    need_number (c, &c->arg[1]);
    if (c->arg[0].type == VALUE_DECIMAL || c->arg[1].type == VALUE_DECIMAL ||
        n < 0) {
        double d =
            pow (value_as_double (&c->arg[0]), value_as_double (&c->arg[1]));
        if (!isfinite (d))
            fail (c->context, "pow: the result is no finite number");
        return value_decimal (d);
    }
    if (n > 64 && (base > 1 || base < -1))
        n = 64; /* overflows anyway */
    else if (n > 64)
        n = 64 + n % 2;
    for (int64_t i = 0; i < n; i++)
        if (__builtin_mul_overflow (r, base, &r))
            fail (c->context, "pow: does not fit 64 bits");
    return value_int (r);
}

static struct value fn_int (const struct arguments *c)
{
    struct value v = c->arg[0];

    if (v.type == VALUE_TEXT)
        v = value_of_scalar (v.text, 0);
    if (v.type == VALUE_BOOL)
        v = value_int (v.integer);
    if (!value_is_number (&v))
        fail (c->context, "int: %s is no number", value_show (&c->arg[0]));
    if (v.type == VALUE_DECIMAL)
        return to_int (c, trunc (v.decimal));
    return value_int (v.integer);
}

static struct value fn_str (const struct arguments *c)
{
    return value_str (value_text (c->arg));
}

static struct value fn_len (const struct arguments *c)
{
    if (c->arg->type == VALUE_LIST)
        return value_int (c->arg->count);
    if (c->arg->type == VALUE_TEXT)
        return value_int (strlen (c->arg->text));
    fail (c->context, "len: %s is %s: it wants text or a list",
          value_show (c->arg), value_type_words (c->arg->type));
}

enum { ANY_NUMBER = 1000 };

static const struct function {
    const char *name;
    size_t least, most;
    struct value (*call) (const struct arguments *c); /* NULL: has */
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

const char *expr_function_arity (int function, size_t count)
{
    const struct function *f = &functions[function];

    if (count >= f->least && count <= f->most)
        return NULL;
    return arena_format ("%s: takes %zu argument%s, not %zu", f->name, f->least,
                         f->most == ANY_NUMBER ? " or more"
                         : f->least == 1       ? ""
                                               : "s",
                         count);
}

int expr_function_wants_name (int function)
{
    return !functions[function].call;
}

static struct value
expr_call (struct context *c, int function, const struct value *arg, size_t n)
{
    const struct arguments a = {
        .name = functions[function].name, .arg = arg, .count = n, .context = c};

    return functions[function].call (&a);
}
