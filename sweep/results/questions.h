/* SPDX-License-Identifier: MIT
 *
 * questions.h - what is asked of the results -> tables on a stream
 */
#ifndef DFT_SWEEP_QUESTIONS_H
#define DFT_SWEEP_QUESTIONS_H

#include "sweep/results/compare.h"
#include "sweep/results/group.h"

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

/* What the sweep file asks under results:, each after an empty line. */
void questions_of_file (FILE *out,
                        const struct resultset *r,
                        enum table_format format);

#endif
