/* SPDX-License-Identifier: MIT
 *
 * node.h - shards of one node -> node.HOST.json
 */
#ifndef DFT_EPILOG_NODE_H
#define DFT_EPILOG_NODE_H

#include "lib/core/errtext.h"

/* Look at the shards of host in dir and write node.HOST.json, whole. As the
 * user. -1, errno and err on failure; damaged shards are counted, not a
 * failure. */
int node_write (const char *dir, const char *host, struct errtext *err);

/* 1 when every host that started tasks has its node.HOST.json and there is
 * at least one shard, 0 when not, -1 and err when dir cannot be read. */
int node_all_done (const char *dir, struct errtext *err);

/* 1 when metrics.json is newer than every node.HOST.json. */
int node_is_analyzed (const char *dir);

#endif
