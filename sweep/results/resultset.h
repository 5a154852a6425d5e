/* SPDX-License-Identifier: MIT
 *
 * resultset.h - runs and their metrics.json -> numbers per run and per point
 */
#pragma once

#include "lib/util/stats.h"
#include "lib/util/textable.h"
#include "sweep/results/filter.h"

/* A metric of one run. */
struct measure {
    int present; /* 0: null or not there */
    double value;
    const char *text; /* as it stood in the file: exact */
};

struct operation {
    const char *category;
    const char *name; /* "data/item" */
    double count, sum, mean_us;
};

struct run_result {
    const struct run_report *report;
    struct measure *measure; /* per resultset->metric */
    size_t measures;         /* room */
    struct operation *operation;
    size_t operations;
    int analyzed; /* metrics.json was read */
};

struct result_metric {
    const char *name, *unit;
};

struct resultset {
    struct sweepdir *sweep;
    struct sweep_report report;
    char *has_point;        /* per point: some of its runs are in report */
    const char *accounting; /* sacct's lines, or NULL */
    struct result_metric *metric; /* all that any run has, in their order */
    size_t metrics;
    const char **operation; /* names, in order of first appearance */
    size_t operations;
    struct run_result *run; /* as in report */
};

/* Analyze what is not analyzed yet (with our own command), read everything.
 * A run without metrics stays, without numbers; why is logged. Only what the
 * filter leaves. NULL and err when the directory cannot be read. */
struct resultset *resultset_load (struct sweepdir *d,
                                  const struct filter_options *o,
                                  struct errtext *err);

/* The first point behind this one (-1: of all) of which a run belongs to it;
 * -1: none. */
int resultset_next (const struct resultset *r, int point);

/* The value of a point in a column of the sweep: an axis or a derived one. */
const struct value *
resultset_value_of (const struct resultset *r, int point, int column);

/* The column of an axis, for a table that has its values. */
void resultset_axis (struct textable *t, const struct resultset *r, int axis);

/* Text that a metric has instead of a number, of the first such run of a point
 * (-1: of any); NULL when there is none. *runs counts them. */
const char *resultset_not_a_number (const struct resultset *r,
                                    int point,
                                    int metric,
                                    size_t *runs);

/* The numbers of a metric at a point in a repeat: 1 and *value when the run
 * is done and has it. */
int resultset_value (const struct resultset *r,
                     int point,
                     int repeat,
                     int metric,
                     double *value);

/* -1 when no run has such a metric. */
int resultset_metric (const struct resultset *r, const char *name);

/* Over the repeats of a point; controls are left out. */
struct statistics
resultset_point (const struct resultset *r, int point, int metric);
/* Sum of seconds of an operation at a point, mean over its repeats. */
struct statistics
resultset_operation (const struct resultset *r, int point, const char *name);

/* "done", or "1 of 3 done, timeout" */
const char *resultset_point_state (const struct resultset *r, int point);

/* load, then DIR/results/{runs,points,long,operations}.csv and summary.txt,
 * each whole or not at all. */
int resultset_write_all (struct sweepdir *d, struct errtext *err);
int resultset_write (struct resultset *r, struct errtext *err);

/* True when the tables are newer than every status file. */
int resultset_written (struct sweepdir *d);
