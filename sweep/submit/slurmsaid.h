/* SPDX-License-Identifier: MIT
 *
 * slurmsaid.h - what Slurm says of a step where its own output goes
 */
#ifndef DFT_SWEEP_SLURMSAID_H
#define DFT_SWEEP_SLURMSAID_H

/* Does the end of the file say that a step was killed for its memory? What
 * programs say of themselves does not count. 0 also without a file. */
int slurmsaid_oom (const char *path);

#endif
