/* SPDX-License-Identifier: MIT
 *
 * expr_lex.c - text -> tokens
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/spec/expr_lex.h"

static int64_t suffix_factor (const char *s, size_t *length)
{
    static const char letters[] = "kMGT";
    const char *letter = *s == 'K' ? letters : strchr (letters, *s);
    int64_t factor = 1, base;

    *length = 0;
    if (!*s || !letter)
        return 1;
    *length = s[1] == 'i' ? 2 : 1;
    if (isalnum ((unsigned char)s[*length]) || s[*length] == '_')
        return 0; /* 4kB: not one of ours */
    base = *length == 2 ? 1024 : 1000;
    for (const char *l = letters; l <= letter; l++)
        factor *= base;
    return factor;
}

static void lex_number (struct parser *p, const char *s)
{
    size_t n = strspn (s, "0123456789"), length;
    int whole = s[n] != '.' && s[n] != 'e' && s[n] != 'E';
    struct value *v = &p->token.value;
    int64_t factor;
    char *end;

    p->token.type = TOKEN_NUMBER;
    errno = 0;
    if (whole) {
        *v = value_int (strtoll (s, &end, 10));
    } else {
        *v = value_decimal (strtod (s, &end));
        if (!isfinite (v->decimal))
            errno = ERANGE;
    }
    if (errno == ERANGE) {
        LEX_FAIL (p, p->token.offset, "%.*s: too large a number",
                  (int)(end - s), s);
        return;
    }
    n = (size_t)(end - s);
    factor = suffix_factor (end, &length);
    if (!factor || (!length && (isalnum ((unsigned char)*end) || *end == '_')))
        LEX_FAIL (
            p, p->token.offset,
            "%.*s: not a number: suffixes are k M G T and Ki Mi Gi Ti",
            (int)(n + strspn (end, "abcdefghijklmnopqrstuvwxyz_"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")),
            s);
    else if (!whole)
        v->decimal *= (double)factor;
    else if (__builtin_mul_overflow (v->integer, factor, &v->integer))
        LEX_FAIL (p, p->token.offset, "%.*s: too large a number",
                  (int)(n + length), s);
    p->token.length = n + length;
}

static void lex_text (struct parser *p, const char *s)
{
    const char *end = strchr (s + 1, *s);

    p->token.type = TOKEN_TEXT;
    if (!end) {
        LEX_FAIL (p, p->token.offset, "text without its closing %c", *s);
        return;
    }
    p->token.length = (size_t)(end - s) + 1;
    p->token.value =
        value_str (arena_copy (p->arena, s + 1, p->token.length - 2));
}

static void lex_sign (struct parser *p, const char *s)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "//", NULL};
    size_t length = 1;

    for (size_t i = 0; signs[i]; i++)
        if (!strncmp (s, signs[i], 2))
            length = 2;
    p->token.type = TOKEN_SIGN;
    p->token.length = length;
    p->token.word = arena_copy (p->arena, s, length);
}

void lex_advance (struct parser *p)
{
    const char *s;

    p->next += strspn (p->text + p->next, " \t\r\n");
    s = p->text + p->next;
    p->token = (struct token){.offset = p->next, .word = ""};
    if (!*s)
        return;
    if (isdigit ((unsigned char)*s) ||
        (*s == '.' && isdigit ((unsigned char)s[1]))) {
        lex_number (p, s);
    } else if (*s == '\'' || *s == '"') {
        lex_text (p, s);
    } else if (isalpha ((unsigned char)*s) || *s == '_') {
        size_t n = 1;

        while (isalnum ((unsigned char)s[n]) || s[n] == '_')
            n++;
        p->token.type = TOKEN_WORD;
        p->token.length = n;
        p->token.word = arena_copy (p->arena, s, n);
    } else {
        lex_sign (p, s);
    }
    p->next += p->token.length;
}

int lex_at (const struct parser *p, const char *word)
{
    return (p->token.type == TOKEN_SIGN || p->token.type == TOKEN_WORD) &&
           !strcmp (p->token.word, word);
}

void lex_unexpected (struct parser *p, const char *wanted)
{
    if (p->token.type == TOKEN_END)
        LEX_FAIL (p, p->token.offset, "the expression ends where %s should be",
                  wanted);
    else if (lex_at (p, "=") || lex_at (p, "&") || lex_at (p, "|") ||
             lex_at (p, "!"))
        LEX_FAIL (p, p->token.offset,
                  "\"%s\" is no operator here: use ==, !=, and, or, not",
                  p->token.word);
    else
        LEX_FAIL (p, p->token.offset, "\"%.*s\" where %s should be",
                  (int)p->token.length, p->text + p->token.offset, wanted);
}

void lex_expect (struct parser *p, const char *word, const char *wanted)
{
    if (!p->failed && !lex_at (p, word))
        lex_unexpected (p, wanted);
    if (!p->failed)
        lex_advance (p);
}
