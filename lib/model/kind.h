/* SPDX-License-Identifier: MIT
 *
 * kind.h - path of a file on storage -> what it is for
 */
#ifndef DFT_ANALYZE_KIND_H
#define DFT_ANALYZE_KIND_H

enum file_kind {
#define KIND(NAME, WORD, PATTERNS, HELP) KIND_##NAME,
#include "lib/model/kinds.def"
#undef KIND
    KIND_COUNT,
    KIND_NONE = KIND_COUNT /* not on storage */
};

/* Patterns of each kind as in kinds.def; NULL is the default. Patterns for
 * KIND_DATA are looked at first, and then nothing else is data. */
struct kind_rules {
    const char *patterns[KIND_COUNT];
};

enum file_kind kind_of (const struct kind_rules *rules, const char *path);

/* "data", …; "-" for KIND_NONE. */
const char *kind_name (enum file_kind kind);

/* What files of the kind are. */
const char *kind_help (enum file_kind kind);

/* The default patterns, for help texts. */
const char *kind_patterns (enum file_kind kind);

#endif
