/* SPDX-License-Identifier: MIT
 *
 * node.h - a node's account of a job; nodes whose epilog did not come to its
 * end
 */
#pragma once

#include <sys/types.h>

#include "lib/base/text.h"

/* --- node.c: shards of one node -> node.HOST.json --- */

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

/* --- leftover.c: jobs of which this node still has staged shards ---
 *
 * <state_dir>/<job id>.<host>.left[N]: the marker of such a job, N the number
 * of epilogs that ran out of time over it.
 */

/* Keep the marker of a job for a later epilog, before its own begins, so that
 * one that is killed leaves it to others. 0, or -1 (EEXIST: one of an earlier
 * life of the job waits). */
int leftover_keep (const char *state_dir, uint32_t job_id, const char *host);

enum { LEFTOVER_TRIES = 3 }; /* that ran out of time; then it is given up */

struct leftover {
    uint32_t job_id;
    int tries;
    uid_t owner; /* of leftover_turns */
};

/* Select the jobs for this epilog: one of each owner, at most max, in turn[].
 * Chance decides the order of owners, and whether the oldest or the newest job
 * of an owner is taken, so that nobody gains by having more. Jobs without a
 * line about their owner are skipped; jobs older than a week are forgotten.
 * Return their number. */
size_t leftover_turns (const char *state_dir,
                       const char *host,
                       uint64_t chance,
                       struct leftover *turn,
                       size_t max);

/* Until when the first of `owners` may work: an equal part of the time for
 * each, at least least_ms, never after end_ms. Pure. */
uint64_t leftover_until (uint64_t now_ms,
                         uint64_t end_ms,
                         size_t owners,
                         uint64_t least_ms);

/* Before its turn: as if time will run out, so that an epilog that is killed
 * counts, too; the last such turn removes the marker, whose text the caller
 * has. After a turn that ended by itself: take that back. */
void leftover_count (const char *state_dir,
                     const char *host,
                     struct leftover *l);
void leftover_uncount (const char *state_dir,
                       const char *host,
                       struct leftover *l);

/* The host under which its marker is read and removed. */
void leftover_host (const char *host,
                    const struct leftover *l,
                    char *buf,
                    unsigned long size);
