/* SPDX-License-Identifier: MIT
 *
 * groupscan.h - chunks of a thread -> cells, one for each pair of values
 */
#ifndef DFT_ANALYZE_GROUPSCAN_H
#define DFT_ANALYZE_GROUPSCAN_H

#include "analyze/query/groups.h"

struct windows; /* groupframe.h */

/* Of all events with the same values. */
struct group_cell {
    struct group sum;
    struct spanlog now;  /* of the thread at hand */
    struct spanlog *log; /* of threads that are done; owned */
    size_t logs, room;
};

/* What a worker keeps. */
struct groupscan {
    const struct grouping *by;
    const char *label;                  /* of the job */
    uint64_t start;                     /* of the job, ns of CLOCK_REALTIME */
    uint64_t interval;                  /* ns */
    struct strmap *value[GROUP_BY_MAX]; /* their texts */
    struct strmap *cells; /* two ordinals of those -> struct group_cell */
    struct decoder decoder;
    struct evfilter filter;
    struct place *place;          /* by dictionary id, as are */
    int64_t *known[GROUP_BY_MAX]; /* ordinals + 1; 0: not asked yet */
    size_t room;
    int64_t of_call[GROUP_BY_MAX][CALL_MAX]; /* the same of calls */
    int64_t of_thread[GROUP_BY_MAX];         /* the same of the thread */
    struct {
        int64_t number, ordinal; /* the last one asked for */
    } last[GROUP_BY_MAX];
    /* the thread at hand */
    const struct trace_process *who;
    const struct windows *windows;
    int64_t rank;
    uint32_t tid;
};

/* 0, or -1 (ENOMEM). */
int groupscan_init (struct groupscan *s);
void groupscan_thread (struct groupscan *s,
                       const struct trace_process *who,
                       int64_t rank,
                       uint32_t tid,
                       const struct windows *windows);
/* Bytes that make no sense are left out; -1 is ENOMEM only. */
int groupscan_chunk (struct groupscan *s,
                     const struct trace_chunk *c,
                     const unsigned char *payload,
                     size_t bytes);
/* The thread is done: its times go into the logs of the cells. */
int groupscan_done (struct groupscan *s);
void groupscan_clear (struct groupscan *s);

#endif
