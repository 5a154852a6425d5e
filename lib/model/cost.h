/* SPDX-License-Identifier: MIT
 *
 * cost.h - what I/O costs: the rows of costs.def
 *
 * All of it is constant; any thread may use it.
 */
#ifndef DFT_MODEL_COST_H
#define DFT_MODEL_COST_H

#include "lib/format/calls.h"

enum cost {
#define COST(NAME, TITLE, CATEGORY, CLASSES, MOVES, HELP) COST_##NAME,
#include "lib/model/costs.def"
#undef COST
    COST_COUNT,
    COST_NONE = COST_COUNT
};

struct cost_info {
    const char *name, *title, *help;
    int moves; /* has bytes */
};

/* Indexed by enum cost. */
extern const struct cost_info cost_table[COST_COUNT];

/* The row of a call on a file on storage. */
enum cost cost_of_call (enum call call);

#endif
