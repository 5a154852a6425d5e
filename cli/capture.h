/* SPDX-License-Identifier: MIT
 *
 * capture.h - a program's output and exit status
 */
#ifndef DFT_CLI_CAPTURE_H
#define DFT_CLI_CAPTURE_H

#include <stddef.h>

/* Run argv (searched in PATH, no shell) with nothing to read, and keep at most
 * size - 1 bytes of what it prints on both outputs. Ended after seconds. Its
 * exit status; 127 when there is no such program, -1 when it was killed. */
int capture (const char *const *argv, unsigned seconds, char *buf, size_t size);

#endif
