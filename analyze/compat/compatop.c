/* SPDX-License-Identifier: MIT
 *
 * compatop.c - what DFAnalyzer takes an event for
 *
 * In:  category, name and path of an event
 * Out: category and name by which its layers go, to compattally.c
 */
#include "config.h"

#include "analyze/compat/compatop.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/model/pattern.h"

static int ignored_path (const char *path)
{
    static const char *const parts[] = {
#define PATH(TEXT) TEXT,
#define FUNC(TEXT)
#define FUNC_MORE(TEXT)
#include "analyze/compat/ignored.def"
#undef PATH
#undef FUNC
#undef FUNC_MORE
    };

    for (size_t i = 0; i < sizeof (parts) / sizeof (parts[0]); i++)
        if (strstr (path, parts[i]))
            return 1;
    return 0;
}

static int ignored_name (const struct compat_version *v, const char *name)
{
    static const struct {
        int more;
        const char *names;
    } patterns[] = {
#define PATH(TEXT)
#define FUNC(TEXT)      {0, TEXT},
#define FUNC_MORE(TEXT) {1, TEXT},
#include "analyze/compat/ignored.def"
#undef PATH
#undef FUNC
#undef FUNC_MORE
    };
    const int more = (v->rules & COMPAT_MORE) != 0;

    for (size_t i = 0; i < sizeof (patterns) / sizeof (patterns[0]); i++)
        if (patterns[i].more == more && pattern_match (patterns[i].names, name))
            return 1;
    return 0;
}

/* Does its category get what the path says? */
static int has_parts (const struct compat_version *v, const char *category)
{
    return v->rules & COMPAT_PARTS
               ? strstr (category, "posix") || strstr (category, "stdio")
               : strcmp (category, "posix") == 0 ||
                     strcmp (category, "stdio") == 0;
}

/* "POSIX" and a path -> "posix_reader_lustre"; its length. */
static size_t category_of (const struct compat_version *v,
                           const struct compat_item *e,
                           char *out,
                           size_t room)
{
    static const char *const parts[][2] = {{"/checkpoint", "_checkpoint"},
                                           {"/data", "_reader"},
                                           {"/lustre", "_lustre"},
                                           {"/ssd", "_ssd"}};
    size_t n = 0;

    while (n < e->category_length && n < COMPAT_CATEGORY_MAX &&
           e->category[n]) {
        out[n] = (char)tolower ((unsigned char)e->category[n]);
        n++;
    }
    out[n] = '\0';
    if (!e->path || !has_parts (v, out))
        return n;
    for (size_t i = 0; i < sizeof (parts) / sizeof (parts[0]); i++)
        if (strstr (e->path, parts[i][0]))
            n += (size_t)snprintf (out + n, room - n, "%s", parts[i][1]);
    return n;
}

/* At most max bytes of a text, up to a NUL, and a NUL. */
static size_t compatop_put (char *to, const char *text, size_t n, size_t max)
{
    n = strnlen (text, n < max ? n : max);
    memcpy (to, text, n);
    to[n] = '\0';
    return n + 1;
}

size_t compat_op_key (const struct compat_version *v,
                      const struct compat_item *e,
                      char *key)
{
    size_t n = 1 + category_of (v, e, key, COMPAT_CATEGORY_MAX + 64), name = n;

    n += compatop_put (key + n, e->name, e->name_length, COMPAT_NAME_MAX);
    if (ignored_name (v, key + name) || (e->path && ignored_path (e->path)))
        return 0;
    return n + compatop_put (key + n, e->hash ? e->hash : "",
                             e->hash ? e->hash_length : 0, COMPAT_HASH_MAX);
}

struct compat_op_texts compat_op_texts (const char *key)
{
    struct compat_op_texts of = {.category = key};

    of.name = of.category + strlen (of.category) + 1;
    of.hash = of.name + strlen (of.name) + 1;
    return of;
}

int compat_op_moves (const struct compat_version *v,
                     const struct compat_op_texts *of)
{
    const int whole = (v->rules & COMPAT_PARTS) != 0;

    return (strncmp (of->category, "posix", 5) == 0 ||
            strncmp (of->category, "stdio", 5) == 0) &&
           !(whole && of->category[5]) && pattern_match (v->bytes, of->name);
}
