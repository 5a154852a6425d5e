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
 * ids, labels, LABEL.rN, or globs over these; each must mean something. -1 and
 * err for a filter that is wrong. */
int filter_report (struct sweepdir *d,
                   const struct filter_options *o,
                   struct sweep_report *r,
                   struct errtext *err);

/* As filter_report, for runs that are only planned ("queued"); d needs no more
 * than a path, a spec, a grid and a layout. Keeps the first `limit` of the
 * selected runs (0: all). In d's memory. */
int filter_runs (struct sweepdir *d,
                 const struct filter_options *o,
                 size_t limit,
                 struct run **run,
                 size_t *runs,
                 struct errtext *err);

/* Is anything filtered? */
int filter_used (const struct filter_options *o);
