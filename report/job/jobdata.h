/* SPDX-License-Identifier: MIT
 *
 * jobdata.h - a job directory -> what analyze wrote, and its trace
 */
#ifndef DFT_REPORT_JOBDATA_H
#define DFT_REPORT_JOBDATA_H

#include "lib/core/errtext.h"
#include "lib/util/ytree.h"
#include "report/csv.h"
#include "report/job/jobscan.h"

struct jobdata {
    const char *dir;       /* the caller's */
    struct ytree *metrics; /* metrics.json */
    struct ytree *job;     /* job.json; NULL: none */
    /* tables/, by the names of their files */
#define TABLE(NAME, WHEN, MOST) struct csv *NAME;
#include "report/job/jobtables.def"
#undef TABLE
    struct jobscan *scan;
};

/* 0, or -1 with err: "…: not analyzed yet: run dftrace analyze first". */
int jobdata_load (struct jobdata *d, const char *dir, struct errtext *err);
void jobdata_clear (struct jobdata *d);

/* Scalars of metrics.json and job.json; "" when not there. */
const char *jobdata_about (const struct jobdata *d, const char *key);
const char *jobdata_health (const struct jobdata *d, const char *key);
/* Value of a metric as it is written ("" n/a), its unit, why it is n/a. */
const char *jobdata_metric (const struct jobdata *d,
                            const char *name,
                            const char **unit,
                            const char **note);
double jobdata_number (const struct jobdata *d, const char *name);

#endif
