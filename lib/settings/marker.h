/* SPDX-License-Identifier: MIT
 *
 * marker.h - what root tells this node's epilog of a job
 *
 * <state_dir>/<job id>.<host>, root's, mode 0600: lines
 * "uid gid milliseconds directory[<tab>stage[<tab>weight[<tab>groups]]]".
 * The plugin writes it as root, so the epilog need not trust the user who
 * he is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/text.h"

enum { MARKER_GROUPS_MAX = 64 };

/* Supplementary groups of a job's processes. */
struct marker_groups {
    size_t count; /* 0: not known, or too many */
    gid_t gid[MARKER_GROUPS_MAX];
};

/* A line: whose job it is, what the epilog may do for it, and where. */
struct marker_line {
    uid_t uid;
    gid_t gid;
    const struct marker_groups *groups; /* or NULL: not known */
    uint64_t limit_ms;                  /* that the epilog may take */
    uint64_t weight; /* how many jobs it stands for (site_weight), 1 or more */
    const char *dir, *stage; /* stage: "" none */
};

/* Add a line unless there is one of the same directory and stage. As root.
 * 0, or -1, errno and err. */
int marker_add (const char *state_dir,
                uint32_t job_id,
                const char *host,
                const struct marker_line *line,
                struct errtext *err);

enum { MARKER_DIRS_MAX = 64 }; /* job directories of one job on one node */

struct marker {
    uid_t uid;
    gid_t gid;
    struct marker_groups groups; /* of the first line that has some */
    uint64_t limit_ms;
    size_t count;
    char *dir[MARKER_DIRS_MAX];   /* absolute paths, in text */
    char *stage[MARKER_DIRS_MAX]; /* where its shards are, or "" */
    uint64_t weight[MARKER_DIRS_MAX];
    char *text;
};

/* Read the lines of one job. -1, errno and err on failure: ENOENT when this
 * node traced nothing of it, EPERM when the file or its directory is not
 * root's alone. marker_free afterwards. */
int marker_read (const char *state_dir,
                 uint32_t job_id,
                 const char *host,
                 struct marker *m,
                 struct errtext *err);
void marker_free (struct marker *m); /* keeps errno */

/* While the descriptor is open, here or in who got it, the job's file is held;
 * any number may hold it. A descriptor, or -1 and errno. As root. */
int marker_hold (const char *state_dir, uint32_t job_id, const char *host);
/* Take the marker for one process alone, which works on the job: -1 if another
 * one holds it. */
int marker_claim (const char *state_dir, uint32_t job_id, const char *host);
int marker_is_held (const char *state_dir, uint32_t job_id, const char *host);

/* Forget the job. 0 also when there is nothing. */
int marker_remove (const char *state_dir, uint32_t job_id, const char *host);
