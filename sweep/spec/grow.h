/* SPDX-License-Identifier: MIT
 *
 * grow.h - more time and memory for another try; pure
 */
#ifndef DFT_SWEEP_GROW_H
#define DFT_SWEEP_GROW_H

#include "lib/base/errtext.h"
#include "sweep/plan/arena.h"

/* "time=2,mem=1.5" -> factors (0 where not said). */
int grow_parse (const char *text,
                double *time,
                double *mem,
                struct errtext *err);

/* A time limit of sbatch in seconds; -1 when it is none. */
long grow_seconds (const char *limit);

/* A time limit as sbatch takes it ("30", "5:00", "1:00:00", "2-12") or a size
 * ("16G") times a factor, as text in the same language; rounded up. NULL when
 * it is neither. */
const char *grow_time (struct arena *a, const char *limit, double factor);
const char *grow_mem (struct arena *a, const char *size, double factor);

#endif
