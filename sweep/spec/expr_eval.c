/* SPDX-License-Identifier: MIT
 *
 * expr_eval.c - expression tree and the values of names -> value
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "sweep/spec/expr_node.h"

struct context {
    const struct value *column;
    struct arena *arena;
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
        *out = value_str (arena_format (c->arena, "%s%s", x->text, y->text));
        return 0;
    }
    if (!value_is_number (x) || !value_is_number (y))
        return errf (c->err, "%s is %s where a number should be",
                     value_show (c->arena, bad), value_type_words (bad->type));
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
        return errf (c->err, "%s is %s: \"in\" wants a list",
                     value_show (c->arena, y), value_type_words (y->type));
    for (size_t i = 0; i < y->count; i++) {
        if (value_compare (c->arena, x, &y->item[i], &order, c->err) < 0)
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

    if (value_compare (c->arena, x, y, &order, c->err) < 0)
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
                     value_show (c->arena, &v), value_type_words (v.type));
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
    *out = arena_array (c->arena, e->count ? e->count : 1, sizeof (**out));
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
    return expr_call (e->place, arg, e->count, c->arena, out, c->err);
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
               struct arena *a,
               struct value *out,
               struct errtext *err)
{
    struct context c = {.column = column, .arena = a, .err = err};

    return eval (&c, e, out);
}
