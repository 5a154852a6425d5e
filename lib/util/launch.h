/* SPDX-License-Identifier: MIT
 *
 * launch.h - run a command as if we were not there
 */
#pragma once

#include <sys/types.h>

/* -- run a command as if we were not there -- */

/* Called to add to the command's environment. */
typedef void (*launch_setup_f) (void *cookie);

/* Start argv (NULL-terminated, searched in PATH) after setup (cookie) in the
 * child, with our signal mask and dispositions; hand on the signals that are
 * sent to us; wait. Its process id and wait status, or -1 with errno when it
 * could not be started. Not thread safe. */
pid_t launch (char **argv, launch_setup_f setup, void *cookie, int *status);

/* End as the command did: its exit status is returned; of a signal we die as
 * well, without a core file (128 + signal is returned where we do not). */
int launch_exit_status (int status);

/* -- a program's output and exit status -- */

/* Run argv (searched in PATH, no shell) with nothing to read, and keep at most
 * size - 1 bytes of what it prints on both outputs. Ended after seconds. Its
 * exit status; 127 when there is no such program, -1 when it was killed. */
int capture (const char *const *argv, unsigned seconds, char *buf, size_t size);
