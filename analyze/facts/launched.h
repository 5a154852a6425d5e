/* SPDX-License-Identifier: MIT
 *
 * launched.h - how many ranks srun, mpirun or torchrun started, and how many
 * ran
 */
#ifndef DFT_ANALYZE_LAUNCHED_H
#define DFT_ANALYZE_LAUNCHED_H

#include "analyze/scan/load.h"

struct launched {
    size_t found;   /* ranks that left a trace, sum over the steps */
    size_t started; /* ranks as their launchers said, at least found; 0: no
                       launcher said a number */
    int said;       /* one did */
};

/* Ranks of a step are told apart by number. Daemons of mpirun are no ranks, and
 * neither is the batch script (which Slurm calls its rank 0) where launchers
 * started some. 0, or -1 (ENOMEM). */
int launched_count (struct launched *l, const struct totals *t);

#endif
