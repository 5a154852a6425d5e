/* SPDX-License-Identifier: MIT
 *
 * verdict.h - check: of the sweep file, against the numbers of the points
 */
#ifndef DFT_RESULTS_VERDICT_H
#define DFT_RESULTS_VERDICT_H

#include "lib/util/textable.h"
#include "sweep/results/resultset.h"

/* -- check: of the sweep file, against the numbers of the points -- */

enum verdict {
    VERDICT_NONE = 0, /* the check is not about this point */
    VERDICT_PASS,
    VERDICT_FAIL,
    VERDICT_OPEN, /* runs of the point are still to come */
    VERDICTS
};

/* "-", "pass", "fail", "open" */
const char *verdict_word (enum verdict v);

/* The worst of all checks of a point: fail, open, pass. */
enum verdict verdict_point (const struct resultset *r, int point);

/* Over all points of the results; count[verdict]. */
void verdict_count (const struct resultset *r, size_t count[VERDICTS]);

/* A row per point and check that is about it. */
struct textable *verdict_table (const struct resultset *r);

/* The sums as they stand in DIR/results/checks.csv; 0: there is none. */
int verdict_written (struct sweepdir *d, size_t count[VERDICTS]);

/* Exit status of a sweep whose runs are all done, by what is written there. */
int verdict_status (struct sweepdir *d);

/* The table and a line with the sums; nothing without checks. */
void verdict_print (FILE *out,
                    const struct resultset *r,
                    enum table_format format);

/* -- runs and checks of a sweep -> JUnit XML, for CI systems -- */

/* As junit_print, into a file that appears whole or not at all. Return 0, or -1
 * with err. */
int junit_write (const char *path,
                 const struct resultset *r,
                 struct errtext *err);

#endif
