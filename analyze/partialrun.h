/* SPDX-License-Identifier: MIT
 *
 * partialrun.h - a job analyzed by several tasks: one partition, all together
 *
 * A view by key takes two rounds: the totals of all partitions, which say what
 * belongs to which rank and step (the context), then the groups of each
 * partition. A failure ends the analysis of the job (die).
 */
#pragma once

#include "analyze/tables/analyzeopts.h"
#include "analyze/facts/summary.h"

/* Analyze a partition of a job and write it down; what is there already, whole
 * and younger than the traces, is left alone. *damaged is set when something is
 * lost. */
void partial_task (struct job *job,
                   const struct analyze_options *o,
                   int *damaged);

/* Put the partitions of a job together, as if it had been loaded: sources are
 * listed and not open; with o->tasks srun makes the partitions first. */
void partial_reduce (struct totals *t,
                     struct job *job,
                     const struct analyze_options *o);

/* The second round of a view by key: of a job that was reduced; with
 * o->tasks srun does the partitions first. */
void partial_groups (struct query_answer *a,
                     const struct analyze_options *o,
                     const struct result *r);

/* Remove all that is in DIR/partials. */
void partial_forget (const struct job *job);

/* --- asked.c: a question of the command line, about one job -> its table ---
 */

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
 * program; malloc'd. */
char *asked_question (const struct analyze_options *o);

/* The columns of groups. */
void asked_columns (const struct analyze_options *o, struct textable *t);

/* Answer it from the job, which has been read, and print the answer, or put it
 * where those of others are. 0, or -1: it was said why. */
int asked_print (const struct asked *a, const struct result *r);
