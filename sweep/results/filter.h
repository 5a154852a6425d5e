/* SPDX-License-Identifier: MIT
 *
 * filter.h - which runs a verb is about: --where, --only, ids, label globs
 */
#pragma once

#include "sweep/submit/status.h"

struct filter_options {
    const char *where, *only;
    char *const *word; /* operands after the first: runs, when not all */
    int words;
};

/* Rows of a verb's option table. */
#define FILTER_OPTIONS(F)                                               \
    {"where",  'w',                                                     \
     OPT_TEXT, &(F).where,                                              \
     "EXPR",   "only runs for which it is true, as in \"seq > 2048\""}, \
    {                                                                   \
        "only", 0, OPT_TEXT, &(F).only, "STATES",                       \
            "only runs in these states, as in timeout,lost; or bad, "   \
            "open, good"                                                \
    }

/* Keep in r the rows that are meant, and count again. Words are run ids, point
 * ids, labels, LABEL.rN, or globs over these; each must mean something. A wrong
 * filter ends the command with this exit status. */
void filter_report (struct sweepdir *d,
                    const struct filter_options *o,
                    int wrong,
                    struct sweep_report *r);

/* As filter_report, for runs that are only planned ("queued"); d needs no more
 * than a path, a spec, a grid and a layout. The first `limit` of the selected
 * runs (0: all). */
struct run *filter_runs (struct sweepdir *d,
                         const struct filter_options *o,
                         int wrong,
                         size_t limit,
                         size_t *runs);

/* Is anything filtered? */
int filter_used (const struct filter_options *o);
