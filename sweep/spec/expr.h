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
#ifndef DFT_SWEEP_EXPR_H
#define DFT_SWEEP_EXPR_H

#include "sweep/spec/value.h"

struct expr;

/* Parse text. When end is NULL all of it must be one expression; otherwise
 * *end gets the offset of the first byte after it. On error NULL, err, and
 * *fault (may be NULL) is the offset of the offending byte. */
struct expr *expr_parse (struct arena *a,
                         const char *text,
                         size_t *end,
                         size_t *fault,
                         struct errtext *err);

/* Tie every name to its place in names (NULL-terminated). -1 and err when one
 * is not there; the nearest is named. */
int expr_bind (struct expr *e,
               const char *const *names,
               size_t *fault,
               struct errtext *err);

/* Value with column[i] standing for names[i]. */
int expr_eval (const struct expr *e,
               const struct value *column,
               struct arena *a,
               struct value *out,
               struct errtext *err);

/* True when e uses the name in this place. */
int expr_uses (const struct expr *e, int place);

#endif
