/* SPDX-License-Identifier: MIT
 *
 * submit_side.h - what sbatch, srun and salloc check before they submit
 */
#ifndef DFT_SPANK_SUBMIT_SIDE_H
#define DFT_SPANK_SUBMIT_SIDE_H

/* Say what is wrong with SLURM_DFTRACE. 0, or -1, with which a `required`
 * plugin stops the command; an `optional` one lets the job run untraced. */
int submit_side_check (void);

#endif
