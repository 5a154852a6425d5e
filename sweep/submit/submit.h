/* SPDX-License-Identifier: MIT
 *
 * submit.h - frozen directory, batch scripts, job arrays; what is run again
 */
#pragma once

#include "sweep/plan/sweepdir.h"
#include "sweep/submit/journal.h"
#include "sweep/submit/status.h"

/* --- submit.c: a frozen sweep -> held arrays -> analysis job -> release --- */

struct submit_report {
    int arrays;   /* submitted or adopted by this call */
    int before;   /* were in the journal already */
    int released; /* by this call */
};

/* Everything the journal does not show as done yet; so calling it again is
 * harmless. With hold the arrays stay held. Each step is a line of talk. */
struct submit_report submit_sweep (struct sweepdir *d, int hold, FILE *talk);

/* "4711,4712" of all arrays in the journal. */
const char *submit_job_list (const struct sweepdir *d, const struct journal *j);

/* The text of the batch script of a chunk that waits for no other. */
const char *submit_preview (struct sweepdir *d, const struct chunk *c);

/* --- freeze.c: a sweep file -> checked -> a sweep directory --- */

/* Look at what the text of a sweep file alone does not show: whether each axis
 * reaches its runs, whether its script is there, whether bash can read its
 * texts, whether sbatch has its options. -1 and err ("FILE:LINE:COLUMN: …")
 * where a run could not mean what the file says. Frozen sweeps are not asked:
 * they are what they were. */
int precheck (const struct spec *s, const struct grid *g, struct errtext *err);

struct freeze_options {
    int max_tasks;         /* of one array */
    int wave;              /* jobs in Slurm at a time; 0: no limit known */
    const struct run *run; /* of the first round, in their order; NULL: all */
    size_t runs;
};

/* Make the directory of the spec at spec_path, or find it made already from
 * the same bytes (1). A directory of another sweep is an error. */
int sweepdir_freeze (const char *path,
                     const char *spec_path,
                     const struct spec *s,
                     const struct grid *g,
                     const struct freeze_options *o);

/* The sweep of d becomes that of the spec at spec_path, which holds all its
 * points: spec.yaml (the old one stays as spec.N.yaml), plan.csv, order.csv,
 * the script, then a round of the runs of *o, when there are any. Doing it
 * again after a crash is harmless. */
void sweepdir_extend (const struct sweepdir *d,
                      const char *spec_path,
                      const struct spec *s,
                      const struct grid *g,
                      const struct freeze_options *o);

/* --- batch.c: an array, or the analysis -> script text and sbatch's words;
 * pure ---
 */

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

/* --- resume.c: runs of a report -> another round, written and submitted --- */

struct resume_plan {
    const struct run *run; /* in the order of the sweep */
    size_t runs;
    const char *const *nodes;   /* per run, or NULL: anywhere */
    double grow_time, grow_mem; /* factors; 0: as in the sweep file */
};

/* Which rows of the report can run again: what has ended and is not done, or
 * what is not done and was asked for by state. In d's memory. */
void resume_choose (struct sweepdir *d,
                    const struct sweep_report *r,
                    struct resume_plan *p);

/* As resume_choose, by `retry:` of the sweep file: runs in its states that were
 * tried less often than it says. Sets the factors too. */
void resume_choose_retries (struct sweepdir *d,
                            const struct sweep_report *r,
                            struct resume_plan *p);

/* Every chosen run goes where it was tried last. */
void resume_same_nodes (struct sweepdir *d,
                        const struct sweep_report *r,
                        struct resume_plan *p);

/* The command ends when a factor has nothing to multiply. */
void resume_check_grow (const struct sweepdir *d, const struct resume_plan *p);

/* Write the round; the directory must be opened anew to see it. */
void resume_write (struct sweepdir *d, const struct resume_plan *p);
