/* SPDX-License-Identifier: MIT
 *
 * arrival.h - what this program was handed beside the environment that it was
 *             given
 *
 * A traced program that starts another one may have put two entries at the end
 * of its environment: LD_PRELOAD and DFTRACE_TOLD. They are taken out before
 * main (): envp, environ, the way from there to the auxiliary vector and
 * /proc/self/environ are as the program was given them.
 */
#ifndef DFT_PRELOAD_ARRIVAL_H
#define DFT_PRELOAD_ARRIVAL_H

/* envp: as the constructor gets it. Once, before anything looks at the
 * environment. */
void arrival_take (char **envp);

/* Elements of LD_PRELOAD that are our libraries, separated by colons; "" when
 * there are none (or they are not named by their paths). */
const char *arrival_libraries (void);

#endif
