/* SPDX-License-Identifier: MIT
 *
 * sitecollect.h - the lines that epilogs kept -> the site's database
 */
#ifndef DFT_CLI_SITECOLLECT_H
#define DFT_CLI_SITECOLLECT_H

#include <stdint.h>

#include "lib/base/errtext.h"

struct sitecollect {
    uint64_t files, jobs; /* read now */
    uint64_t bad;         /* lines or files that could not be read */
    uint64_t expired;     /* jobs that were removed */
};

/* Read what is new in DIR's *.jsonl into the database at path. Only files of
 * the directory's owner, who must be the caller or root. keep_days > 0: jobs
 * that ended before that are removed, and files that were read to their end and
 * are older. 0; -1 with err: the database is as it was. */
int sitecollect_run (const char *dir,
                     const char *path,
                     int keep_days,
                     struct sitecollect *sum,
                     struct errtext *err);

#endif
