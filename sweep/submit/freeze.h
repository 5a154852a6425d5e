/* SPDX-License-Identifier: MIT
 *
 * freeze.h - a sweep file -> checked -> a sweep directory
 */
#ifndef DFT_SUBMIT_FREEZE_H
#define DFT_SUBMIT_FREEZE_H

#include "sweep/plan/sweepdir.h"

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
                     const struct freeze_options *o,
                     struct errtext *err);

/* The sweep of d becomes that of the spec at spec_path, which holds all its
 * points: spec.yaml (the old one stays as spec.N.yaml), plan.csv, order.csv,
 * the script, then a round of the runs of *o, when there are any. Doing it
 * again after a crash is harmless. */
int sweepdir_extend (const struct sweepdir *d,
                     const char *spec_path,
                     const struct spec *s,
                     const struct grid *g,
                     const struct freeze_options *o,
                     struct errtext *err);

#endif
