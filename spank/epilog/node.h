/* SPDX-License-Identifier: MIT
 *
 * node.h - shards of one node -> node.HOST.json
 */
#ifndef DFT_EPILOG_NODE_H
#define DFT_EPILOG_NODE_H

#include <stdint.h>

#include "lib/base/text.h"

struct node_totals {
    uint64_t shards, unreadable;
    uint64_t bytes, events, missing, lost, lost_names;
    uint64_t processes, unfinished;
    uint64_t stages;       /* that nobody has collected */
    uint64_t processes_ns; /* from start to end, of all; of those that were
                              killed, to the begin of the last chunk */
};

/* Cost of the epilog on this node, without the part of root. */
struct node_cost {
    uint64_t wall_ms, cpu_ms;
};

/* Look at the shards of host in dir. As the user. -1, errno and err on
 * failure; damaged shards are counted, not a failure. */
int node_count (const char *dir,
                const char *host,
                struct node_totals *t,
                struct errtext *err);

/* The age of a node.HOST.json, by which node_is_analyzed goes. */
enum node_age {
    NODE_NEW,       /* of now */
    NODE_AS_BEFORE, /* of the file that it replaces */
    NODE_AS_METRICS /* of metrics.json, which has these shards in it */
};

/* Write node.HOST.json, whole. -1, errno and err on failure. */
int node_write (const char *dir,
                const char *host,
                const struct node_totals *t,
                const struct node_cost *cost, /* NULL: not known yet */
                enum node_age age,
                struct errtext *err);

/* 1 when every host that started tasks, but for the one that asks (or NULL),
 * has its node.HOST.json and there is at least one shard, 2 when there is none
 * but a list of programs that could not be traced, 0 when not, -1 and err when
 * dir cannot be read. */
int node_all_done (const char *dir, const char *asks, struct errtext *err);

/* 1 when only host has started tasks and nobody has a claim (user_side.h). */
int node_is_alone (const char *dir, const char *host);

/* 1 when metrics.json is newer than every node.HOST.json. */
int node_is_analyzed (const char *dir);

#endif
