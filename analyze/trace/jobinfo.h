/* SPDX-License-Identifier: MIT
 *
 * jobinfo.h - job.json of a job directory -> what it says
 */
#ifndef DFT_ANALYZE_JOBINFO_H
#define DFT_ANALYZE_JOBINFO_H

#include <stdint.h>

#include "lib/base/errtext.h"

/* Texts are owned, never NULL after a load, "" when not said. */
struct job_info {
    int present;                          /* there is a job.json */
    uint64_t job_id, array_job_id, nodes; /* 0 not said */
    int64_t array_task_id;                /* -1 none */
    char *name, *user, *nodelist, *layers, *point, *created;
    /* colon lists: only these paths were recorded ("": all), not these */
    char *include, *exclude;
    char *detail; /* what was traced in full, as the setting says it */
};

/* Read DIR/job.json. No such file (or dir NULL) gives an empty info; one that
 * cannot be read is an error: -1 with err, info is then empty but valid. */
int jobinfo_load (struct job_info *info, const char *dir, struct errtext *err);
/* Where ranks or steps are drawn (rank:1/100, step:1/100): how many each of
 * them stands for, of so many ranks (0 not known); 1: all are there, or those
 * that somebody chose. */
double jobinfo_weight (const struct job_info *info, uint64_t ranks);
void jobinfo_clear (struct job_info *info); /* zeroed is fine */

#endif
