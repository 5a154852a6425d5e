/* SPDX-License-Identifier: MIT
 *
 * pattern.c - "*.idx,*.npy" against a word or a path
 *
 * In:  lists of patterns, from tables and options; words from traces
 * Out: yes or no, to kind.c and role.c
 */
#include "config.h"

#include "lib/model/pattern.h"

#include <fnmatch.h>
#include <limits.h>
#include <string.h>

static int match_word (const char *pattern, const char *word)
{
    return fnmatch (pattern, word, FNM_CASEFOLD) == 0;
}

static int match_path (const char *pattern, const char *path)
{
    char component[NAME_MAX + 1];

    if (strchr (pattern, '/'))
        return match_word (pattern, path);
    while (*path) {
        size_t n = strcspn (path, "/");

        if (n && n < sizeof (component)) {
            memcpy (component, path, n);
            component[n] = '\0';
            if (match_word (pattern, component))
                return 1;
        }
        path += n + (path[n] == '/');
    }
    return 0;
}

static int match_any (const char *patterns,
                      const char *text,
                      int (*match) (const char *, const char *))
{
    char pattern[256];

    while (*patterns) {
        size_t n = strcspn (patterns, ",");

        if (n && n < sizeof (pattern)) {
            memcpy (pattern, patterns, n);
            pattern[n] = '\0';
            if (match (pattern, text))
                return 1;
        }
        patterns += n + (patterns[n] == ',');
    }
    return 0;
}

int pattern_match (const char *patterns, const char *word)
{
    return match_any (patterns, word, match_word);
}

int pattern_match_path (const char *patterns, const char *path)
{
    return match_any (patterns, path, match_path);
}
