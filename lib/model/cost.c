/* SPDX-License-Identifier: MIT
 *
 * cost.c - the rows of costs.def, and which one a call belongs to
 *
 * In:  calls
 * Out: enum cost, to analyze/
 */
#include "config.h"

#include "lib/model/cost.h"

const struct cost_info cost_table[COST_COUNT] = {
#define COST(NAME, TITLE, CATEGORY, CLASSES, MOVES, HELP) \
    {#NAME, TITLE, HELP, MOVES},
#include "lib/model/costs.def"
#undef COST
};

enum cost cost_of_call (enum call call)
{
    static const struct {
        uint8_t category;
        unsigned classes;
    } rows[COST_COUNT] = {
#define COST(NAME, TITLE, CATEGORY, CLASSES, MOVES, HELP) \
    {CALL_CATEGORY_##CATEGORY, CLASSES},
#include "lib/model/costs.def"
#undef COST
    };
    const struct call_info *info = &call_table[call];

    if (call >= CALL_aio_submit && call <= CALL_aio_fsync)
        return COST_async;
    for (int row = 0; row < COST_COUNT; row++)
        if (rows[row].category == info->category &&
            rows[row].classes >> info->class & 1)
            return (enum cost)row;
    return COST_NONE;
}
