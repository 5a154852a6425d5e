/* SPDX-License-Identifier: MIT
 *
 * equals.h - processes that should have equal work -> who has more
 */
#ifndef DFT_FACTS_EQUALS_H
#define DFT_FACTS_EQUALS_H

#include "analyze/facts/summary.h"

/* Processes of one program and one parent, or ranks of a step, that begin
 * together: the one that ends last. Times are in s. */
struct latecomer {
    const struct process *who; /* NULL: there is none */
    size_t equals;             /* with it */
    double self_s, next_s; /* from its start until its own end, until that of
                              the one before it */
    double alone_s;        /* between both */
};

/* Workers of the processes that train: their children that load data. */
struct workers {
    double lanes; /* processes that train and have workers */
    double waves; /* sets of workers that they started, one after another */
    /* Where there is one set: of the processes that train, the one whose
     * slowest worker has most beyond the next one. */
    double most_s, next_s;
    const struct process *slowest;
};

/* 0, or -1 (ENOMEM). */
int latecomer_find (struct latecomer *l,
                    const struct summary *s,
                    const struct totals *t);
int workers_find (struct workers *w,
                  const struct summary *s,
                  const struct totals *t);

#endif
