/* SPDX-License-Identifier: MIT
 *
 * runpreload.h - the libraries that a command of `dftrace run` is started with
 */
#ifndef DFT_CLI_RUNPRELOAD_H
#define DFT_CLI_RUNPRELOAD_H

/* Whether the preload library, whose path is given (NULL: no memory), and those
 * that the layers need beside it can be loaded. 0, or -1 and a line of log. */
int runpreload_check (const char *preload, unsigned layers);

/* In the child: LD_PRELOAD begins with them. What others preload sees the calls
 * after us. */
void runpreload_set (const char *preload, unsigned layers);

#endif
