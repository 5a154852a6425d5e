/* SPDX-License-Identifier: MIT
 *
 * template.c - text with ${expr} -> parts -> value
 */
#include "config.h"

#include "sweep/spec/template.h"
#include "lib/base/array.h"

struct part {
    const char *literal; /* or NULL */
    struct expr *expr;
    const char *format; /* "%05d", or NULL */
    size_t offset;      /* of the expression in the text */
};

struct template
{
    struct value constant; /* VALUE_NONE: there are parts */
    struct part *part;
    size_t count;
};

enum { FORMAT_MAX = 16, FORMATTED_MAX = 256 };

/* %[flags][width][.precision]conversion, and nothing that needs more than
 * one argument. */
static int format_is_good (const char *f)
{
    const char *p = f + 1;

    p += strspn (p, "-0+ ");
    if (strspn (p, "0123456789") > 2)
        return 0;
    p += strspn (p, "0123456789");
    if (*p == '.')
        p += 1 + strspn (p + 1, "0123456789");
    return p - f < FORMAT_MAX && *p && strchr ("dxXofgeGs", *p) && !p[1];
}

static struct part *part_add (struct template *t)
{
    t->part = arena_grow (t->part, t->count, sizeof (*t->part));
    memset (&t->part[t->count], 0, sizeof (*t->part));
    return &t->part[t->count++];
}

/* Mistakes of an expression that begins there. */
static struct mistakes mistakes_at (const struct mistakes *m, size_t offset)
{
    return (struct mistakes){m->fail, m->cookie, m->base + offset};
}

/* text + at is "${"; returns what is after "}". */
static size_t parse_hole (struct template *t,
                          const char *text,
                          size_t at,
                          const struct mistakes *m)
{
    struct part *part = part_add (t);
    struct mistakes inside = mistakes_at (m, at + 2);
    size_t end, colon;

    part->offset = at + 2;
    part->expr = expr_parse (text + part->offset, &end, &inside);
    colon = end += part->offset;
    if (text[end] == ':' && text[end + 1] == '%') {
        part->format =
            arena_copy (text + end + 1, strcspn (text + end + 1, "}"));
        end += 1 + strlen (part->format);
    }
    if (text[end] != '}')
        mistake (m, end, "\"%.1s\" where \"}\" should be", text + end);
    if (part->format && !format_is_good (part->format))
        mistake (m, colon + 1, "%s: not a format: like %%05d, %%.2f, %%s",
                 part->format);
    return end + 1;
}

struct template *
template_parse (const char *text, int quoted, const struct mistakes *m)
{
    struct template *t = arena_alloc (sizeof (*t));
    size_t at = 0;

    if (!strchr (text, '$')) {
        t->constant = value_of_scalar (text, quoted);
        return t;
    }
    while (text[at]) {
        size_t n = strcspn (text + at, "$");

        if (n) {
            part_add (t)->literal = arena_copy (text + at, n);
            at += n;
        } else if (text[at + 1] == '$') {
            part_add (t)->literal = "$";
            at += 2;
        } else if (text[at + 1] == '{') {
            at = parse_hole (t, text, at, m);
        } else {
            mistake (m, at,
                     "a lone $: write ${expression}, or $$ for a dollar (no "
                     "shell reads this text)");
        }
    }
    return t;
}

void template_bind (struct template *t,
                    const char *const *names,
                    const struct mistakes *m)
{
    for (size_t i = 0; i < t->count; i++) {
        struct mistakes inside = mistakes_at (m, t->part[i].offset);

        if (t->part[i].expr)
            expr_bind (t->part[i].expr, names, &inside);
    }
}

int template_uses (const struct template *t, int place)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->part[i].expr && expr_uses (t->part[i].expr, place))
            return 1;
    return 0;
}

static const char *format_number (const struct part *p,
                                  const struct value *v,
                                  const struct mistakes *m)
{
    char text[FORMATTED_MAX], with[FORMAT_MAX + 4];
    size_t n = strlen (p->format) - 1;
    char conversion = p->format[n];

    if (!value_is_number (v))
        mistake (m, 0, "%s is %s: %s wants a number", value_show (v),
                 value_type_words (v->type), p->format);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (strchr ("dxXo", conversion)) {
        if (v->type != VALUE_INT)
            mistake (m, 0, "%s is not whole: %s wants an integer",
                     value_show (v), p->format);
        FORMAT (with, "%.*sll%c", (int)n, p->format, conversion);
        FORMAT (text, with, (long long)v->integer);
    } else {
        FORMAT (text, p->format, value_as_double (v));
    }
#pragma GCC diagnostic pop
    return arena_text (text);
}

static const char *part_text (const struct part *p,
                              const struct value *column,
                              const struct mistakes *m)
{
    char text[FORMATTED_MAX];
    struct value v;

    if (p->literal)
        return p->literal;
    v = expr_eval (p->expr, column, m);
    if (v.type == VALUE_NULL)
        mistake (m, 0, "null inside of text: it can only stand alone");
    if (!p->format)
        return value_text (&v);
    if (p->format[strlen (p->format) - 1] != 's')
        return format_number (p, &v, m);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    FORMAT (text, p->format, value_text (&v)); /* %-10s: width only */
#pragma GCC diagnostic pop
    return arena_text (text);
}

struct value template_eval (const struct template *t,
                            const struct value *column,
                            const struct mistakes *m)
{
    const char *text = "";

    if (t->constant.type != VALUE_NONE)
        return t->constant;
    if (t->count == 1 && t->part[0].expr && !t->part[0].format)
        return expr_eval (t->part[0].expr, column, m);
    for (size_t i = 0; i < t->count; i++) {
        const char *more = part_text (&t->part[i], column, m);

        if (strlen (text) + strlen (more) > VALUE_TEXT_MAX)
            mistake (m, 0, "a text of more than %d bytes", VALUE_TEXT_MAX);
        text = arena_format ("%s%s", text, more);
    }
    return value_str (text);
}
