/* SPDX-License-Identifier: MIT
 *
 * precheck.h - what is wrong with a sweep before it is frozen
 */
#ifndef DFT_SWEEP_PRECHECK_H
#define DFT_SWEEP_PRECHECK_H

#include "sweep/plan/grid.h"

/* Look at what the text of a sweep file alone does not show: whether each axis
 * reaches its runs, whether its script is there, whether bash can read its
 * texts, whether sbatch has its options. -1 and err ("FILE:LINE:COLUMN: …")
 * where a run could not mean what the file says. Frozen sweeps are not asked:
 * they are what they were. */
int precheck (const struct spec *s, const struct grid *g, struct errtext *err);

/* The path of `script:`, seen from the sweep file; NULL when it has none. */
const char *precheck_script_path (const struct spec *s, struct arena *a);

/* 1 when sbatch itself, in some release, has this long option. */
int precheck_option_is_known (const char *name);

#endif
