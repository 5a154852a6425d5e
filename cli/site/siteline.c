/* SPDX-License-Identifier: MIT
 *
 * siteline.c - a line that an epilog kept (spank/epilog/keep.h) -> a job
 */
#include "config.h"

#include "cli/site/site.h"

enum { KEY_MAX = 64, VALUE_MAX = 512 };

/* A string at *at, with its quotes; -1 when it is none, too long, or has an
 * escape that keep.c does not write. */
static int siteline_string (const char **at, char *out, size_t size)
{
    const char *p = *at;
    size_t n = 0;

    if (*p++ != '"')
        return -1;
    while (*p != '"') {
        if (*p == '\\') {
            p++;
            if (*p != '"' && *p != '\\' && *p != '/')
                return -1;
        }
        if ((unsigned char)*p < ' ' || n + 1 >= size)
            return -1;
        out[n++] = *p++;
    }
    out[n] = '\0';
    *at = p + 1;
    return 0;
}

static int siteline_value (const char **at, char *out, size_t size)
{
    size_t n;

    if (**at == '"')
        return siteline_string (at, out, size);
    n = strspn (*at, "+-.0123456789eE");
    if (!n || n >= size)
        return -1;
    memcpy (out, *at, n);
    out[n] = '\0';
    *at += n;
    return 0;
}

int siteline_read (const char *line, struct job_summary *s)
{
    char pair[KEY_MAX + VALUE_MAX + 1];
    const char *at = line;

    job_summary_begin (s);
    if (*at++ != '{')
        return -1;
    do {
        size_t n;

        at += strspn (at, " ");
        if (siteline_string (&at, pair, KEY_MAX) < 0)
            return -1;
        at += strspn (at, " ");
        if (*at++ != ':')
            return -1;
        at += strspn (at, " ");
        n = strlen (pair);
        pair[n++] = '=';
        if (siteline_value (&at, pair + n, VALUE_MAX) < 0)
            return -1;
        job_summary_take (s, pair, 0);
        at += strspn (at, " ");
    } while (*at++ == ',');
    return at[-1] == '}' && (*at == '\n' || *at == '\0') &&
                   !isnan (s->number[SUMMARY_job]) &&
                   !isnan (s->number[SUMMARY_ended])
               ? 0
               : -1;
}
