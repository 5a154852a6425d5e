/* SPDX-License-Identifier: MIT
 *
 * batch.h - an array, or the analysis -> script text and sbatch's words; pure
 */
#ifndef DFT_SWEEP_BATCH_H
#define DFT_SWEEP_BATCH_H

#include "sweep/plan/sweepdir.h"

/* All in d's memory. */

/* "DIR/jobs/NAME.sbatch" */
const char *batch_script_path (struct sweepdir *d, const char *name);

/* NULL-terminated, without the job's name; after: jobs that must end first
 * ("4711:4712"), or NULL. */
const char **batch_array_arguments (struct sweepdir *d,
                                    const struct chunk *c,
                                    const char *after);
const char *batch_array_script (struct sweepdir *d,
                                const struct chunk *c,
                                const char *const *argv);

/* Arguments and script of the analysis; goes_on: it first submits the next wave
 * or the runs that `retry:` wants again. */
const char **batch_analysis_arguments (struct sweepdir *d, const char *after);
const char *batch_analysis_script (struct sweepdir *d,
                                   const char *name,
                                   const char *const *argv,
                                   int goes_on);

#endif
