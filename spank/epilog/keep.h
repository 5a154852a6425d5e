/* SPDX-License-Identifier: MIT
 *
 * keep.h - a line of each job that ended on this node, for the site
 */
#ifndef DFT_EPILOG_KEEP_H
#define DFT_EPILOG_KEEP_H

#include <stdint.h>
#include <sys/types.h>

#include "spank/epilog/hide.h"
#include "lib/base/errtext.h"

struct keep_job {
    const char *host;
    uint32_t job_id;
    uid_t uid;
    int64_t now;            /* seconds since 1970 */
    const uint64_t *weight; /* of each of its directories; see marker.h */
    size_t weights;
    const struct hide *hide; /* texts that are hashed; NULL: none */
};

/* Append what tell.h has in text, which is changed, to DIR/HOST-YYYYMMDD.jsonl
 * (UTC), mode 0600. Partition and account are those of the environment,
 * SLURM_JOB_*. DIR is made if it is not there (0700); it must belong to
 * who calls this, and be writable by nobody else. As root, and where it may
 * wait: DIR may be on a file server. 0, or -1, errno and err. */
int keep_jobs (const char *dir,
               const struct keep_job *job,
               char *text,
               struct errtext *err);

#endif
