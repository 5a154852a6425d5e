/* SPDX-License-Identifier: MIT
 *
 * choice.h - which metrics and figures the page of a sweep has
 *
 * What the sweep file names under results: (plots, then metrics); where it
 * names nothing, what differs most between the points.
 */
#pragma once

#include "analyze/report/study/sweepdata.h"

/* -- which metrics and figures the page of a sweep has -- */

enum study_kind { STUDY_BARS, STUDY_HEAT, STUDY_LINES };

struct study_figure {
    const char *id, *heading, *metric, *measure, *more;
    enum study_kind kind;
    int log;
    int x, by; /* axes that were asked for, NO_AXIS: any */
};

struct study_choice {
    struct study_figure *figure;
    size_t figures;
    const char **column; /* metrics of the tables */
    const char **title;  /* their words */
    size_t columns;
    int named;      /* by the sweep file */
    int operations; /* time by operation of the data layer belongs to it */
};

/* In the memory of the arena. */
struct study_choice *choice_create (const struct sweepdata *d);

/* -- the name of a metric -> words for a figure or a column -- */

/* "read_time" -> "read time", "bill_sync" -> "ranks' time: sync". Any name will
 * do. */
const char *metricwords (const char *metric);
