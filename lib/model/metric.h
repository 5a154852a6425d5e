/* SPDX-License-Identifier: MIT
 *
 * metric.h - the rows of metrics.def: names, units, digits, definitions
 *
 * For who computes them, prints them, asks for them in a sweep file. All of
 * it is constant; any thread may use it.
 */
#ifndef DFT_MODEL_METRIC_H
#define DFT_MODEL_METRIC_H

enum metric {
#define METRIC(NAME, TITLE, UNIT, DIGITS, SECTION, NEED, VALUE, TEXT) \
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

struct metric_info {
    const char *name, *title, *unit; /* unit "": a plain number */
    int digits;                      /* 0: a whole number */
    enum metric_section section;
    const char *definition;
};

/* Indexed by enum metric. */
extern const struct metric_info metric_table[METRIC_COUNT];

/* Has the table of many jobs a column for it, unasked? */
int metric_in_study (enum metric m);

/* By its name, or by one it once had; -1 when there is no such metric. */
int metric_parse (const char *name);

#endif
