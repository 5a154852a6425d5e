/* SPDX-License-Identifier: MIT
 *
 * sweepspec.h - what the frozen sweep file says about axes and results
 */
#ifndef DFT_REPORT_SWEEPSPEC_H
#define DFT_REPORT_SWEEPSPEC_H

#include "lib/base/errtext.h"

struct sweepdata;

/* Read d->dir/spec.yaml into d->spec; without such a file d->spec is NULL. 0,
 * or -1 with err. */
int sweepspec_load (struct sweepdata *d, struct errtext *err);

/* Is a column of points.csv an axis? Without a sweep file all of them are;
 * with one, `const`, `derive` and companions of an axis are none. */
int sweepspec_is_axis (const struct sweepdata *d, const char *column);

/* Fill d->plot and d->metric; the axes of d must be there. Names of metrics
 * are those of today. 0, or -1 (ENOMEM). */
int sweepspec_results (struct sweepdata *d);

#endif
