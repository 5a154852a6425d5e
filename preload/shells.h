/* SPDX-License-Identifier: MIT
 *
 * shells.h - what a shell does for itself, and not for the job
 *
 * A shell looks for programs along PATH and reads its script piece by piece:
 * a batch script would leave a file of such events for each command.
 */
#ifndef DFT_PRELOAD_SHELLS_H
#define DFT_PRELOAD_SHELLS_H

#include <stddef.h>

/* Is this program one of the settings' shells? Then remember its script, the
 * first of argv (ended by NULL) that is no option. exe need not end in NUL.
 * Before there are threads. */
int shells_start (const char *list,
                  const char *exe,
                  size_t length,
                  const char *const *argv);

/* True for the script of this shell. Thread safe, async-signal-safe. */
int shells_is_script (const char *path, size_t length);

/* Calls with which a shell looks for programs: dropped[call] becomes value. */
void shells_drop_calls (unsigned char *dropped, unsigned char value);

#endif
