/* SPDX-License-Identifier: MIT
 *
 * pattern.h - "*.idx,*.npy" against a word
 */
#ifndef DFT_ANALYZE_PATTERN_H
#define DFT_ANALYZE_PATTERN_H

/* Does one of the shell patterns, separated by commas, match the whole word,
 * case ignored? A '*' matches '/', too. Patterns over 255 bytes never match.
 */
int pattern_match (const char *patterns, const char *word);

/* The same for a path: patterns without a '/' have to match one of its
 * components, directories included. */
int pattern_match_path (const char *patterns, const char *path);

#endif
