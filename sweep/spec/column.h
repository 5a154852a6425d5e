/* SPDX-License-Identifier: MIT
 *
 * column.h - every number that a run can have: those of metrics.def and others;
 * pure
 */
#ifndef DFT_SPEC_COLUMN_H
#define DFT_SPEC_COLUMN_H

#include <stddef.h>

#include "lib/model/metric.h"

struct column {
    const char *name, *title, *unit;
    int digits;
    enum metric_section section;
};

enum {
    COLUMN_wall_time, /* from the start of the run's shell to its end; known of
                         runs that were not traced, too */
    COLUMN_ranks, /* ranks of srun, mpirun or torchrun that left a trace, sum
                     over the run's steps */
    COLUMN_ranks_started, /* ranks as these launchers said; not known where none
                             said a number */
    COLUMN_acct_elapsed,  /* Elapsed of the task, where Slurm keeps accounts */
    COLUMN_acct_max_rss,  /* MaxRSS, the largest of the task's steps */
    COLUMN_acct_disk_read, /* MaxDiskRead, the largest of the task's steps */
    COLUMNS_OWN,
    COLUMNS = METRIC_COUNT + COLUMNS_OWN
};

/* Metrics in the order of their rows, then the others; at < COLUMNS. */
struct column column_at (size_t at);

/* Return the index of a number by its name, or -1. */
int column_find (const char *name);

/* Return today's name of a number; name itself when there is no such one. */
const char *column_name (const char *name);

/* The nearest name there is, for "did you mean"; NULL: none is near. */
const char *column_near (const char *name);

#endif
