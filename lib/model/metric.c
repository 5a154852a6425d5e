/* SPDX-License-Identifier: MIT
 *
 * metric.c - the rows of metrics.def: names, units, digits, definitions
 */
#include "config.h"

#include "lib/model/metric.h"

#include <string.h>

const struct metric_info metric_table[METRIC_COUNT] = {
#define METRIC(NAME, TITLE, UNIT, DIGITS, SECTION, NEED, VALUE, TEXT) \
    {#NAME, TITLE, UNIT, DIGITS, METRIC_SECTION_##SECTION, TEXT},
#include "lib/model/metrics.def"
#undef METRIC
};

static const struct {
    const char *name;
    int metric;
} metrics_old[] = {
#define METRIC_OLD(OLD, NAME) {#OLD, METRIC_##NAME},
#include "lib/model/oldmetrics.def"
#undef METRIC_OLD
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
    for (size_t i = 0; i < sizeof (metrics_old) / sizeof (metrics_old[0]); i++)
        if (strcmp (metrics_old[i].name, name) == 0)
            return metrics_old[i].metric;
    return -1;
}
