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

/* text + at is after "${"; *next is after "}". */
static int parse_hole (struct template *t,
                       const char *text,
                       size_t *next,
                       size_t *fault,
                       struct errtext *err)
{
    struct part *part = part_add (t);
    size_t at = *next + 2, end, colon, length;

    part->offset = at;
    part->expr = expr_parse (text + at, &end, fault, err);
    *fault += at;
    if (!part->expr)
        return -1;
    end += at;
    colon = end;
    if (text[end] == ':' && text[end + 1] == '%') {
        length = strcspn (text + end + 1, "}");
        part->format = arena_copy (text + end + 1, length);
        end += 1 + length;
    }
    *fault = end;
    if (text[end] != '}')
        return errf (err, "\"%.1s\" where \"}\" should be", text + end);
    *fault = colon + 1;
    if (part->format && !format_is_good (part->format))
        return errf (err, "%s: not a format: like %%05d, %%.2f, %%s",
                     part->format);
    *next = end + 1;
    return 0;
}

static int parse_parts (struct template *t,
                        const char *text,
                        size_t *fault,
                        struct errtext *err)
{
    size_t at = 0, n;

    while (text[at]) {
        n = strcspn (text + at, "$");
        if (n)
            part_add (t)->literal = arena_copy (text + at, n);
        at += n;
        if (!text[at])
            break;
        if (text[at + 1] == '$') {
            part_add (t)->literal = "$";
            at += 2;
        } else if (text[at + 1] == '{') {
            if (parse_hole (t, text, &at, fault, err) < 0)
                return -1;
        } else {
            *fault = at;
            return errf (err, "a lone $: write ${expression}, or $$ for a "
                              "dollar (no shell reads this text)");
        }
    }
    return 0;
}

struct template *template_parse (const char *text,
                                 int quoted,
                                 size_t *fault,
                                 struct errtext *err)
{
    struct template *t = arena_alloc (sizeof (*t));
    size_t ignored;

    fault = fault ? fault : &ignored;
    *fault = 0;
    if (!strchr (text, '$'))
        t->constant = value_of_scalar (text, quoted);
    else if (parse_parts (t, text, fault, err) < 0)
        return NULL;
    return t;
}

int template_bind (struct template *t,
                   const char *const *names,
                   size_t *fault,
                   struct errtext *err)
{
    for (size_t i = 0; i < t->count; i++) {
        struct part *p = &t->part[i];

        if (p->expr && expr_bind (p->expr, names, fault, err) < 0) {
            if (fault)
                *fault += p->offset;
            return -1;
        }
    }
    return 0;
}

int template_uses (const struct template *t, int place)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->part[i].expr && expr_uses (t->part[i].expr, place))
            return 1;
    return 0;
}

static int format_number (const struct part *p,
                          const struct value *v,
                          const char **out,
                          struct errtext *err)
{
    char text[FORMATTED_MAX], with[FORMAT_MAX + 4];
    size_t n = strlen (p->format) - 1;
    char conversion = p->format[n];

    if (!value_is_number (v))
        return errf (err, "%s is %s: %s wants a number", value_show (v),
                     value_type_words (v->type), p->format);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (strchr ("dxXo", conversion)) {
        if (v->type != VALUE_INT)
            return errf (err, "%s is not whole: %s wants an integer",
                         value_show (v), p->format);
        FORMAT (with, "%.*sll%c", (int)n, p->format, conversion);
        FORMAT (text, with, (long long)v->integer);
    } else {
        FORMAT (text, p->format, value_as_double (v));
    }
#pragma GCC diagnostic pop
    *out = arena_text (text);
    return 0;
}

static int part_text (const struct part *p,
                      const struct value *column,
                      const char **out,
                      struct errtext *err)
{
    struct value v;

    *out = p->literal;
    if (p->literal)
        return 0;
    if (expr_eval (p->expr, column, &v, err) < 0)
        return -1;
    if (v.type == VALUE_NULL)
        return errf (err, "null inside of text: it can only stand alone");
    if (p->format && p->format[strlen (p->format) - 1] != 's')
        return format_number (p, &v, out, err);
    *out = value_text (&v);
    if (p->format) { /* %-10s: width only */
        char text[FORMATTED_MAX];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        FORMAT (text, p->format, *out);
#pragma GCC diagnostic pop
        *out = arena_text (text);
    }
    return 0;
}

int template_eval (const struct template *t,
                   const struct value *column,
                   struct value *out,
                   struct errtext *err)
{
    const char *text = "", *piece;

    *out = t->constant;
    if (t->constant.type != VALUE_NONE)
        return 0;
    if (t->count == 1 && t->part[0].expr && !t->part[0].format)
        return expr_eval (t->part[0].expr, column, out, err);
    for (size_t i = 0; i < t->count; i++) {
        if (part_text (&t->part[i], column, &piece, err) < 0)
            return -1;
        if (strlen (text) + strlen (piece) > VALUE_TEXT_MAX)
            return errf (err, "a text of more than %d bytes", VALUE_TEXT_MAX);
        text = arena_format ("%s%s", text, piece);
    }
    *out = value_str (text);
    return 0;
}
