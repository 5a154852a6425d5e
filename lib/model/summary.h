/* SPDX-License-Identifier: MIT
 *
 * summary.h - a job in some ninety numbers: what a site keeps of it
 *
 * The rows of summaryfields.def, then those of metrics.def. Written by the
 * epilog as one line of JSON, read by `dftrace site`. Constant; any thread.
 */
#pragma once

#include <stdio.h>

#include "lib/model/metric.h"

/* -- a job in some ninety numbers: what a site keeps of it -- */

enum summary_field {
#define SUMMARY_FIELD(NAME, TYPE, SOURCE, UNIT, HELP) SUMMARY_##NAME,
#include "lib/model/summaryfields.def"
#undef SUMMARY_FIELD
    SUMMARY_FIELDS,
    SUMMARY_COUNT = (int)SUMMARY_FIELDS + (int)METRIC_COUNT
};

struct summary_info {
    const char *name, *unit, *help;
    int is_text;
    int from_user; /* may be anything that its type allows */
};

/* at < SUMMARY_COUNT: a field, then the metrics. */
struct summary_info summary_info (int at);

/* By its name; -1 when there is none. */
int summary_find (const char *name);

enum { SUMMARY_TEXT_MAX = 128 };

/* One job. A number that is not known is NaN, a text "". */
struct job_summary {
    char text[SUMMARY_FIELDS][SUMMARY_TEXT_MAX];
    double number[SUMMARY_COUNT];
    int next; /* the row after the one taken last: lines go by their order */
};

void job_summary_begin (struct job_summary *s);

/* Take "NAME=VALUE" of a field that from_user allows, or of any; what is none,
 * too long or no number is left out. 0 taken, -1 not. text is changed. */
int job_summary_take (struct job_summary *s, char *text, int only_from_user);

/* -- numbers as the text of OpenMetrics 1.0 -- */

/* The members below describe this name. unit "": a plain number; it is part of
 * the help, since names end as those of metrics.def do. */
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
