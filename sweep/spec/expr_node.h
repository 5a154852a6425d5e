/* SPDX-License-Identifier: MIT
 *
 * expr_node.h - the tree between expr.c (text -> tree) and expr_eval.c
 */
#ifndef DFT_SWEEP_EXPR_NODE_H
#define DFT_SWEEP_EXPR_NODE_H

#include "sweep/spec/expr.h"

enum expr_op {
    EXPR_VALUE = 0,
    EXPR_NAME,
    EXPR_CALL,
    EXPR_LIST,
    EXPR_NEGATE,
    EXPR_NOT,
    EXPR_CHOOSE, /* a ? b : c */
    EXPR_OR,
    EXPR_AND,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LT,
    EXPR_LE,
    EXPR_GT,
    EXPR_GE,
    EXPR_IN,
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_FLOORDIV,
    EXPR_MOD
};

struct expr {
    enum expr_op op;
    size_t offset;      /* in the text, for messages */
    struct value value; /* VALUE */
    const char *name;   /* NAME, CALL */
    int place;          /* NAME: index after expr_bind; CALL: function */
    struct expr **arg;
    size_t count;
};

/* Index of a function, or -1; its name by index, NULL after the last. */
int expr_function (const char *name);
const char *expr_function_name (int function);
/* -1 and err when a function cannot take that many arguments. */
int expr_function_arity (int function, size_t count, struct errtext *err);
/* True for has(): its argument is a name, not evaluated. */
int expr_function_wants_name (int function);

int expr_call (int function,
               const struct value *arg,
               size_t count,
               struct arena *a,
               struct value *out,
               struct errtext *err);

#endif
