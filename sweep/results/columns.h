/* SPDX-License-Identifier: MIT
 *
 * columns.h - every number that a run can have: metrics.def, columns.def; pure
 */
#ifndef DFT_SWEEP_COLUMNS_H
#define DFT_SWEEP_COLUMNS_H

#include <stddef.h>

#include "lib/model/metric.h"

struct column {
    const char *name, *title, *unit;
    int digits;
    enum metric_section section;
};

enum {
#define COLUMN(NAME, TITLE, UNIT, DIGITS, HELP) COLUMN_##NAME,
#include "sweep/results/columns.def"
#undef COLUMN
    COLUMNS_OWN,
    COLUMNS = METRIC_COUNT + COLUMNS_OWN
};

/* Metrics in the order of their rows, then the others; at < COLUMNS. */
struct column column_at (size_t at);

/* Where it is, by its name or one it once had; -1 when there is no such
 * number. */
int column_find (const char *name);

/* What a number is called today; name itself when there is no such one. */
const char *column_name (const char *name);

/* The nearest name there is, for "did you mean"; NULL: none is near. */
const char *column_near (const char *name);

#endif
