/* SPDX-License-Identifier: MIT
 *
 * runner.h - do one run here: the inside of an array task
 */
#ifndef DFT_RUN_RUNNER_H
#define DFT_RUN_RUNNER_H

#include "sweep/plan/sweepdir.h"

/* -- do one run here: the inside of an array task -- */

/* Make the next attempt's directory, run setup and run in bash, then
 * teardown, and write the status file. array is the chunk's name ("" when
 * there is no Slurm; tracing is then set up here). Signals TERM, INT, HUP,
 * USR1, USR2 and CONT are passed on to the run while it lasts; *caught (may
 * be NULL) gets the last of them, CONT apart, or 0.
 *
 * Returns the exit status of the run (128 + signal), or -1 and err when it
 * could not even be started. */
int runner_run (const struct sweepdir *d,
                struct run r,
                const char *array,
                int *caught,
                struct errtext *err);

/* The run of a task and, when it has one, its untraced control, in the order of
 * the coin. The first bad exit status of the two. */
int runner_run_task (const struct sweepdir *d,
                     struct run r,
                     const char *array,
                     int *caught,
                     struct errtext *err);

/* Is there anything in a trace directory? */
int runner_trace_found (const char *dir);

/* -- what Slurm says of a step where its own output goes -- */

/* Does the end of the file say that a step was killed for its memory? What
 * programs say of themselves does not count. 0 also without a file. */
int slurmsaid_oom (const char *path);

#endif
