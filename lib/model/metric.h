/* SPDX-License-Identifier: MIT
 *
 * metric.h - the rows of metrics.def: names, units, digits, definitions
 *
 * All of it is constant; any thread may use it.
 */
#pragma once

#include "lib/format/calls.h"
#include "lib/model/kind.h"

/* -- the rows of metrics.def: names, units, digits, definitions -- */

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

/* -- what the time of a main thread went into: the rows of bill.def -- */

enum bill {
#define BILL(NAME, TITLE, HEAD, CALLS, KINDS, ROLES, WAITS, NEED, HELP) \
    BILL_##NAME,
#include "lib/model/bill.def"
#undef BILL
    BILL_COUNT,
    BILL_NONE = BILL_COUNT /* belongs to no row */
};

struct bill_info {
    const char *name, *title, *help;
    unsigned calls, kinds, roles, waits; /* bits: 1 << enum …; of waits 1 <<
                                            their number */
};

/* Indexed by enum bill. */
extern const struct bill_info bill_table[BILL_COUNT];

/* Rows by precedence; BILL_other and BILL_between are not in it. */
extern const enum bill bill_order[];
extern const int bill_ordered;

/* Bits 1 << enum bill: rows that ask the helpers of a rank, rows of helpers. */
extern const unsigned bill_asks, bill_helps;

/* The row of a call on a file of this kind, KIND_NONE: not on storage. */
enum bill bill_of_call (enum call call, enum file_kind kind);

/* The row of a region's own time. */
enum bill bill_of_role (enum role role);

/* -- what I/O costs: the rows of costs.def -- */

enum cost {
#define COST(NAME, TITLE, CATEGORY, CLASSES, MOVES, HELP) COST_##NAME,
#include "lib/model/costs.def"
#undef COST
    COST_COUNT,
    COST_NONE = COST_COUNT
};

struct cost_info {
    const char *name, *title, *help;
    int moves; /* has bytes */
};

/* Indexed by enum cost. */
extern const struct cost_info cost_table[COST_COUNT];

/* The row of a call on a file on storage. */
enum cost cost_of_call (enum call call);

/* -- layers above POSIX by their height; which of their events are calls -- */

/* Layers whose calls may be inside a call of a layer above POSIX. */
enum above {
    ABOVE_DATA, /* POSIX reads and writes of storage */
    ABOVE_META, /* other POSIX calls on storage */
    ABOVE_MPIIO,
    ABOVE_HDF5,
    ABOVE_NETCDF,
    ABOVE_PNETCDF,
    ABOVE_COUNT
};

/* Return 1 for a category above POSIX. */
static inline enum above above_of_category (enum call_category category)
{
    return (enum above) (ABOVE_MPIIO + (category - CALL_CATEGORY_MPIIO));
}

/* It lasts from the post of a request to its end: nobody is in a call. */
static inline int above_is_request (enum call call)
{
    return call == CALL_MPI_iread_done || call == CALL_MPI_iwrite_done ||
           call == CALL_ncmpi_iget_done || call == CALL_ncmpi_iput_done;
}

/* A read or write of a dataset or variable; of an attribute it is none. */
static inline int above_is_transfer (enum call call)
{
    return call == CALL_H5Dread || call == CALL_H5Dwrite ||
           call == CALL_nc_get || call == CALL_nc_put ||
           call == CALL_ncmpi_get || call == CALL_ncmpi_put;
}
