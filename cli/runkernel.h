/* SPDX-License-Identifier: MIT
 *
 * runkernel.h - layer kernel of `dftrace run`
 */
#ifndef DFT_CLI_RUNKERNEL_H
#define DFT_CLI_RUNKERNEL_H

#include "lib/settings/kernelside.h"

/* Start the recorder where s has layer kernel; job: a descriptor of the job
 * directory. Where there can be none, this is said and the layer is taken out
 * of s, unless s is strict: then -1 and err. */
int runkernel_start (struct kernelside *k,
                     struct settings *s,
                     int job,
                     struct errtext *err);

/* After the command: wait for it, and say what is missing. */
void runkernel_end (struct kernelside *k);

#endif
