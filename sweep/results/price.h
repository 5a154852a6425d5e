/* SPDX-License-Identifier: MIT
 *
 * price.h - traced runs and their untraced twins -> what tracing costs
 */
#ifndef DFT_SWEEP_PRICE_H
#define DFT_SWEEP_PRICE_H

#include "lib/util/json.h"
#include "lib/util/stats.h"
#include "sweep/status.h"

/* Relative differences of elapsed time, (traced - twin) / twin, one per pair
 * in which both are done. */
struct statistics price_of (const struct sweep_report *r);

/* One line, or nothing when there are no controls. */
void price_print (FILE *out,
                  const struct sweepdir *d,
                  const struct sweep_report *r);
void price_json (struct json *j, const struct sweep_report *r);

#endif
