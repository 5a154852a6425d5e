/* SPDX-License-Identifier: MIT
 *
 * kind.c - path of a file on storage -> what it is for
 *
 * In:  paths from the traces, patterns from kinds.def or the command line
 * Out: enum file_kind, to tally.c
 */
#include "config.h"

#include <fnmatch.h>

#include "lib/base/array.h"
#include "lib/model/kind.h"

static const struct {
    const char *word, *patterns, *help;
} kinds[KIND_COUNT] = {
#define KIND(NAME, WORD, PATTERNS, HELP) [KIND_##NAME] = {WORD, PATTERNS, HELP},
#include "lib/model/kinds.def"
#undef KIND
};

static const char code[] =
#define KIND(NAME, WORD, PATTERNS, HELP)
#define KIND_CODE(PATTERNS) PATTERNS
#include "lib/model/kinds.def"
    ;
#undef KIND_CODE
#undef KIND

static int match (const struct kind_rules *rules, int kind, const char *path)
{
    const char *patterns = rules->patterns[kind];

    return pattern_match_path (patterns ? patterns : kinds[kind].patterns,
                               path);
}

enum file_kind kind_of (const struct kind_rules *rules, const char *path)
{
    if (rules->patterns[KIND_DATA] && match (rules, KIND_DATA, path))
        return KIND_DATA;
    if (!rules->patterns[KIND_CHECKPOINT] && !rules->patterns[KIND_PROGRAM] &&
        pattern_match_path (code, path))
        return KIND_PROGRAM;
    for (int kind = 0; kind < KIND_DATA; kind++)
        if (match (rules, kind, path))
            return kind;
    return rules->patterns[KIND_DATA] ? KIND_PROGRAM : KIND_DATA;
}

const char *kind_name (enum file_kind kind)
{
    return kind < KIND_COUNT ? kinds[kind].word : "-";
}

const char *kind_help (enum file_kind kind)
{
    return kind < KIND_COUNT ? kinds[kind].help : "";
}

const char *kind_patterns (enum file_kind kind)
{
    return kind < KIND_COUNT ? kinds[kind].patterns : "";
}

/* ---- category and name of a region -> its role in the metrics ---- */

static const struct {
    enum role role;
    const char *categories, *names;
} rows[] = {
#define ROLE(NAME, CATEGORIES, NAMES, HELP) {ROLE_##NAME, CATEGORIES, NAMES},
#include "lib/model/roles.def"
#undef ROLE
};

static const struct {
    enum role_sample sample;
    const char *categories, *names;
} samples[] = {
#define ROLE(NAME, CATEGORIES, NAMES, HELP)
#define ROLE_SAMPLE(NAME, CATEGORIES, NAMES) \
    {ROLE_SAMPLE_##NAME, CATEGORIES, NAMES},
#include "lib/model/roles.def"
#undef ROLE_SAMPLE
#undef ROLE
};

enum role_sample role_sample_of (const char *category, const char *name)
{
    for (size_t i = 0; i < ITEMS (samples); i++)
        if (pattern_match (samples[i].categories, category) &&
            pattern_match (samples[i].names, name))
            return samples[i].sample;
    return ROLE_SAMPLE_NONE;
}

enum role role_of (const char *category, const char *name)
{
    for (size_t i = 0; i < ITEMS (rows); i++)
        if (pattern_match (rows[i].categories, category) &&
            pattern_match (rows[i].names, name))
            return rows[i].role;
    return ROLE_NONE;
}

const char *role_word (enum role role)
{
    static const char *const words[ROLE_COUNT] = {
        "-",       "loader", "stall",      "checkpoint", "compute",
        "barrier", "epoch",  "collective", "body",       "workers"};

    return words[role];
}

/* ---- a call of MPI-IO -> the row of mpikinds.def ---- */

enum { WHOLE = MPIKIND_TIME | MPIKIND_ASKED | MPIKIND_MOVED };

static int mpikind_in (enum call call, enum call first, enum call last)
{
    return call >= first && call <= last;
}

/* Split: the begin asks, the end has the bytes. */
static enum mpikind mpikind_split (enum call call, unsigned *says)
{
    int begin = mpikind_in (call, CALL_MPI_File_read_all_begin,
                            CALL_MPI_File_write_ordered_begin);
    int reads = mpikind_in (call, CALL_MPI_File_read_all_begin,
                            CALL_MPI_File_read_ordered_begin) ||
                mpikind_in (call, CALL_MPI_File_read_all_end,
                            CALL_MPI_File_read_ordered_end);

    *says = MPIKIND_TIME | (begin ? MPIKIND_ASKED : MPIKIND_MOVED);
    return reads ? MPIKIND_coll_read : MPIKIND_coll_write;
}

enum mpikind mpikind_of_call (enum call call, unsigned *says)
{
    *says = WHOLE;
    switch (call) {
    case CALL_MPI_File_read_all:
    case CALL_MPI_File_read_at_all:
    case CALL_MPI_File_read_ordered:
        return MPIKIND_coll_read;
    case CALL_MPI_File_write_all:
    case CALL_MPI_File_write_at_all:
    case CALL_MPI_File_write_ordered:
        return MPIKIND_coll_write;
    case CALL_MPI_File_read:
    case CALL_MPI_File_read_at:
    case CALL_MPI_File_read_shared:
        return MPIKIND_read;
    case CALL_MPI_File_write:
    case CALL_MPI_File_write_at:
    case CALL_MPI_File_write_shared:
        return MPIKIND_write;
    case CALL_MPI_iread_done: /* from the post on: no time in a call */
        *says = MPIKIND_ASKED | MPIKIND_MOVED;
        return MPIKIND_posted_read;
    case CALL_MPI_iwrite_done:
        *says = MPIKIND_ASKED | MPIKIND_MOVED;
        return MPIKIND_posted_write;
    case CALL_MPI_Wait:
        *says = MPIKIND_TIME | MPIKIND_CALL;
        return MPIKIND_wait;
    default:
        break;
    }
    if (mpikind_in (call, CALL_MPI_File_read_all_begin,
                    CALL_MPI_File_write_ordered_end))
        return mpikind_split (call, says);
    *says = MPIKIND_TIME;
    if (mpikind_in (call, CALL_MPI_File_iread, CALL_MPI_File_iread_shared))
        return MPIKIND_posted_read;
    if (mpikind_in (call, CALL_MPI_File_iwrite, CALL_MPI_File_iwrite_shared))
        return MPIKIND_posted_write;
    *says = MPIKIND_TIME | MPIKIND_CALL;
    if (mpikind_in (call, CALL_MPI_File_open, CALL_MPI_File_seek_shared))
        return MPIKIND_other;
    *says = 0;
    return MPIKIND_NONE;
}

/* ---- "*.idx,*.npy" against a word or a path ---- */

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
        slash = memchr (p, '/', end - p);
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
                      int (*matches) (struct span, struct span))
{
    const struct span all = {text, strlen (text)};

    while (*patterns) {
        size_t n = strcspn (patterns, ",");

        if (n && n <= PATTERN_MAX && matches ((struct span){patterns, n}, all))
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
