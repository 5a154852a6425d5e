/* SPDX-License-Identifier: MIT
 *
 * runtable.h - runs of a report -> rows, for programs; pure
 */
#ifndef DFT_SWEEP_RUNTABLE_H
#define DFT_SWEEP_RUNTABLE_H

#include "lib/util/textable.h"
#include "sweep/status.h"

/* One row per run: ids, axes, array and task, state and why, attempt, nodes,
 * directory. */
struct textable *runtable_make (struct sweepdir *d,
                                const struct sweep_report *r);

/* The same of runs that are only planned. */
struct textable *
runtable_planned (struct sweepdir *d, const struct run *run, size_t runs);

#endif
