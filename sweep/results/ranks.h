/* SPDX-License-Identifier: MIT
 *
 * ranks.h - how many ranks of a run left a trace, of how many
 */
#ifndef DFT_SWEEP_RANKS_H
#define DFT_SWEEP_RANKS_H

#include <stdint.h>
#include <stdio.h>

#include "sweep/status.h"

struct ranks {
    uint64_t found;
    uint64_t started; /* as srun, mpirun or torchrun said; 0: not known */
};

/* From the first lines of a metrics.json. 1; 0 where there is none yet, or it
 * is of an older version. */
int ranks_read (const char *path, struct ranks *r);

/* The same of an attempt of a run. */
int ranks_of (const struct sweepdir *d,
              struct run run,
              int attempt,
              struct ranks *r);

/* One line when runs that are done have fewer than their launchers started. */
void ranks_print (FILE *out, struct sweepdir *d, const struct sweep_report *r);

#endif
