/* SPDX-License-Identifier: MIT
 *
 * compare.h - comparison with the baseline, and the verdict
 */
#pragma once

#include "lib/util/textable.h"
#include "sweep/results/resultset.h"

/* --- compare.c: two values of an axis, paired by repeat: which is larger, by
 * how much, and how sure is that; pure ---
 */

/* "access=mmap:direct", "data=mock", "seq,gbs" -> what they name; -1 and
 * err. */
int compare_parse (const struct sweepdir *d,
                   const char *text,
                   struct compare *out,
                   struct errtext *err);
int baseline_parse (const struct sweepdir *d,
                    const char *text,
                    struct compare *out,
                    struct errtext *err);
int group_parse (const struct sweepdir *d,
                 const char *text,
                 int **axis,
                 size_t *count,
                 struct errtext *err);

/* Two points that differ in the compared axis alone. */
struct comparison {
    int left_point, right_point;
    struct statistics left, right;       /* over their runs */
    struct statistics ratio, difference; /* paired; ratio: logarithms */
    struct statistics paired_right;      /* of the runs that are in a pair */
};

/* All of them, in grid order; in the memory of r. */
size_t compare_pairs (const struct resultset *r,
                      const struct compare *c,
                      int metric,
                      struct comparison **out);

/* One row per setting of the other axes: both means with half intervals, the
 * ratio right / left paired by repeat, with its 95 % interval (of the mean of
 * logarithms); of_cost: with the difference right - left instead, which is the
 * cost of the right value. */
struct textable *compare_table (const struct resultset *r,
                                const struct compare *c,
                                int metric,
                                int of_cost);

/* Return the number of rows of such a table whose interval contains no
 * difference; *rows gets the number of rows with an interval. */
size_t compare_unclear (const struct resultset *r,
                        const struct compare *c,
                        int metric,
                        int of_cost,
                        size_t *rows);

/* Every other value of the axis against the left one of `base`. */
size_t baseline_compares (const struct resultset *r,
                          const struct compare *base,
                          struct compare **out);

/* Return the comparisons of the sweep file; without any, those of axes with two
 * values. */
size_t compare_asked (const struct resultset *r, struct compare **out);

/* These, for every metric, as rows for programs. */
struct textable *compare_all (const struct resultset *r,
                              const struct compare *c,
                              size_t compares);

/* --- verdict.c: check: of the sweep file, against the numbers of the points
 * ---
 */

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
