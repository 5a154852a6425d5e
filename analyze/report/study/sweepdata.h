/* SPDX-License-Identifier: MIT
 *
 * sweepdata.h - a sweep directory -> points, their axes and numbers
 */
#pragma once

#include "analyze/report/csv.h"
#include "lib/base/text.h"
#include "lib/chart/chart.h"
#include "lib/util/strmap.h"

enum { AXES_MAX = 16 };

struct axis {
    const char *name;
    const char **level; /* numbers ascending, words as the sweep has them */
    size_t levels;
    int numeric;
};

struct sweep_point {
    const char *id, *label, *state;
    size_t level[AXES_MAX]; /* index into each axis' levels */
    size_t *run;            /* rows of runs.csv that are done and traced */
    size_t runs;
};

/* Points are found by these. */
enum point_key { POINT_BY_LEVELS, POINT_BY_ID, POINT_BY_LABEL, POINT_KEYS };

/* Time of a region without the regions inside it, mean over the repeats. */
struct sweep_op {
    const char *name; /* "data/item" */
    double *self;     /* one a point; NaN: not seen there */
    double total;     /* over all points */
};

/* A figure that the sweep file asks for. */
struct sweep_plot {
    const char *metric;
    int x, by; /* axes; -1: any */
};

/* Arrays and texts are in the memory of the arena. */
struct sweepdata {
    const char *dir; /* the caller's */
    struct ytree *manifest;
    const char *name, *created, *layers; /* its */
    struct ytree *spec;                  /* the sweep file, or NULL */
    struct sweep_plot *plot;
    size_t plots;
    const char **metric; /* that the sweep file names */
    size_t metrics;
    int *other; /* columns of points that follow from the axes: const, derive,
                   companions */
    size_t others;
    struct csv *points, *runs, *units, *operations;
    struct axis axis[AXES_MAX];
    size_t axes;
    struct sweep_point *point; /* as many as rows of points */
    size_t count;
    struct strmap *found[POINT_KEYS]; /* -> the first point that has it */
    struct sweep_op *op;              /* of the data layer */
    size_t ops;
    struct strmap *notes; /* "ROW METRIC" -> why it is n/a */
    size_t unread;        /* runs whose metrics.json could not be read */
};

/* NULL and err on failure: "…: run dftrace sweep results --write DIR first". */
struct sweepdata *sweepdata_load (const char *dir, struct errtext *err);
void sweepdata_destroy (struct sweepdata *d); /* NULL is fine */

/* A metric of a point as a cell: mean, lowest and highest of the repeats. */
struct cell
sweepdata_cell (const struct sweepdata *d, size_t point, const char *metric);
/* 1 when at least one point has a number. */
int sweepdata_has (const struct sweepdata *d, const char *metric);
const char *sweepdata_unit (const struct sweepdata *d, const char *metric);
/* The point with these levels, or -1. */
long sweepdata_at (const struct sweepdata *d, const size_t level[AXES_MAX]);

/* The point that differs from another in nothing but that it has this level of
 * an axis; -1: none. */
long sweepdata_beside (const struct sweepdata *d,
                       size_t point,
                       size_t axis,
                       size_t level);

/* The point with this id, or -1. */
long sweepdata_point (const struct sweepdata *d, const char *id);

/* The point of b with the id, else the label, of a point of another sweep; -1:
 * none. */
long sweepdata_same (const struct sweepdata *b, const struct sweep_point *p);

/* The directory of the trace of a run, a row of runs.csv. */
const char *sweepdata_trace (const struct sweepdata *d, size_t run);

/* The traced run of a point in a repeat that is done, a row of runs.csv; -1:
 * none. */
long sweepdata_run (const struct sweepdata *d,
                    const struct sweep_point *p,
                    const char *repeat);
