/* SPDX-License-Identifier: MIT
 *
 * junit.h - runs and checks of a sweep -> JUnit XML, for CI systems
 */
#ifndef DFT_SWEEP_JUNIT_H
#define DFT_SWEEP_JUNIT_H

#include "sweep/results/resultset.h"

/* A test suite of the sweep's name; a test case "runs" per point (an error
 * when a run has failed, skipped while runs are to come), and one per check
 * (a failure when it fails). */
void junit_print (FILE *out, const struct resultset *r);

/* The same into a file, whole or not at all. 0, or -1 with err. */
int junit_write (const char *path,
                 const struct resultset *r,
                 struct errtext *err);

#endif
