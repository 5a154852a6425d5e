/* SPDX-License-Identifier: MIT
 *
 * phases.h - start, training, epochs and checkpoints of the ranks
 */
#ifndef DFT_ANALYZE_PHASES_H
#define DFT_ANALYZE_PHASES_H

#include "analyze/facts/summary.h"

/* Fill the ranks' startup and the summary's start, train and cold; times are
 * known. 0, or -1 with errno. */
int phases_make (struct summary *s, const struct totals *t);

#endif
