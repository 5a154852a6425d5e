/* SPDX-License-Identifier: MIT
 *
 * kind.c - path of a file on storage -> what it is for
 *
 * In:  paths from the traces, patterns from kinds.def or the command line
 * Out: enum file_kind, to tally.c
 */
#include "config.h"

#include "lib/model/kind.h"

#include "lib/model/pattern.h"

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
            return (enum file_kind)kind;
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
