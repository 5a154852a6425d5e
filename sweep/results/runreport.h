/* SPDX-License-Identifier: MIT
 *
 * runreport.h - report of runs -> tables, JSON; ranks and overhead of runs
 */
#pragma once

#include "lib/util/stats.h"
#include "lib/util/textable.h"
#include "sweep/submit/status.h"

/* -- runs of a report -> rows, for programs; pure -- */

/* One row per run: ids, axes, array and task, state and why, attempt, nodes,
 * directory. */
struct textable *runtable_make (struct sweepdir *d,
                                const struct sweep_report *r);

/* As runtable_make, for runs that are only planned. */
struct textable *
runtable_planned (struct sweepdir *d, const struct run *run, size_t runs);

/* -- how many ranks of a run left a trace, of how many -- */

struct ranks {
    uint64_t found;
    uint64_t started; /* as srun, mpirun or torchrun said; 0: not known */
};

/* As ranks_read, of an attempt of a run. */
int ranks_of (const struct sweepdir *d,
              struct run run,
              int attempt,
              struct ranks *r);

/* One line when runs that are done have fewer than their launchers started. */
void ranks_print (FILE *out, struct sweepdir *d, const struct sweep_report *r);

/* -- traced runs and their untraced controls -> what tracing costs -- */

/* Logarithms of traced / control of elapsed time, one per pair in which both
 * are done: noise that makes some runs slower makes no cost. */
struct statistics overhead_of (const struct sweep_report *r);

/* One line, or nothing when there are no controls. */
void overhead_print (FILE *out,
                     const struct sweepdir *d,
                     const struct sweep_report *r);
void overhead_json (struct json *j, const struct sweep_report *r);
