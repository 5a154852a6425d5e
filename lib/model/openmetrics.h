/* SPDX-License-Identifier: MIT
 *
 * openmetrics.h - numbers as the text of OpenMetrics 1.0
 *
 *     openmetrics_family (out, "dftrace_jobs", "traced jobs", "");
 *     openmetrics_sample (out, "dftrace_jobs");
 *     openmetrics_label (out, "user", "alice");
 *     openmetrics_value (out, 10);
 *     openmetrics_end (out);
 *
 * All families are gauges. Errors stay in the stream.
 */
#ifndef DFT_MODEL_OPENMETRICS_H
#define DFT_MODEL_OPENMETRICS_H

#include <stdio.h>

/* What follows is of this name. unit "": a plain number; it is part of the
 * help, since names end as those of metrics.def do. */
void openmetrics_family (FILE *out,
                         const char *name,
                         const char *help,
                         const char *unit);

/* A sample: its name, labels (values of any bytes), then the number. */
struct openmetrics {
    FILE *out;
    int labels;
};
struct openmetrics openmetrics_sample (FILE *out, const char *name);
void openmetrics_label (struct openmetrics *m,
                        const char *name,
                        const char *value);
void openmetrics_value (struct openmetrics *m, double value);

/* After the last family. */
void openmetrics_end (FILE *out);

#endif
