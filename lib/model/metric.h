/* SPDX-License-Identifier: MIT
 *
 * metric.h - the rows of metrics.def: names, units, digits, definitions
 *
 * All of it is constant; any thread may use it.
 */
#ifndef DFT_MODEL_METRIC_H
#define DFT_MODEL_METRIC_H

enum metric {
#define METRIC(NAME, TITLE, UNIT, DIGITS, SECTION, NEED, MADE_OF, VALUE, TEXT) \
    METRIC_##NAME,
#include "lib/model/metrics.def"
#undef METRIC
    METRIC_COUNT
};

/* The table over configurations that shows a metric unasked. */
enum metric_section {
    METRIC_SECTION_NONE = 0,
    METRIC_SECTION_IO,
    METRIC_SECTION_FAULTS,
    METRIC_SECTION_CHECKPOINT,
    METRIC_SECTIONS
};

/* A profile has sums of events, but not the time of each. */
enum metric_made_of { METRIC_OF_SUMS, METRIC_OF_TIMES };

struct metric_info {
    const char *name, *title, *unit; /* unit "": a plain number */
    int digits;                      /* 0: a whole number */
    enum metric_section section;
    enum metric_made_of made_of;
    const char *definition;
};

/* Indexed by enum metric. */
extern const struct metric_info metric_table[METRIC_COUNT];

/* Return 1 if the table of many jobs has a column for it by default. */
int metric_in_study (enum metric m);

/* Return the metric of this name, or -1. */
int metric_parse (const char *name);

#endif
