/* SPDX-License-Identifier: MIT
 *
 * asked.h - a question of the command line, about one job -> its table
 */
#pragma once

#include "analyze/analyzeopts.h"
#include "analyze/facts/question.h"
#include "analyze/tables/views.h"

struct asked {
    const struct analyze_options *o;
    struct textable *crossed; /* of several jobs; NULL: a table for each */
    struct textable *all;     /* the same, with a column that says the job */
    const struct query_answer *groups; /* of --by, --show, where it is known;
                                          NULL: it is not */
};

/* Is it answered in the reading that it takes itself (question.h), so that it
 * needs no totals? */
int asked_alone (const struct analyze_options *o);

/* All that the answer to --by and --show depends on, but for the job and the
 * program; malloc'd. NULL: ENOMEM. */
char *asked_question (const struct analyze_options *o);

/* The columns of groups. */
void asked_columns (const struct analyze_options *o, struct textable *t);

/* Answer it from the job, which has been read, and print the answer, or put it
 * where those of others are. 0, or -1: it was said why. */
int asked_print (const struct asked *a, const struct result *r);
