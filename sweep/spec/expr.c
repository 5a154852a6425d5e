/* SPDX-License-Identifier: MIT
 *
 * expr.c - text -> tokens -> expression tree: a Pratt parser
 */
#include "config.h"

#include <ctype.h>

#include "lib/util/optparse.h"
#include "sweep/spec/expr.h"
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
    const char *text;
    size_t next; /* after the current token */
    struct token token;
    int depth;
    const struct mistakes *mistakes;
};

enum {
    EXPR_DEPTH = 64,    /* nested parentheses, calls, prefix operators */
    EXPR_BYTES = 16384, /* one expression; bounds the recursion of eval */
};

/* ---- text -> tokens ---- */

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
    if (errno == ERANGE)
        mistake (p->mistakes, p->token.offset, "%.*s: too large a number",
                 (int)(end - s), s);
    n = end - s;
    factor = suffix_factor (end, &length);
    if (!factor || (!length && (isalnum ((unsigned char)*end) || *end == '_')))
        mistake (
            p->mistakes, p->token.offset,
            "%.*s: not a number: suffixes are k M G T and Ki Mi Gi Ti",
            (int)(n + strspn (end, "abcdefghijklmnopqrstuvwxyz_"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")),
            s);
    else if (!whole)
        v->decimal *= factor;
    else if (__builtin_mul_overflow (v->integer, factor, &v->integer))
        mistake (p->mistakes, p->token.offset, "%.*s: too large a number",
                 (int)(n + length), s);
    p->token.length = n + length;
}

static void lex_text (struct parser *p, const char *s)
{
    const char *end = strchr (s + 1, *s);

    p->token.type = TOKEN_TEXT;
    if (!end)
        mistake (p->mistakes, p->token.offset, "text without its closing %c",
                 *s);
    p->token.length = (size_t)(end - s) + 1;
    p->token.value = value_str (arena_copy (s + 1, p->token.length - 2));
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
    p->token.word = arena_copy (s, length);
}

/* The next token, at p->token; TOKEN_END for ever at the end. */
static void lex_advance (struct parser *p)
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
        p->token.word = arena_copy (s, n);
    } else {
        lex_sign (p, s);
    }
    p->next += p->token.length;
}

/* Is the current token that word or sign? */
static int lex_at (const struct parser *p, const char *word)
{
    return (p->token.type == TOKEN_SIGN || p->token.type == TOKEN_WORD) &&
           !strcmp (p->token.word, word);
}

/* Fail at the current token: "… should be here". */
static _Noreturn void lex_unexpected (struct parser *p, const char *wanted)
{
    if (p->token.type == TOKEN_END)
        mistake (p->mistakes, p->token.offset,
                 "the expression ends where %s should be", wanted);
    if (lex_at (p, "=") || lex_at (p, "&") || lex_at (p, "|") ||
        lex_at (p, "!"))
        mistake (p->mistakes, p->token.offset,
                 "\"%s\" is no operator here: use ==, !=, and, or, not",
                 p->token.word);
    mistake (p->mistakes, p->token.offset, "\"%.*s\" where %s should be",
             (int)p->token.length, p->text + p->token.offset, wanted);
}

/* Go past that word, or fail. */
static void lex_expect (struct parser *p, const char *word, const char *wanted)
{
    if (!lex_at (p, word))
        lex_unexpected (p, wanted);
    lex_advance (p);
}

/* -- parser ------------------------------------------------------------ */

static struct expr *expr_own_parse (struct parser *p, int power);

static struct expr *node (struct parser *p, enum expr_op op, size_t offset)
{
    struct expr *e = arena_alloc (sizeof (*e));

    e->op = op;
    e->offset = offset;
    e->place = -1;
    return e;
}

static void expr_adopt (struct parser *p, struct expr *e, struct expr *child)
{
    e->arg = arena_grow (e->arg, e->count, sizeof (*e->arg));
    e->arg[e->count++] = child;
}

static void parse_list (struct parser *p, struct expr *e, const char *close)
{
    while (!lex_at (p, close)) {
        expr_adopt (p, e, expr_own_parse (p, 0));
        if (lex_at (p, close))
            break;
        lex_expect (p, ",", arena_format ("\",\" or \"%s\"", close));
    }
    lex_expect (p, close, close);
}

static struct expr *parse_call (struct parser *p, struct token name)
{
    struct expr *e = node (p, EXPR_CALL, name.offset);
    const char *problem;

    e->name = name.word;
    e->place = expr_function (name.word);
    lex_advance (p);
    parse_list (p, e, ")");
    if (e->place < 0)
        mistake (p->mistakes, name.offset,
                 "%s: no such function: there are min max abs floor ceil round "
                 "log2 pow int str len has",
                 name.word);
    if ((problem = expr_function_arity (e->place, e->count)))
        mistake (p->mistakes, name.offset, "%s", problem);
    if (expr_function_wants_name (e->place) && e->arg[0]->op != EXPR_NAME)
        mistake (p->mistakes, e->arg[0]->offset, "%s() takes a name",
                 name.word);
    return e;
}

static struct expr *parse_word (struct parser *p, struct token word)
{
    struct expr *e = node (p, EXPR_VALUE, word.offset);

    if (!strcmp (word.word, "true") || !strcmp (word.word, "false")) {
        e->value = value_bool (word.word[0] == 't');
    } else if (!strcmp (word.word, "null")) {
        e->value = value_null ();
    } else if (lex_at (p, "(")) {
        e = parse_call (p, word);
    } else {
        e->op = EXPR_NAME;
        e->name = word.word;
    }
    return e;
}

static struct expr *parse_prefix (struct parser *p, struct token first)
{
    struct expr *e = node (p, EXPR_VALUE, first.offset);

    if (first.type == TOKEN_NUMBER || first.type == TOKEN_TEXT) {
        e->value = first.value;
    } else if (!strcmp (first.word, "(")) {
        e = expr_own_parse (p, 0);
        lex_expect (p, ")", "\")\"");
    } else if (!strcmp (first.word, "[")) {
        e->op = EXPR_LIST;
        parse_list (p, e, "]");
    } else if (!strcmp (first.word, "-")) {
        e->op = EXPR_NEGATE;
        expr_adopt (p, e, expr_own_parse (p, 80));
    } else if (!strcmp (first.word, "not")) {
        e->op = EXPR_NOT;
        expr_adopt (p, e, expr_own_parse (p, 40));
    } else {
        e = parse_word (p, first);
    }
    return e;
}

static int starts_expression (const struct parser *p)
{
    static const char *const infix[] = {"and", "or", "in", NULL};

    if (p->token.type == TOKEN_END)
        return 0;
    if (p->token.type == TOKEN_SIGN)
        return lex_at (p, "(") || lex_at (p, "[") || lex_at (p, "-");
    for (size_t i = 0; infix[i]; i++)
        if (lex_at (p, infix[i]))
            return 0;
    return 1;
}

static const struct infix {
    const char *word;
    int power; /* how tightly it binds */
    enum expr_op op;
} infix_table[] = {
    {"?", 10, EXPR_CHOOSE}, {"or", 20, EXPR_OR},   {"and", 30, EXPR_AND},
    {"==", 50, EXPR_EQ},    {"!=", 50, EXPR_NE},   {"<", 50, EXPR_LT},
    {"<=", 50, EXPR_LE},    {">", 50, EXPR_GT},    {">=", 50, EXPR_GE},
    {"in", 50, EXPR_IN},    {"+", 60, EXPR_ADD},   {"-", 60, EXPR_SUB},
    {"*", 70, EXPR_MUL},    {"/", 70, EXPR_DIV},   {"//", 70, EXPR_FLOORDIV},
    {"%", 70, EXPR_MOD},    {NULL, 0, EXPR_VALUE},
};

enum { POWER_CHOOSE = 10, POWER_COMPARE = 50 };

static const struct infix *infix_here (const struct parser *p)
{
    for (const struct infix *i = infix_table; i->word; i++)
        if (lex_at (p, i->word))
            return i;
    return NULL;
}

static struct expr *
parse_infix (struct parser *p, struct expr *left, const struct infix *in)
{
    struct expr *e = node (p, in->op, p->token.offset);

    lex_advance (p);
    expr_adopt (p, e, left);
    if (in->op == EXPR_CHOOSE) {
        expr_adopt (p, e, expr_own_parse (p, 0));
        lex_expect (p, ":", "\":\"");
        expr_adopt (p, e, expr_own_parse (p, 0));
        return e;
    }
    expr_adopt (p, e, expr_own_parse (p, in->power + 1));
    return e;
}

/* Parse the operators that bind tighter than power - 1, from the current token
 * on. */
static struct expr *expr_own_parse (struct parser *p, int power)
{
    struct token first = p->token;
    const struct infix *in;
    struct expr *left;
    int compared = 0;

    if (!starts_expression (p))
        lex_unexpected (p, "a value");
    if (++p->depth > EXPR_DEPTH)
        mistake (p->mistakes, first.offset, "nested more than %d deep",
                 EXPR_DEPTH);
    lex_advance (p);
    left = parse_prefix (p, first);
    while ((in = infix_here (p)) && in->power >= power) {
        if (in->power == POWER_COMPARE && compared++)
            mistake (p->mistakes, p->token.offset,
                     "comparisons do not chain: write a < b and b < c");
        left = parse_infix (p, left, in);
        if (in->power < POWER_COMPARE)
            compared = 0;
    }
    p->depth--;
    return left;
}

struct expr *
expr_parse (const char *text, size_t *end, const struct mistakes *m)
{
    struct parser p = {.text = text, .mistakes = m};
    struct expr *e;

    if (strlen (text) > EXPR_BYTES)
        mistake (m, 0, "longer than %d bytes", EXPR_BYTES);
    lex_advance (&p);
    e = expr_own_parse (&p, 0);
    if (end)
        *end = p.token.offset;
    else if (p.token.type != TOKEN_END)
        lex_unexpected (&p, "an operator or the end");
    return e;
}

void expr_bind (struct expr *e,
                const char *const *names,
                const struct mistakes *m)
{
    const char *near;

    for (size_t i = 0; i < e->count; i++)
        expr_bind (e->arg[i], names, m);
    if (e->op != EXPR_NAME)
        return;
    for (int i = 0; names[i]; i++)
        if (!strcmp (names[i], e->name)) {
            e->place = i;
            return;
        }
    near = nearest_word (e->name, names);
    if (near)
        mistake (m, e->offset, "unknown name \"%s\" (did you mean \"%s\"?)",
                 e->name, near);
    mistake (m, e->offset,
             "unknown name \"%s\": it is no axis, companion, const or derived "
             "name; text is written '%s'",
             e->name, e->name);
}

int expr_uses (const struct expr *e, int place)
{
    if (e->op == EXPR_NAME && e->place == place)
        return 1;
    for (size_t i = 0; i < e->count; i++)
        if (expr_uses (e->arg[i], place))
            return 1;
    return 0;
}
