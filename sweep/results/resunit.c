/* SPDX-License-Identifier: MIT
 *
 * resunit.c - a unit of metrics.json and one of columns.def -> a factor
 */
#include "config.h"

#include <string.h>

#include "sweep/results/resunit.h"

/* How many of the unit's base a unit is; 0: another kind of thing. */
static double unit_size (const char *unit, char *kind)
{
    static const struct {
        const char *unit;
        char kind;
        double size;
    } units[] = {
        {"", 'n', 1},
        {"%", 'n', 0.01},
        {"s", 't', 1},
        {"ms", 't', 1e-3},
        {"us", 't', 1e-6},
        {"ns", 't', 1e-9},
        {"B", 'b', 1},
        {"KiB", 'b', 1024},
        {"MiB", 'b', 1048576},
        {"GiB", 'b', 1073741824},
        {"B/s", 'r', 1},
        {"KiB/s", 'r', 1024},
        {"MiB/s", 'r', 1048576},
        {"GiB/s", 'r', 1073741824},
    };

    for (size_t i = 0; i < sizeof (units) / sizeof (units[0]); i++)
        if (!strcmp (units[i].unit, unit)) {
            *kind = units[i].kind;
            return units[i].size;
        }
    return 0;
}

double resunit_convert (const char *from, const char **unit)
{
    char x = 0, y = 0;
    double a = unit_size (from, &x), b = unit_size (*unit, &y);

    if (a > 0 && b > 0 && x == y)
        return a / b;
    *unit = from;
    return 1;
}
