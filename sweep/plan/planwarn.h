/* SPDX-License-Identifier: MIT
 *
 * planwarn.h - parts of the overview of a plan; pure but for the stream
 */
#ifndef DFT_SWEEP_PLANWARN_H
#define DFT_SWEEP_PLANWARN_H

#include "sweep/plan/plan.h"

/* The text of a Slurm option of a point; "yes" when it is bare, "-" when it
 * has none. */
const char *plan_option (const struct point *p, const char *name);

void plan_print_waves (FILE *out,
                       const struct spec *s,
                       const struct layout *l,
                       const struct plan_limits *limit);
/* Nothing when some array has no time limit. */
void plan_print_cost (FILE *out,
                      const struct spec *s,
                      const struct grid *g,
                      const struct layout *l);
void plan_print_warnings (FILE *out,
                          const struct spec *s,
                          const struct grid *g,
                          const struct layout *l);

#endif
