/* SPDX-License-Identifier: MIT
 *
 * exportmore.h - exports that are made of more than the events as they come
 *                (for cmd_export.c)
 */
#ifndef DFT_ANALYZE_EXPORTMORE_H
#define DFT_ANALYZE_EXPORTMORE_H

#include <stdio.h>

#include "analyze/scan/where.h"
#include "analyze/trace/find.h"
#include "lib/util/optparse.h"

/* The metrics of an open job, or of the events that where lets through, as
 * OpenMetrics. 0, or -1 with err. */
int exportmore_metrics (FILE *out,
                        struct job *job,
                        const struct where *where,
                        struct errtext *err);

/* Become a Python that writes Parquet; returns only when it cannot: an exit
 * status, with err. */
int exportmore_parquet (const char *path,
                        const char *output,
                        const struct opt_list *conditions,
                        struct errtext *err);

#endif
