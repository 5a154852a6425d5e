/* SPDX-License-Identifier: MIT
 *
 * scansums.c - what several workers have read of a job -> one
 *
 * In:  histograms, sums, steps, from jobscan.c
 * Out: the same of all
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/report/job/jobscan.h"

static int scansums_order (const void *a, const void *b)
{
    const struct scan_step *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static void scansums_numbers (uint64_t *to, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

int scansums_add (struct scan_sums *to, const struct scan_sums *from)
{
    size_t n = to->step_count + from->step_count;
    struct scan_step *step = reallocarray (to->step, n + 1, sizeof (*step));

    if (!step)
        return -1;
    to->step = step;
    if (from->step_count)
        memcpy (step + to->step_count, from->step,
                from->step_count * sizeof (*step));
    to->step_count = to->step_room = n;
    for (size_t i = 0; i < 2; i++) {
        hist_merge (&to->size[i], &from->size[i]);
        scansums_numbers (to->placed[i], from->placed[i], PLACED_COUNT);
        scansums_numbers (to->ended[i], from->ended[i], BINS);
        scansums_numbers (to->ended_bytes[i], from->ended_bytes[i], BINS);
    }
    for (size_t i = 0; i < SCAN_CLASSES; i++)
        hist_merge (&to->latency[i], &from->latency[i]);
    hist_merge (&to->steps, &from->steps);
    return 0;
}

void scansums_sort (struct scan_sums *s)
{
    if (s->step_count)
        qsort (s->step, s->step_count, sizeof (*s->step), scansums_order);
}
