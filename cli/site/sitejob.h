/* SPDX-License-Identifier: MIT
 *
 * sitejob.h - a job id -> its job directories
 */
#ifndef DFT_CLI_SITEJOB_H
#define DFT_CLI_SITEJOB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/errtext.h"

/* A job, or a task of an array. */
struct sitejob_id {
    uint64_t job;
    int64_t task; /* -1: not said */
};

/* "4711" or "4711_3". 0, or -1: it is no such thing. */
int sitejob_parse (const char *text, struct sitejob_id *id);

struct sitejob_dir {
    char *path; /* owned */
    uid_t uid;  /* who owns it, and its job.json */
    gid_t gid;
    uint64_t job, restart;
    int64_t task; /* of an array; -1 none */
    int profile;  /* it has layer profile */
};

struct sitejob {
    struct sitejob_id id;
    struct sitejob_dir *dir;
    size_t dirs;
    char *denied; /* one that by its name is of the job and that the caller
                     may not read; NULL: none. Owned */
    uid_t denied_uid;
    uint64_t unreadable; /* other directories that the caller may not read */
};

/* Add what is below a directory. Links are not followed; a directory whose
 * job.json is another user's does not count. 0, or -1 (ENOMEM). */
int sitejob_find (struct sitejob *s, const char *dir);
void sitejob_clear (struct sitejob *s); /* zeroed is fine */

#endif
