/* SPDX-License-Identifier: MIT
 *
 * runs.h - when events were running, one by one: what is common, for unit tests
 */
#ifndef DFT_TESTS_UNIT_RUNS_H
#define DFT_TESTS_UNIT_RUNS_H

#include <stddef.h>
#include <stdint.h>

/* An event of a cell was running. */
struct run {
    size_t cell;
    uint64_t start, end;
};

static int by_cell (const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* n runs by their start -> stretches that do not touch. */
static size_t stretches (struct run *r, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (kept && r[i].start <= r[kept - 1].end) {
            if (r[i].end > r[kept - 1].end)
                r[kept - 1].end = r[i].end;
        } else
            r[kept++] = r[i];
    return kept;
}

static uint64_t
common (const struct run *a, size_t na, const struct run *b, size_t nb)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < na; i++)
        for (size_t k = 0; k < nb; k++) {
            uint64_t from = a[i].start > b[k].start ? a[i].start : b[k].start;
            uint64_t to = a[i].end < b[k].end ? a[i].end : b[k].end;

            sum += to > from ? to - from : 0;
        }
    return sum;
}

#endif
