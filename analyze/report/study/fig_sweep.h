/* SPDX-License-Identifier: MIT
 *
 * fig_sweep.h - the figures of a sweep
 */
#ifndef DFT_STUDY_FIG_SWEEP_H
#define DFT_STUDY_FIG_SWEEP_H

#include <stdio.h>

#include "analyze/report/study/choice.h"
#include "analyze/report/study/roles.h"
#include "analyze/report/study/sweepdata.h"

/* The chosen figures, for whatever axes the sweep has. 0, or -1 (ENOMEM). */
int fig_sweep (FILE *out,
               const struct sweepdata *d,
               const struct axis_roles *roles,
               const struct study_choice *c);

#endif
