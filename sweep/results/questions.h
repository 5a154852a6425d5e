/* SPDX-License-Identifier: MIT
 *
 * questions.h - questions to the results -> tables; doubts about the numbers
 */
#pragma once

#include "lib/util/textable.h"
#include "sweep/results/compare.h"
#include "sweep/results/restable.h"
#include "sweep/results/resultset.h"

/* -- what is asked of the results -> tables on a stream -- */

enum question_kind {
    QUESTION_COMPARE,
    QUESTION_BASELINE,
    QUESTION_GROUP,
    QUESTION_EFFECTS
};

struct question {
    enum question_kind kind;
    struct compare compare;
    const int *axis; /* GROUP */
    size_t axes;
};

/* A table per metric: of these (NULL-terminated), of the sweep file's when it
 * is NULL, else of the usual ones that there are. */
void question_print (FILE *out,
                     const struct resultset *r,
                     const struct question *q,
                     const char *const *metrics,
                     enum table_format format);

/* Print the questions under results: of the sweep file, each after an empty
 * line. */
void questions_of_file (FILE *out,
                        const struct resultset *r,
                        enum table_format format);

/* -- how far the numbers of a sweep can be trusted; pure but for the stream --
 */

/* Does a metric drift with the position of a run in its repeat? Both are
 * taken relative to the mean of their point, so that what the points differ in
 * does not count. */
struct order_effect {
    size_t n;        /* runs that count */
    double per_run;  /* change per place in the order, as a fraction */
    double p;        /* probability of such a drift by chance; NaN: unknown */
    size_t left_out; /* runs that stand out, and do not count */
};

struct order_effect check_order (const struct resultset *r, int metric);

/* Runs that stand out from the other repeats of their point by more than the
 * repeats of the whole sweep scatter (a robust z of more than 5): one row each,
 * for all metrics. */
struct textable *check_outliers (const struct resultset *r);

/* Print missing and retried runs, drift and outliers, as lines for people. */
void check_print (FILE *out, const struct resultset *r);
