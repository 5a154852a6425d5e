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
#include <stdint.h>
#include <string.h>

enum { PATTERN_MAX = 255 }; /* bytes; longer ones never match */

/* --- one pattern --------------------------------------------------------- */

struct span {
    const char *p;
    size_t n;
};

/* ASCII without brackets and backslashes: matching needs no locale. */
static int pattern_is_simple (struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80 || s.p[i] == '[' || s.p[i] == '\\')
            return 0;
    return 1;
}

static int pattern_is_ascii (struct span s)
{
    unsigned char all = 0;

    for (size_t i = 0; i < s.n; i++)
        all |= (unsigned char)s.p[i];
    return all < 0x80;
}

static unsigned char pattern_lower (char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* As fnmatch (FNM_CASEFOLD) does for simple patterns and ASCII, at a tenth of
 * its cost: back to the last '*' where the rest does not fit. */
static int pattern_fits (struct span pattern, struct span text)
{
    size_t i = 0, k = 0, star = SIZE_MAX, from = 0;

    while (k < text.n)
        if (i < pattern.n && pattern.p[i] == '*') {
            star = i++;
            from = k;
        } else if (i < pattern.n &&
                   (pattern.p[i] == '?' || pattern_lower (pattern.p[i]) ==
                                               pattern_lower (text.p[k]))) {
            i++;
            k++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            k = ++from;
        } else
            return 0;
    while (i < pattern.n && pattern.p[i] == '*')
        i++;
    return i == pattern.n;
}

/* By the locale; text ends with a NUL, or is a component of at most NAME_MAX.
 */
static int pattern_fits_locale (struct span pattern, struct span text)
{
    char word[PATTERN_MAX + 1], component[NAME_MAX + 1];

    memcpy (word, pattern.p, pattern.n);
    word[pattern.n] = '\0';
    if (text.p[text.n] != '\0') {
        memcpy (component, text.p, text.n);
        component[text.n] = '\0';
        text.p = component;
    }
    return fnmatch (word, text.p, FNM_CASEFOLD) == 0;
}

/* Does it stand for itself in a pattern, and for its other case? */
static int pattern_is_literal (char c)
{
    return (unsigned char)c < 0x80 && c != '*' && c != '?' && c != '[' &&
           c != ']' && c != '\\';
}

/* Can the first and the last character match? Most cannot. An ASCII letter may
 * match another one by the locale. */
static int pattern_may_fit (struct span pattern, struct span word)
{
    const char ends[2][2] = {
        {pattern.p[0], word.n ? word.p[0] : '\0'},
        {pattern.p[pattern.n - 1], word.n ? word.p[word.n - 1] : '\0'}};

    for (int i = 0; i < 2; i++)
        if (pattern_is_literal (ends[i][0]) &&
            (unsigned char)ends[i][1] < 0x80 &&
            pattern_lower (ends[i][0]) != pattern_lower (ends[i][1]))
            return 0;
    return 1;
}

static int match_word (struct span pattern, struct span word)
{
    if (!pattern_may_fit (pattern, word))
        return 0;
    return pattern_is_simple (pattern) && pattern_is_ascii (word)
               ? pattern_fits (pattern, word)
               : pattern_fits_locale (pattern, word);
}

static int match_path (struct span pattern, struct span path)
{
    const char *end = path.p + path.n;

    if (memchr (pattern.p, '/', pattern.n))
        return match_word (pattern, path);
    for (const char *p = path.p, *slash; p < end; p = slash + 1) {
        slash = memchr (p, '/', (size_t)(end - p));
        if (!slash)
            slash = end;
        if (slash > p && slash - p <= NAME_MAX &&
            match_word (pattern, (struct span){p, (size_t)(slash - p)}))
            return 1;
    }
    return 0;
}

/* --- lists --------------------------------------------------------------- */

static int match_any (const char *patterns,
                      const char *text,
                      int (*match) (struct span, struct span))
{
    const struct span all = {text, strlen (text)};

    while (*patterns) {
        size_t n = strcspn (patterns, ",");

        if (n && n <= PATTERN_MAX && match ((struct span){patterns, n}, all))
            return 1;
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
