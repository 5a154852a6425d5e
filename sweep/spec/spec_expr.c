/* SPDX-License-Identifier: MIT
 *
 * spec_expr.c - scalars of a sweep file -> expressions and templates, bound
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "sweep/spec/spec_read.h"

int reader_is_null (const struct ynode *n)
{
    return n->type == YNODE_SCALAR && !n->quoted &&
           (!*n->text || !strcmp (n->text, "null") || !strcmp (n->text, "~"));
}

int reader_expr (struct reader *r,
                 const struct ynode *n,
                 size_t known,
                 struct named_expr *out)
{
    struct errtext err;
    const char **names;
    size_t fault = 0;

    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "an expression should be here");
    out->node = n;
    out->text = n->text;
    out->column = -1;
    out->expr = expr_parse (r->spec->arena, n->text, NULL, &fault, &err);
    if (!out->expr)
        return reader_fail (r, n, fault, "%s", err.text);
    names = arena_array (r->spec->arena, known + 1, sizeof (*names));
    memcpy (names, r->column, known * sizeof (*names));
    if (expr_bind (out->expr, names, &fault, &err) < 0)
        return reader_fail (r, n, fault, "%s", err.text);
    return 0;
}

int reader_derive (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "derive");
    struct spec *s = r->spec;

    if (!n)
        return 0;
    s->derives = n->count;
    s->derive =
        arena_array (s->arena, n->count ? n->count : 1, sizeof (*s->derive));
    for (size_t i = 0; i < n->count; i++) {
        if (reader_expr (r, n->item[i], s->first_derived + i, &s->derive[i]) <
            0)
            return -1;
        s->derive[i].column = (int)(s->first_derived + i);
    }
    return 0;
}

int reader_conditions (struct reader *r,
                       const char *key,
                       struct named_expr **out,
                       size_t *count)
{
    const struct ynode *n = ynode_get (r->root, key);
    struct spec *s = r->spec;

    if (!n || reader_is_null (n))
        return 0;
    *count = n->type == YNODE_LIST ? n->count : 1;
    *out = arena_array (s->arena, *count ? *count : 1, sizeof (**out));
    for (size_t i = 0; i < *count; i++) {
        struct named_expr *c = &(*out)[i];

        if (reader_expr (r, n->type == YNODE_LIST ? n->item[i] : n, r->columns,
                         c) < 0)
            return -1;
        c->early = 1;
        for (size_t d = s->first_derived; d < r->columns; d++)
            if (expr_uses (c->expr, (int)d))
                c->early = 0;
    }
    return 0;
}

int reader_template (struct reader *r,
                     const struct ynode *n,
                     struct template **out)
{
    struct errtext err;
    size_t fault = 0;

    if (n->type == YNODE_MAP)
        return reader_fail (r, n, 0,
                            "a single value should be here: inside of { } "
                            "and [ ] a template is quoted, as in "
                            "\"${name}\"");
    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "a single value should be here");
    *out = template_parse (r->spec->arena, n->text, n->quoted, &fault, &err);
    if (!*out)
        return reader_fail (r, n, fault, "%s", err.text);
    if (template_bind (*out, r->spec->column, &fault, &err) < 0)
        return reader_fail (r, n, fault, "%s", err.text);
    return 0;
}

int reader_templates (struct reader *r,
                      const char *key,
                      int (*check) (struct reader *, const struct ynode *),
                      struct named_template **out,
                      size_t *count)
{
    const struct ynode *n = ynode_get (r->root, key);
    struct arena *a = r->spec->arena;

    if (!n)
        return 0;
    *count = n->count;
    *out = arena_array (a, n->count ? n->count : 1, sizeof (**out));
    for (size_t i = 0; i < n->count; i++) {
        struct named_template *t = &(*out)[i];

        t->name = arena_text (a, n->key[i]->text);
        t->node = n->item[i];
        if (check (r, n->key[i]) < 0 ||
            reader_template (r, n->item[i], &t->template) < 0)
            return -1;
    }
    return 0;
}
