/* SPDX-License-Identifier: MIT
 *
 * grow.c - sbatch's words for time and memory, multiplied
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/spec/grow.h"

enum { DAY = 86400, FACTOR_MAX = 1000 };

int grow_parse (const char *text,
                double *time,
                double *mem,
                struct errtext *err)
{
    *time = *mem = 0;
    while (*text) {
        double *out = !strncmp (text, "time=", 5)  ? time
                      : !strncmp (text, "mem=", 4) ? mem
                                                   : NULL;
        char *end = NULL;

        if (out)
            *out = strtod (strchr (text, '=') + 1, &end);
        if (!out || (*end && *end != ',') || !(*out > 0) || *out > FACTOR_MAX) {
            errno = EINVAL;
            return errf (err,
                         "%s: factors, as in time=2,mem=1.5, should be "
                         "here",
                         text);
        }
        text = end + (*end == ',');
    }
    return 0;
}

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours[:min[:sec]] */
long grow_seconds (const char *limit)
{
    long days = 0, part[3] = {0};
    const char *dash = strchr (limit, '-'), *p = limit;
    int n = 0;
    char *end;

    if (!isdigit ((unsigned char)*limit))
        return -1;
    if (dash) {
        days = strtol (limit, &end, 10);
        if (end != dash)
            return -1;
        p = dash + 1;
    }
    while (n < 3) {
        if (!isdigit ((unsigned char)*p))
            return -1;
        part[n++] = strtol (p, &end, 10);
        if (!*end)
            break;
        if (*end != ':')
            return -1;
        p = end + 1;
    }
    if (*end)
        return -1;
    if (dash)
        return days * DAY + part[0] * 3600 + part[1] * 60 + part[2];
    return n == 1   ? part[0] * 60
           : n == 2 ? part[0] * 60 + part[1]
                    : part[0] * 3600 + part[1] * 60 + part[2];
}

const char *grow_time (struct arena *a, const char *limit, double factor)
{
    long s = grow_seconds (limit);

    if (s < 0)
        return NULL;
    s = (long)ceil ((double)s * factor);
    if (s >= DAY)
        return arena_format (a, "%ld-%02ld:%02ld:%02ld", s / DAY,
                             s % DAY / 3600, s / 60 % 60, s % 60);
    return arena_format (a, "%02ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

const char *grow_mem (struct arena *a, const char *size, double factor)
{
    static const char units[] = "KMGT";
    char *end;
    double n = strtod (size, &end);
    const char *unit = *end ? strchr (units, toupper ((unsigned char)*end))
                            : units + 1; /* sbatch's own is M */

    if (end == size || n < 0 || !unit || (*end && end[1]))
        return NULL;
    /* a smaller unit, so that 1.5 of 1G is not 2G */
    if (unit > units) {
        n *= 1024;
        unit--;
    }
    return arena_format (a, "%.0f%c", ceil (n * factor), *unit);
}
