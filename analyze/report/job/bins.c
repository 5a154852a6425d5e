/* SPDX-License-Identifier: MIT
 *
 * bins.c - the time of a job in equal pieces, and what is in each
 *
 * In:  intervals of time, amounts
 * Out: nanoseconds and amounts by bin, as integers: their sums do not depend
 *      on the order in which they are made
 */
#include "config.h"

#include "analyze/report/job/bins.h"

#include <string.h>

__extension__ typedef unsigned __int128 bins_wide;

void bins_init (struct bins *b, uint64_t start, uint64_t end)
{
    uint64_t ns = end > start ? end - start : 1;

    for (size_t i = 0; i <= BINS; i++)
        b->edge[i] = start + (uint64_t)((bins_wide)ns * i / BINS);
    b->per_ns = BINS / (double)ns;
}

uint64_t bins_width (const struct bins *b, size_t bin)
{
    uint64_t ns = b->edge[bin + 1] - b->edge[bin];

    return ns ? ns : 1;
}

double bins_seconds (const struct bins *b)
{
    return (double)(b->edge[BINS] - b->edge[0]) / 1e9;
}

double bins_bin_seconds (const struct bins *b)
{
    return bins_seconds (b) / BINS;
}

size_t bins_at (const struct bins *b, uint64_t t)
{
    size_t i;

    if (t <= b->edge[0])
        return 0;
    if (t >= b->edge[BINS])
        return BINS - 1;
    i = (size_t)((double)(t - b->edge[0]) * b->per_ns);
    i = i < BINS ? i : BINS - 1;
    while (t < b->edge[i])
        i--;
    while (t >= b->edge[i + 1])
        i++;
    return i;
}

static uint64_t bins_clamp (const struct bins *b, uint64_t t)
{
    return t < b->edge[0] ? b->edge[0] : t > b->edge[BINS] ? b->edge[BINS] : t;
}

void bins_spread (const struct bins *b,
                  uint64_t to[BINS],
                  uint64_t start,
                  uint64_t end,
                  uint64_t amount)
{
    uint64_t before = 0;
    size_t i, last;

    start = bins_clamp (b, start);
    end = bins_clamp (b, end);
    i = bins_at (b, start);
    last = end > start ? bins_at (b, end - 1) : i;
    for (; i < last; i++) {
        uint64_t until = (uint64_t)((bins_wide)amount *
                                    (b->edge[i + 1] - start) / (end - start));

        to[i] += until - before;
        before = until;
    }
    to[last] += amount - before;
}

/* --- lanes -----------------------------------------------------------------
 */

/* Add [start, end), of which nothing is in the bins yet. */
static void lane_put (struct lanetime *l,
                      const struct bins *b,
                      uint64_t start,
                      uint64_t end)
{
    for (size_t i = bins_at (b, start); i < BINS && b->edge[i] < end; i++) {
        uint64_t from = start > b->edge[i] ? start : b->edge[i];
        uint64_t to = end < b->edge[i + 1] ? end : b->edge[i + 1];

        l->ns[i] += to > from ? to - from : 0;
    }
}

/* All of [start, end) was busy; of that the bins have a part already. */
static void lane_cover (struct lanetime *l,
                        const struct bins *b,
                        uint64_t start,
                        uint64_t end)
{
    for (size_t i = bins_at (b, start); i < BINS && b->edge[i] < end; i++) {
        uint64_t from = start > b->edge[i] ? start : b->edge[i];
        uint64_t to = end < b->edge[i + 1] ? end : b->edge[i + 1];
        uint64_t most = to > b->edge[i] ? to - b->edge[i] : 0;
        uint64_t sum = l->ns[i] + (to > from ? to - from : 0);

        l->ns[i] = from == b->edge[i] || sum > most ? most : sum;
    }
}

static void
lane_settle_some (struct lanetime *l, const struct bins *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lane_put (l, b, l->open[i].start, l->open[i].end);
    if (count)
        l->settled = l->open[count - 1].end;
    l->count -= count;
    memmove (l->open, l->open + count, l->count * sizeof (l->open[0]));
}

void lane_add (struct lanetime *l,
               const struct bins *b,
               uint64_t start,
               uint64_t end)
{
    struct lane_stretch *last;

    start = bins_clamp (b, start);
    end = bins_clamp (b, end);
    if (start >= end)
        return;
    l->used = 1;
    while (l->count && l->open[l->count - 1].start >= start)
        l->count--;
    if (l->count) {
        last = &l->open[l->count - 1];
        if (last->end >= start) {
            last->end = end > last->end ? end : last->end;
            return;
        }
    } else if (start < l->settled) {
        lane_cover (l, b, start, end < l->settled ? end : l->settled);
        if (end <= l->settled)
            return;
        start = l->settled;
    }
    if (l->count == LANE_STRETCHES)
        lane_settle_some (l, b, LANE_STRETCHES / 2);
    l->open[l->count++] = (struct lane_stretch){start, end};
}

void lane_settle (struct lanetime *l, const struct bins *b)
{
    lane_settle_some (l, b, l->count);
}

void lane_clear (struct lanetime *l)
{
    if (l->used)
        memset (l->ns, 0, sizeof (l->ns));
    l->count = 0;
    l->settled = 0;
    l->used = 0;
}
