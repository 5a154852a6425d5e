/* SPDX-License-Identifier: MIT
 *
 * chain.h - processes one after another -> the least time that a job can take
 */
#ifndef DFT_FACTS_CHAIN_H
#define DFT_FACTS_CHAIN_H

#include "analyze/facts/summary.h"

/* Fill waited and chain_busy of s from the times of the processes. 0, or -1
 * (ENOMEM). */
int chain_find (struct summary *s, const struct totals *t);

#endif
