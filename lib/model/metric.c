/* SPDX-License-Identifier: MIT
 *
 * metric.c - the rows of metrics.def: names, units, digits, definitions
 */
#include "config.h"

#include "lib/model/metric.h"

#include <string.h>

const struct metric_info metric_table[METRIC_COUNT] = {
#define METRIC(NAME, TITLE, UNIT, DIGITS, SECTION, NEED, MADE_OF, VALUE, TEXT) \
    {                                                                          \
        #NAME,                                                                 \
        TITLE,                                                                 \
        UNIT,                                                                  \
        DIGITS,                                                                \
        METRIC_SECTION_##SECTION,                                              \
        METRIC_OF_##MADE_OF,                                                   \
        TEXT},
#include "lib/model/metrics.def"
#undef METRIC
};

int metric_in_study (enum metric m)
{
    return metric_table[m].section == METRIC_SECTION_IO ||
           metric_table[m].section == METRIC_SECTION_CHECKPOINT;
}

int metric_parse (const char *name)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        if (strcmp (metric_table[m].name, name) == 0)
            return m;
    return -1;
}
