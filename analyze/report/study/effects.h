/* SPDX-License-Identifier: MIT
 *
 * effects.h - effects of axes, and the figures of a sweep
 */
#pragma once

#include <stdio.h>

#include "analyze/report/study/choice.h"
#include "analyze/report/study/roles.h"
#include "analyze/report/study/sweepdata.h"
#include "lib/util/stats.h"

/* --- effects.c: what changing one axis does, everything else equal; pure ---
 */

/* Ratios of pairs. */
struct effect {
    double mean;      /* geometric; NaN without a pair */
    double lo, hi;    /* smallest and largest */
    double low, high; /* 95 % interval of the mean: Student's t of the
                         logarithms; NaN for fewer than two pairs */
    size_t pairs;     /* with a ratio */
    size_t without;   /* pairs in which a number is n/a, or not above zero */
    struct statistics logs;
};

/* Pair by pair, then the end; b against a. */
void effect_begin (struct effect *e);
void effect_pair (struct effect *e, double a, double b);
void effect_end (struct effect *e);

/* A level of an axis / its first, over all settings of the others. */
void effect_of (struct effect *e,
                const struct sweepdata *d,
                size_t axis,
                size_t level,
                const char *metric);

/* Pairs of runs, repeat by repeat, where there is one pair of points. */
void effect_of_runs (struct effect *e,
                     const struct sweepdata *d,
                     size_t axis,
                     size_t level,
                     const char *metric);

/* "higher", "lower", "the same within 10 %", or "too few to tell". */
const char *effect_verdict (const struct effect *e);

/* The metric that the three first sentences of a page are about. */
const char *effect_metric (const struct sweepdata *d,
                           const struct study_choice *c);

/* Time of a run with the tracer / time of its untraced control (control: in the
 * sweep's file), over all pairs that are done. */
void effect_of_tracing (struct effect *e, const struct sweepdata *d);

/* Only add the pairs of a sweep's runs.csv. */
void effect_tracing_pairs (struct effect *e, const struct csv *runs);

/* --- fig_sweep.c: the figures of a sweep --- */

/* The chosen figures, for whatever axes the sweep has. */
void fig_sweep (FILE *out,
                const struct sweepdata *d,
                const struct axis_roles *roles,
                const struct study_choice *c);
