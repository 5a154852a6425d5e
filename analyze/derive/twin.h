/* SPDX-License-Identifier: MIT
 *
 * twin.h - a job and its twin without real data -> what the loader costs
 */
#ifndef DFT_ANALYZE_TWIN_H
#define DFT_ANALYZE_TWIN_H

#include "analyze/analyzeopts.h"
#include "analyze/render/views.h"

struct twin;

/* The job that o->twin names, with the rules and condition of the others. NULL
 * and err when it cannot be read, or is more than one job. */
struct twin *twin_load (const struct analyze_options *o, struct errtext *err);
void twin_destroy (struct twin *t); /* NULL is fine */
const struct result *twin_result (const struct twin *t);

/* A new table: first what the loader costs, then every metric that both have.
 * NULL when memory is short. */
struct textable *twin_table (const struct result *r, const struct result *twin);

#endif
