/* SPDX-License-Identifier: MIT
 *
 * overhead.h - traced runs and their untraced controls -> what tracing costs
 */
#ifndef DFT_SWEEP_OVERHEAD_H
#define DFT_SWEEP_OVERHEAD_H

#include "lib/util/json.h"
#include "lib/util/stats.h"
#include "sweep/status.h"

/* Logarithms of traced / control of elapsed time, one per pair in which both
 * are done: noise that makes some runs slower makes no price. */
struct statistics overhead_of (const struct sweep_report *r);

/* One line, or nothing when there are no controls. */
void overhead_print (FILE *out,
                     const struct sweepdir *d,
                     const struct sweep_report *r);
void overhead_json (struct json *j, const struct sweep_report *r);

#endif
