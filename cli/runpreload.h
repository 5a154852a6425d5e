/* SPDX-License-Identifier: MIT
 *
 * runpreload.h - the libraries that a command of `dftrace run` is started with
 */
#ifndef DFT_CLI_RUNPRELOAD_H
#define DFT_CLI_RUNPRELOAD_H

#include <limits.h>

#include "lib/base/programkind.h"

/* Whether the preload library, whose path is given (NULL: no memory), and those
 * that the layers need beside it can be loaded. 0, or -1 and a line of log. */
int runpreload_check (const char *preload, unsigned layers);

/* True when the library that is there cannot be loaded, which is said: its file
 * system is mounted with noexec. */
int runpreload_is_noexec (const char *preload);

/* What the command is, and its path, "" where that is not known. */
enum program_kind
runpreload_look (const char *name, int noexec, char path[PATH_MAX]);

/* False when the loader of such a program would print an error or end it. */
int runpreload_may (enum program_kind kind);

/* In the child: LD_PRELOAD begins with them. What others preload sees the calls
 * after us. */
void runpreload_set (const char *preload, unsigned layers);

#endif
