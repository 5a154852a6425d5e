/* SPDX-License-Identifier: MIT
 *
 * expr_lex.h - text -> tokens of an expression, one at a time
 */
#ifndef DFT_SWEEP_EXPR_LEX_H
#define DFT_SWEEP_EXPR_LEX_H

#include "sweep/spec/value.h"

enum token_type {
    TOKEN_END = 0,
    TOKEN_NUMBER,
    TOKEN_TEXT,
    TOKEN_WORD,
    TOKEN_SIGN
};

struct token {
    enum token_type type;
    size_t offset, length;
    struct value value;
    const char *word; /* WORD, SIGN */
};

struct parser {
    struct arena *arena;
    const char *text;
    size_t next; /* after the current token */
    struct token token;
    int depth;
    int failed;
    size_t fault;
    struct errtext *err;
};

/* The first failure is the one that is told; what follows it is not true. */
#define LEX_FAIL(P, OFFSET, ...)                          \
    do {                                                  \
        if (!(P)->failed)                                 \
            (void)errf ((P)->err, __VA_ARGS__);           \
        (P)->fault = (P)->failed ? (P)->fault : (OFFSET); \
        (P)->failed = 1;                                  \
    } while (0)

/* The next token, at p->token; TOKEN_END for ever at the end or after a
 * failure. */
void lex_advance (struct parser *p);

/* Is the current token that word or sign? */
int lex_at (const struct parser *p, const char *word);

/* Fail at the current token: "… should be here". */
void lex_unexpected (struct parser *p, const char *wanted);

/* Go past that word, or fail. */
void lex_expect (struct parser *p, const char *word, const char *wanted);

#endif
