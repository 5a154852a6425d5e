/* SPDX-License-Identifier: MIT
 *
 * spanbill.c - intervals of several classes, by their start -> time of each
 *
 * In:  intervals, from spanmerge.c
 * Out: ns of each class, to spanunion.c
 */
#include "config.h"

#include "analyze/query/spans/spanbill.h"

/* The first class of those in mask that runs at s->now; -1: none. */
static int spanbill_first (struct spanbill_sweep *s, uint32_t mask)
{
    for (uint32_t left = s->running & mask; left; left &= left - 1) {
        int class = __builtin_ctz (left);

        if (s->end[class] > s->now)
            return class;
        s->running &= ~(1u << class);
    }
    return -1;
}

void spanbill_divide (struct spanbill_sweep *s, uint64_t start)
{
    int class = -1;

    while (s->now < start && (class = spanbill_first (s, SPANBILL_BILLED)) >= 0) {
        int help = -1;
        uint64_t to;

        to = s->end[class] < start ? s->end[class] : start;
        if (s->bill.asks >> class & 1)
            help = spanbill_first (s, ~SPANBILL_BILLED);
        if (help >= 0 && s->end[help] < to)
            to = s->end[help];
        s->bill.own[help >= 0 ? help : class] += to - s->now;
        s->now = to;
    }
    s->now = start;
    class = spanbill_first (s, SPANBILL_BILLED);
    s->first = class < 0 ? SPANBILL_NOBODY : (uint32_t) class;
}

void spanbill_add (struct spanbill *to, const struct spanbill *more)
{
    for (int i = 0; i < SPANBILL_NOBODY; i++) {
        to->own[i] += more->own[i];
        to->all[i] += more->all[i];
    }
}
