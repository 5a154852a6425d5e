/* SPDX-License-Identifier: MIT
 *
 * effects.h - what changing one axis does, everything else equal; pure
 */
#ifndef DFT_REPORT_EFFECTS_H
#define DFT_REPORT_EFFECTS_H

#include "report/sweepdata.h"

/* Ratios of a metric over pairs of points that differ in one axis only. */
struct effect {
    double mean; /* geometric; NaN without a pair */
    double lo, hi;
    size_t pairs;   /* with a ratio */
    size_t without; /* pairs in which a number is n/a, or not above zero */
};

/* level / base of an axis, over all settings of the others. */
void effect_of (struct effect *e,
                const struct sweepdata *d,
                size_t axis,
                size_t base,
                size_t level,
                const char *metric);

/* Time of a run with the tracer / time of its untraced twin (control: in the
 * sweep's file), over all pairs that are done. */
void effect_of_tracing (struct effect *e, const struct sweepdata *d);

#endif
