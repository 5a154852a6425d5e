/* SPDX-License-Identifier: MIT
 *
 * partialrun.h - a job analyzed by several tasks: one partition, all together
 *
 * A view by key takes two rounds: the totals of all partitions, which say what
 * belongs to which rank and step (the context), then the groups of each
 * partition.
 */
#pragma once

#include "analyze/analyzeopts.h"
#include "analyze/facts/summary.h"

/* Analyze a partition of a job and write it down; what is there already, whole
 * and younger than the traces, is left alone. 0, or -1 with err; *damaged is
 * set when something is lost. */
int partial_task (struct job *job,
                  const struct analyze_options *o,
                  int *damaged,
                  struct errtext *err);

/* Put the partitions of a job together, as if it had been loaded: sources are
 * listed and not open; with o->tasks srun makes the partitions first. Return 0,
 * or -1 with err: one is missing or of other traces. */
int partial_reduce (struct totals *t,
                    struct job *job,
                    const struct analyze_options *o,
                    struct errtext *err);

/* The second round of a view by key: of a job that was reduced; with
 * o->tasks srun does the partitions first. 0, or -1 with err: the round is
 * still to be done, or as above. */
int partial_groups (struct query_answer *a,
                    const struct analyze_options *o,
                    const struct result *r,
                    struct errtext *err);

/* Remove all that is in DIR/partials. */
void partial_forget (const struct job *job);
