/* SPDX-License-Identifier: MIT
 *
 * division.h - into which files the partitions of a job go (for partial*.c)
 */
#ifndef DFT_ANALYZE_DIVISION_H
#define DFT_ANALYZE_DIVISION_H

#include "analyze/analyzeopts.h"
#include "analyze/query/partial.h"
#include "analyze/query/query.h"

struct division {
    enum partial_what what;
    uint64_t rules;      /* that the files must say */
    unsigned partitions; /* 0: not known */
};

/* Of totals; of the groups that --view asks for, in this context. */
struct division division_of_totals (const struct analyze_options *o);
struct division division_of_groups (const struct analyze_options *o,
                                    const struct query_context *context);

/* Is the partition there, by the same rules? */
int division_has (const struct division *d,
                  const struct job *job,
                  unsigned partition);
unsigned division_missing (const struct division *d, const struct job *job);

/* Find out into how many partitions the job was divided: the division that is
 * complete, or the one of which least is missing. d->partitions stays 0: there
 * is none. */
void division_find (struct division *d, const struct job *job);

/* errno and err: which one is missing, and how to make it. -1. */
int division_say_missing (const struct division *d,
                          const struct job *job,
                          struct errtext *err);

/* Is the file there, and younger than the sources of the job? */
int division_is_young (const struct job *job, const char *path);

/* "DIR/partials/context"; malloc'd, NULL: ENOMEM. */
char *division_context_path (const struct job *job);

/* Remove all that is in partials/. */
void division_forget (const struct job *job);

#endif
