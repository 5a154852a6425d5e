/* SPDX-License-Identifier: MIT
 *
 * siteask.h - questions to the site's database -> tables
 */
#ifndef DFT_SITE_SITEASK_H
#define DFT_SITE_SITEASK_H

#include "cli/site/sitedb.h"
#include "lib/util/optparse.h"
#include "lib/util/textable.h"

struct siteask {
    struct opt_list by;     /* words "user,program"; fields of summary.h */
    struct opt_list metric; /* names of metrics */
    const char *program, *user;
    const char *sort;
    int days;   /* jobs that ended in the last so many; 0: all */
    int top;    /* rows; 0: all */
    int lowest; /* worst: the smallest values */
};

/* Each gives a table, or NULL and err; EINVAL in errno: a word of the question
 * is none, which err says with the nearest. */

/* A row for each group: jobs, node hours, then of each metric the sum (bytes,
 * seconds, counts) or the mean (rates, shares); largest sort first. */
struct textable *
siteask_top (struct sitedb *db, const struct siteask *q, struct errtext *err);

/* A row for each job, by the first metric. */
struct textable *
siteask_worst (struct sitedb *db, const struct siteask *q, struct errtext *err);

/* A row for each shape of job (program, name, nodes, ranks) and metric: jobs,
 * geometric mean, and whether and when it changed. */
struct textable *siteask_history (struct sitedb *db,
                                  const struct siteask *q,
                                  struct errtext *err);

/* A row for each day: jobs, node hours, metrics as in siteask_top. */
struct textable *
siteask_days (struct sitedb *db, const struct siteask *q, struct errtext *err);

#endif
