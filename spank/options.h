/* SPDX-License-Identifier: MIT
 *
 * options.h - what --dftrace said in this process
 */
#ifndef DFT_SPANK_OPTIONS_H
#define DFT_SPANK_OPTIONS_H

#include "lib/settings/plan.h"
#include "spank/spank_api.h"

/* -- what --dftrace said in this process -- */

/* The name under which Slurm exports a given option to job and steps. */
#define OPTION_ENVIRONMENT "SLURM_SPANK__SLURM_SPANK_OPTION_dftrace_dftrace"

/* Register --dftrace. Failures are logged; the option is then unknown. */
void options_register (spank_t sp);

/* The last one said; text NULL when nobody said anything. Valid until the
 * option is said again. */
struct plan_word options_word (void);

/* -- what sbatch, srun and salloc check before they submit -- */

/* Say what is wrong with SLURM_DFTRACE. 0, or -1, with which a `required`
 * plugin stops the command; an `optional` one lets the job run untraced. */
int submit_side_check (void);

#endif
