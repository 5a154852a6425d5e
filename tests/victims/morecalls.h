/* SPDX-License-Identifier: MIT
 *
 * morecalls.h - parts of one victim; lines go to standard error
 */
#ifndef DFT_TESTS_MORECALLS_H
#define DFT_TESTS_MORECALLS_H

#define REPORT_TO stderr
#include "tests/victims/report.h"

enum { ROOM = 4096 };

/* For reading and writing, made where it is not there. */
int do_open (const char *path);

/* fscanf, printf, getc and their kin. */
void morecalls_streams (void);

#endif
