/* SPDX-License-Identifier: MIT
 *
 * runner.h - do one run here: the inside of an array task
 */
#pragma once

#include "sweep/plan/sweepdir.h"

/* -- do one run here: the inside of an array task -- */

/* The run of a task and, when it has one, its untraced control, in the order of
 * the coin. The first bad exit status of the two. */
int runner_run_task (const struct sweepdir *d,
                     struct run r,
                     const char *array,
                     int *caught);

/* Is there anything in a trace directory? */
int runner_trace_found (const char *dir);

/* -- what Slurm says of a step where its own output goes -- */

/* Does the end of the file say that a step was killed for its memory? What
 * programs say of themselves does not count. 0 also without a file. */
int slurmsaid_oom (const char *path);
