/* SPDX-License-Identifier: MIT
 *
 * screenhalves.h - what of a job is in a profile -> lines of the first screen
 */
#ifndef DFT_ANALYZE_SCREENHALVES_H
#define DFT_ANALYZE_SCREENHALVES_H

#include "analyze/facts/summary.h"
#include "analyze/tables/screenline.h"

/* Nothing, where all is in events. */
void screenhalves_put (struct screen *s, const struct result *r);

#endif
