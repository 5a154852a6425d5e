/* SPDX-License-Identifier: MIT
 *
 * twin.h - a job and its twin without real data -> what the loader costs
 */
#ifndef DFT_ANALYZE_TWIN_H
#define DFT_ANALYZE_TWIN_H

#include "analyze/views.h"

/* A new table: first what the loader costs, then every metric that both have.
 * NULL when memory is short. */
struct textable *twin_table (const struct result *r, const struct result *twin);

#endif
