/* SPDX-License-Identifier: MIT
 *
 * show.h - "count,sum(bytes),p99(dur)" -> what a query measures and shows
 */
#pragma once

#include "analyze/query/query.h"

/* A number that --show gives of a group of events: show_table has the words. */
enum show_what {
    SHOW_count,
    SHOW_errors,
    SHOW_union,
    SHOW_bandwidth,
    SHOW_ops,
    SHOW_sum,
    SHOW_mean,
    SHOW_min,
    SHOW_max,
    SHOW_WHATS,
    SHOW_quantile = SHOW_WHATS
};

struct show_item {
    enum show_what what;
    int value;                    /* index of the query's values; -1: none */
    double quantile;              /* 0 … 1 */
    char word[2 * KEYS_WORD_MAX]; /* as it stands: "p99(dur)" */
};

enum { SHOW_MAX = 32 };

/* All zero: the usual columns. */
struct show {
    struct show_item item[SHOW_MAX];
    int items;
    int sort;   /* index of items, or of keys below 0: ~index */
    int sorted; /* `sort` was given */
    int descending;
};

struct show_info {
    const char *word, *help;
    int of; /* 1: of a column, 0: of events */
};

extern const struct show_info show_table[SHOW_WHATS];

/* The list of --show: its measures and values go into q. 0, or -1 with err. */
int show_parse (struct show *s,
                struct query *q,
                const char *words,
                struct errtext *err);

/* --sort: one of the items or keys; "-" before it turns its order round. 0, or
 * -1 with err. */
int show_parse_sort (struct show *s,
                     const struct query *q,
                     const char *word,
                     struct errtext *err);

/* The number of an item in a cell, in ns, bytes, …; NaN: none. */
double show_value (const struct show_item *i,
                   const struct query *q,
                   const struct query_cell *c);
