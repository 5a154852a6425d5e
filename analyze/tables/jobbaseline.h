/* SPDX-License-Identifier: MIT
 *
 * jobbaseline.h - a job and its baseline without real data -> what the loader
 * costs
 */
#ifndef DFT_ANALYZE_JOBBASELINE_H
#define DFT_ANALYZE_JOBBASELINE_H

#include "analyze/analyzeopts.h"
#include "analyze/tables/views.h"

struct jobbaseline;

/* The job that o->baseline names, with the rules and condition of the others.
 * NULL and err when it cannot be read, or is more than one job. */
struct jobbaseline *jobbaseline_load (const struct analyze_options *o,
                                      struct errtext *err);
void jobbaseline_destroy (struct jobbaseline *t); /* NULL is fine */
const struct result *jobbaseline_result (const struct jobbaseline *t);

/* A new table: first what the loader costs, then every metric that both have.
 * NULL when memory is short. */
struct textable *jobbaseline_table (const struct result *r,
                                    const struct result *baseline);

#endif
