/* SPDX-License-Identifier: MIT
 *
 * keys.h - keys by which events can be grouped
 */
#pragma once

#include "lib/base/text.h"

#include <stdint.h>

enum group_key {
#define KEY(WORD, TITLE, ORDER, OF, HELP) GROUP_##WORD,
#include "lib/model/groupkeys.def"
#undef KEY
    GROUP_KEYS,
    GROUP_argument = GROUP_KEYS, /* "arg.NAME": an argument of the event */
    GROUP_column /* a row of eventcolumns.def, or a bin of numbers */
};

/* Rows of groupkeys.def and eventcolumns.def. */
enum where_column {
#define KEY(WORD, TITLE, ORDER, OF, HELP) \
    WHERE_BY_##WORD, /* enum group_key    \
                      */
#include "lib/model/groupkeys.def"
#undef KEY
#define COLUMN(WORD, TYPE, OF, HELP) WHERE_##WORD,
#include "lib/model/eventcolumns.def"
#undef COLUMN
    WHERE_COLUMNS,
    WHERE_argument = WHERE_COLUMNS
};

enum query_bin {
    QUERY_BIN_NONE = 0, /* each value */
    QUERY_BIN_LOG2,     /* from a power of two; 0: up to 0 */
    QUERY_BIN_WIDTH     /* from a multiple of a width */
};

struct group_key_info {
    const char *word, *title, *help;
    int number; /* rows by its value */
};

extern const struct group_key_info group_key_table[GROUP_KEYS];

enum { QUERY_KEYS_MAX = 16, KEYS_WORD_MAX = 64, GROUP_INTERVALS_MAX = 100000 };

#define QUERY_NO_NUMBER (-1)
#define QUERY_NO_VALUE  INT64_MIN /* the same, of GROUP_column */

struct query_key {
    enum group_key what;
    char argument[KEYS_WORD_MAX]; /* of GROUP_argument: "arg.NAME"; of
                                     GROUP_column its word: "log2(size)" */
    enum where_column column;     /* of GROUP_column */
    enum query_bin bin;
    uint64_t width;
    char name[KEYS_WORD_MAX]; /* of bins of an argument: its name */
};

/* Its word and title; valid as long as the key. */
const char *query_key_word (const struct query_key *key);
const char *query_key_title (const struct query_key *key);

/* Name of the argument of a GROUP_argument key. */
const char *query_key_argument (const struct query_key *key);

/* Is the value of a key a number? */
int query_key_is_number (const struct query_key *key);

/* Order of two values of a key that is a number: -1, 0, 1. "-" comes last,
 * "more" before it. */
int query_number_order (const char *a, const char *b);

/* The text of a number ("-" for QUERY_NO_NUMBER), of an interval its start in
 * seconds. buf has room for 32 bytes; returns it. */
const char *query_number_text (enum group_key key,
                               int64_t number,
                               uint64_t interval,
                               char *buf);

/* The bin of a size: its upper limit in bytes. */
int64_t query_size_bin (uint64_t bytes);
