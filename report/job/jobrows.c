/* SPDX-License-Identifier: MIT
 *
 * jobrows.c - processes of a job -> the rows of a figure
 *
 * In:  processes and what they weigh
 * Out: names and choices, to figures
 */
#include "config.h"

#include "report/job/jobrows.h"

#include <string.h>

#include "lib/util/fsutil.h"

char *jobrow_name (const struct scan_process *p)
{
    return p->rank >= 0
               ? text_format ("rank %d, %s:%u", p->rank, p->host, p->pid)
               : text_format ("%s:%u", p->host, p->pid);
}

size_t jobrows_choose (const double *weight, size_t n, size_t row[JOBROWS_MAX])
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        size_t least = 0;

        if (kept < JOBROWS_MAX) {
            row[kept++] = i;
            continue;
        }
        for (size_t k = 1; k < kept; k++)
            if (weight[row[k]] < weight[row[least]])
                least = k;
        if (weight[i] <= weight[row[least]])
            continue;
        memmove (row + least, row + least + 1,
                 (kept - least - 1) * sizeof (row[0]));
        row[kept - 1] = i;
    }
    return kept;
}

void jobrows_say (
    FILE *out, size_t shown, size_t all, const char *what, const char *by)
{
    if (shown < all)
        (void)fprintf (out, " %zu of %zu %s, those with the most %s.", shown,
                       all, what, by);
}
