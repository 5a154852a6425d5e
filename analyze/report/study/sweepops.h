/* SPDX-License-Identifier: MIT
 *
 * sweepops.h - metrics.json of a sweep's runs -> time of regions, notes
 */
#ifndef DFT_REPORT_SWEEPOPS_H
#define DFT_REPORT_SWEEPOPS_H

#include "lib/base/errtext.h"

struct sweepdata;

/* Fill d->op, d->notes and d->unread. A run whose metrics.json is missing or
 * damaged is counted in unread. 0, or -1 with err (ENOMEM). */
int sweepops_load (struct sweepdata *d, struct errtext *err);

#endif
