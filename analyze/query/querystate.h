/* SPDX-License-Identifier: MIT
 *
 * querystate.h - what a query has counted so far (for query*.c)
 */
#pragma once

#include "analyze/query/query.h"
#include "analyze/scan/column.h"
#include "analyze/scan/evfilter.h"
#include "analyze/scan/spanlog.h"

/* When events of a cell were running in one split of a thread. */
struct query_times {
    struct query_times *next;
    struct spanlog log;
};

struct query_group {
    struct query_cell cell;      /* value and running are the answer's; numbers
                                    are owned */
    struct query_times *running; /* owned; the first is of `split` */
    uint64_t split;              /* 0: of none that is open */
};

struct query_state {
    const struct query *query;
    struct column_source source;
    struct column column[QUERY_KEYS_MAX];
    struct evfilter filter;
    struct pairs pairs[QUERY_KEYS_MAX]; /* (cell so far, ordinal) -> cell */
    struct query_group *group;          /* owned */
    uint32_t *ordinal;                  /* [groups * keys]; owned */
    size_t ordinals;                    /* room of it */
    size_t groups, room;
    uint64_t split;
    int interval;             /* which key; -1 none */
    unsigned char leaves_out; /* events that are how: set of enum column_how */
    uint32_t *of_ordinal;     /* of the only key: cell + 1; 0: not met; owned */
    size_t of_ordinals;
    size_t at; /* group + 1 that was unpacked last; 0: none */
    /* the batch at hand */
    uint32_t cell[BATCH_EVENTS];
    unsigned char wanted[BATCH_EVENTS];
    uint16_t pick[BATCH_EVENTS];         /* those that count (query.c) */
    struct query_batch_numbers *numbers; /* [values]; owned */
    /* of the answer; owned */
    const char **value;
};

/* The number of the group of these ordinals, one for each key; -1: EOVERFLOW.
 * Groups move when there are more. */
int64_t query_state_group (struct query_state *s, const uint32_t *ordinal);

/* Add sums and the numbers of so many values. */
void query_group_add (struct query_group *to,
                      const struct query_group *from,
                      int values);
/* Make room for the numbers of a group, unless it has it. */
void query_group_numbers (struct query_group *g, int values);

/* Put everything counted so far in its place, before it is read. */
void query_state_settle (struct query_state *s);

/* More cells than this are refused: EOVERFLOW. */
enum { QUERY_GROUPS_MAX = 1 << 21 };

/* An empty log, before those the group has. */
struct query_times *query_group_times (struct query_group *g);
