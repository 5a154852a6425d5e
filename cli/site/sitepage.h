/* SPDX-License-Identifier: MIT
 *
 * sitepage.h - the site's database -> one page, or OpenMetrics text
 */
#ifndef DFT_SITE_SITEPAGE_H
#define DFT_SITE_SITEPAGE_H

#include <stdio.h>

#include "cli/site/siteask.h"

/* One HTML file: jobs and bytes by day, users, programs, what changed. Of q
 * only days and user count. 0, or -1 with err; errors of the stream stay in
 * it. */
int sitepage_write (FILE *out,
                    struct sitedb *db,
                    const struct siteask *q,
                    struct errtext *err);

/* The text of OpenMetrics 1.0: a gauge for each metric of q, summed (or mean,
 * see siteask_top) by q->by. */
int sitepage_openmetrics (FILE *out,
                          struct sitedb *db,
                          const struct siteask *q,
                          struct errtext *err);

/* A table as a table of a page. */
void sitepage_table (FILE *out, const struct textable *t);

#endif
