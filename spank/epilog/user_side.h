/* SPDX-License-Identifier: MIT
 *
 * user_side.h - the part of the epilog that runs as the user
 */
#pragma once

#include "lib/settings/marker.h"
#include "lib/settings/site.h"

/* --- become.c: root in a child process -> the user, for good --- */

struct become {
    uid_t uid;
    gid_t gid;
    const struct marker_groups *groups; /* NULL or none: those that this node
                                           knows of the user */
    const char *host;                   /* becomes SLURMD_NODENAME */
    unsigned long cpu_seconds;          /* limits of each process: */
    uint64_t memory;                    /* bytes, 0 none */
};

/* Give up root: groups, ids, umask 077, clean environment, limits, nice, no
 * way back. -1 and err when any of it failed: the caller must then end. */
int become_user (const struct become *to, struct errtext *err);

/* --- user_side.c: what the epilog does as the user --- */

/* Collect what is staged, describe this node's shards, pack them; on the last
 * node of a job merge and analyze. 0, or -1 when shards are still staged. */
int user_side_finish (const struct marker *m,
                      const char *host,
                      const struct site *site);

/* From now on, tell root on fd (tell.h) of each job that was analyzed here. */
void user_side_tell (int fd);

/* From now on, call note before a job of this node is analyzed: it writes what
 * the node knows of the job's end into job.json. 0, or -1 with err. */
void user_side_at_end (int (*note) (const char *dir, struct errtext *err));

/* From now on, each verb in a process of its own. Otherwise a small job of one
 * directory is finished in this one: should that crash, nothing is lost, and it
 * can be done again so. */
void user_side_be_careful (void);

/* Only collect what is staged: the same result. */
int user_side_stages (const struct marker *m, const char *host);

/* Only collect the stage that is open as fd, whose name is path. */
int user_side_collect (const struct marker *m,
                       const char *host,
                       const char *path,
                       int fd);

/* -- one of many nodes may merge -- */

/* 1 got it, 0 somebody else has it, -1 and err. A claim older than an hour
 * was left by a node that died and is taken over. */
int claim_take (const char *dir, const char *host, struct errtext *err);
void claim_release (const char *dir);
