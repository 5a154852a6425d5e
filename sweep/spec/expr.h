/* SPDX-License-Identifier: MIT
 *
 * expr.h - the small expression language of a sweep file
 *
 *   expr := or ('?' expr ':' expr)?
 *   or   := and ('or' and)*           and  := not ('and' not)*
 *   not  := 'not' not | cmp
 *   cmp  := sum (('=='|'!='|'<'|'<='|'>'|'>='|'in') sum)?
 *   sum  := prod (('+'|'-') prod)*    prod := unary (('*'|'/'|'//'|'%') unary)*
 *   unary := '-' unary | atom
 *   atom := NUMBER[kMGT[i]] | 'text' | NAME | NAME '(' args ')' | '(' expr ')'
 *         | '[' args ']' | true | false | null
 *
 * No loops, no I/O. Integers are 64 bits and overflow is an error; '/' of two
 * integers must come out whole.
 */
#pragma once

#include "sweep/spec/value.h"

/* -- the small expression language of a sweep file -- */

struct expr;

/* Parse text. When end is NULL all of it must be one expression; otherwise
 * *end is where the first one ends. */
struct expr *
expr_parse (const char *text, size_t *end, const struct mistakes *m);

/* Tie every name to its place in names (NULL-terminated), where it must be. */
void expr_bind (struct expr *e,
                const char *const *names,
                const struct mistakes *m);

/* Value with column[i] standing for names[i]. */
struct value expr_eval (const struct expr *e,
                        const struct value *column,
                        const struct mistakes *m);

/* True when e uses the name in this place. */
int expr_uses (const struct expr *e, int place);

/* -- the tree between expr.c (text -> tree) and expr_eval.c -- */

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
/* Whether a function can take that many arguments; NULL, or the problem. */
const char *expr_function_arity (int function, size_t count);
/* True for has(): its argument is a name, not evaluated. */
int expr_function_wants_name (int function);
