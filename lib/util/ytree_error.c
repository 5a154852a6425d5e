/* SPDX-License-Identifier: MIT
 *
 * ytree_error.c - where and why a text is no tree -> one line
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/util/ytree_build.h"

int ytree_place_errf (struct builder *b,
                      const yaml_mark_t *mark,
                      const char *fmt,
                      ...)
{
    char text[400];
    va_list ap;

    va_start (ap, fmt);
    (void)vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    errno = EINVAL;
    return errf (b->err, "%s:%zu:%zu: %s", b->t->name, mark->line + 1,
                 mark->column + 1, text);
}

int ytree_errf (const struct ytree *t,
                const struct ynode *n,
                struct errtext *err,
                const char *fmt,
                ...)
{
    char text[400];
    va_list ap;

    va_start (ap, fmt);
    (void)vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    return errf (err, "%s:%d:%d: %s", t->name, n ? n->line : 1,
                 n ? n->column : 1, text);
}

/* Where in the line of the mark an unquoted ${ stands; 0 nowhere. The index
 * of a mark counts characters, so look by line. */
static int dollar_brace (const struct builder *b, const yaml_mark_t *mark)
{
    const char *p = b->text, *end = p + b->length, *stop;
    char quote = '\0';

    for (size_t line = 0; line < mark->line && p; line++)
        if ((p = memchr (p, '\n', (size_t)(end - p))))
            p++;
    if (!p || !(stop = memchr (p, '\n', (size_t)(end - p))))
        stop = end;
    for (const char *s = p; p && s + 1 < stop; s++) {
        if (quote)
            quote = *s == quote ? '\0' : quote;
        else if (*s == '"' || *s == '\'')
            quote = *s;
        else if (*s == '$' && s[1] == '{')
            return (int)(s - p) + 1;
    }
    return 0;
}

/* libyaml's own words, with a better sentence for the usual mistake. */
int ytree_parser_errf (struct builder *b)
{
    yaml_parser_t *p = &b->parser;
    int column;

    if (p->error == YAML_MEMORY_ERROR) {
        errno = ENOMEM;
        return errf (b->err, "%s: not enough memory", b->t->name);
    }
    if (p->error == YAML_READER_ERROR) {
        errno = EINVAL;
        return errf (b->err, "%s: byte %zu: %s", b->t->name, p->problem_offset,
                     p->problem ? p->problem : "not text in UTF-8");
    }
    if ((column = dollar_brace (b, &p->problem_mark)) > 0) {
        yaml_mark_t mark = p->problem_mark;

        mark.column = (size_t)column - 1;
        return ytree_place_errf (b, &mark,
                                 "${…} inside {…} or […] must be quoted: write "
                                 "\"${name}\"");
    }
    return ytree_place_errf (
        b, &p->problem_mark, "%s%s%s", p->problem ? p->problem : "not YAML",
        p->context ? " " : "", p->context ? p->context : "");
}
