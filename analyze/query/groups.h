/* SPDX-License-Identifier: MIT
 *
 * groups.h - events of a job -> sums by one or two keys of groupkeys.def
 */
#ifndef DFT_ANALYZE_GROUPS_H
#define DFT_ANALYZE_GROUPS_H

#include "analyze/render/views.h"
#include "analyze/query/where.h"

enum group_key {
#define KEY(WORD, TITLE, ORDER, HELP) GROUP_##WORD,
#include "lib/model/groupkeys.def"
#undef KEY
    GROUP_KEYS
};

struct group_key_info {
    const char *word, *title, *help;
    int number; /* rows by its value */
};

extern const struct group_key_info group_key_table[GROUP_KEYS];

enum { GROUP_BY_MAX = 2, GROUP_INTERVALS_MAX = 100000 };

/* What is asked for. */
struct grouping {
    enum group_key key[GROUP_BY_MAX];
    int keys;
    uint64_t interval;         /* ns; 0: a round number, at most 60 rows */
    const struct where *where; /* NULL: all events */
    const struct kind_rules *rules;
    int threads;
};

/* "interval", "file,rank". 0, or -1 with err. */
int grouping_parse (struct grouping *g, const char *words, struct errtext *err);
int grouping_has (const struct grouping *g, enum group_key key);

struct group {
    const char *value[GROUP_BY_MAX]; /* "-" none; of the groups */
    uint64_t count, errors, bytes;
    uint64_t ns, min, max; /* of durations; sum, shortest, longest */
    uint64_t running;      /* ns, union of their times */
};

struct groups {
    struct group *item; /* owned */
    size_t count;
    uint64_t interval;   /* ns, as used */
    struct strmap *keys; /* owned: the values of each */
};

/* 0, or -1 with err. Reads the traces again. */
int groups_make (struct groups *gs,
                 const struct grouping *g,
                 const struct result *r,
                 struct errtext *err);
void groups_clear (struct groups *gs); /* zeroed is fine */

/* Order of two values of a key that is a number: -1, 0, 1. "-" comes last. */
int group_value_order (const char *a, const char *b);

/* Columns, then a row for each group, at most top (0: all); first by number,
 * else by time. */
void groups_columns (struct textable *t, const struct grouping *g);
void groups_rows (struct textable *t,
                  const struct grouping *g,
                  const struct groups *gs,
                  size_t top);

#endif
