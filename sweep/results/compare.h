/* SPDX-License-Identifier: MIT
 *
 * compare.h - two values of an axis, paired by repeat: which is larger, by how
 *      much, and how sure is that; pure
 */
#ifndef DFT_RESULTS_COMPARE_H
#define DFT_RESULTS_COMPARE_H

#include "lib/util/textable.h"
#include "sweep/results/resultset.h"

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
 * logarithms). */
struct textable *
compare_table (const struct resultset *r, const struct compare *c, int metric);

/* As compare_table, with the difference right - left, which is the cost of the
 * right value. */
struct textable *
baseline_table (const struct resultset *r, const struct compare *c, int metric);

/* Return the number of rows of these tables whose interval contains no
 * difference; *rows gets the number of rows with an interval. */
size_t compare_unclear (const struct resultset *r,
                        const struct compare *c,
                        int metric,
                        int of_ratio,
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

#endif
