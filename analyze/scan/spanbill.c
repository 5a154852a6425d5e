/* SPDX-License-Identifier: MIT
 *
 * spanbill.c - times of several classes -> time of each class
 *
 * In:  which classes there are; lengths of unions, from spanunion.c
 * Out: which unions; ns of each class
 *
 * While a class that asks has the time, its helpers may get it: A is the union
 * of the classes up to it, B that of those before it, H that of the helpers up
 * to one. What of A without B is in H is |A| - |A or H| - |B| + |B or H|.
 */
#include "config.h"

#include "analyze/scan/spanbill.h"

/* Bits of classes. */
#define SPANBILL_BILLED (((uint64_t)1 << SPANBILL_HELPER) - 1)

static uint32_t spanbill_count (uint64_t classes)
{
    return (uint32_t)__builtin_popcountll (classes);
}

static uint64_t spanbill_below (uint32_t class)
{
    return ((uint64_t)1 << class) - 1;
}

/* --- numbers ----------------------------------------------------------------
 */

/* The union of the classes up to this one. */
static uint32_t spanbill_upto (const struct spanbill_plan *p, uint32_t class)
{
    return p->first + spanbill_count (p->present & spanbill_below (class));
}

/* That of the class alone. */
static uint32_t spanbill_alone (const struct spanbill_plan *p, uint32_t class)
{
    return spanbill_upto (p, class) +
           spanbill_count (p->present & SPANBILL_BILLED);
}

/* Those of the helpers with A, or without the class that asks with B. */
static uint32_t
spanbill_with (const struct spanbill_plan *p, uint32_t asking, int without)
{
    uint32_t billed = spanbill_count (p->present & SPANBILL_BILLED);
    uint32_t helpers = spanbill_count (p->present & ~SPANBILL_BILLED);
    uint32_t before = spanbill_count (p->asks & spanbill_below (asking));

    return p->first + billed * (p->unions ? 2 : 1) +
           helpers * (2 * before + (uint32_t)without);
}

uint32_t spanbill_number (struct spanbill_plan *p,
                          const struct spanbill *bill,
                          uint32_t first)
{
    p->first = first;
    p->unions = bill->unions;
    p->asks = (uint32_t)(p->present & SPANBILL_BILLED & bill->asks);
    if (!(p->present & ~SPANBILL_BILLED))
        p->asks = 0;
    return spanbill_with (p, SPANBILL_HELPER, 0) - first;
}

/* --- times ------------------------------------------------------------------
 */

void spanbill_sums (const struct spanbill_plan *p,
                    uint32_t class,
                    void (*add) (void *cookie, uint32_t sum),
                    void *cookie)
{
    uint64_t billed = p->present & SPANBILL_BILLED;
    uint32_t helpers = spanbill_count (p->present & ~SPANBILL_BILLED);
    uint32_t from = class < SPANBILL_HELPER
                        ? 0
                        : spanbill_count (p->present & ~SPANBILL_BILLED &
                                          spanbill_below (class));

    if (class < SPANBILL_HELPER) {
        if (p->unions)
            add (cookie, spanbill_alone (p, class));
        for (uint64_t left = billed & ~spanbill_below (class); left;
             left &= left - 1)
            add (cookie, spanbill_upto (p, (uint32_t)__builtin_ctzll (left)));
    }
    for (uint32_t left = p->asks; left; left &= left - 1) {
        uint32_t asking = (uint32_t)__builtin_ctz (left);

        for (int without = 0; without < 2; without++) {
            if (class < SPANBILL_HELPER &&
                (without ? class >= asking : class > asking))
                continue;
            for (uint32_t h = from; h < helpers; h++)
                add (cookie, spanbill_with (p, asking, without) + h);
        }
    }
}

/* --- the bill ---------------------------------------------------------------
 */

/* Divide the time of the class among the classes of its helpers. */
static void spanbill_ask (const struct spanbill_plan *p,
                          const uint64_t *length,
                          struct spanbill *bill,
                          uint32_t asking)
{
    const uint64_t *with = length + spanbill_with (p, asking, 0);
    const uint64_t *without = length + spanbill_with (p, asking, 1);
    uint64_t time = bill->own[asking], before = 0;

    for (uint64_t left = p->present & ~SPANBILL_BILLED; left;
         left &= left - 1) {
        uint64_t helped = time + *without++ - *with++;

        if ((int64_t)(helped - before) < 0) /* weighted: rounded */
            helped = before;
        bill->own[__builtin_ctzll (left)] += helped - before;
        before = helped;
    }
    bill->own[asking] -= before;
}

void spanbill_put (const struct spanbill_plan *p,
                   const uint64_t *length,
                   struct spanbill *bill)
{
    uint64_t before = 0;

    for (uint64_t left = p->present & SPANBILL_BILLED; left; left &= left - 1) {
        uint32_t class = (uint32_t)__builtin_ctzll (left);
        uint64_t upto = length[spanbill_upto (p, class)];

        bill->own[class] = upto - before;
        before = upto;
        if (p->unions)
            bill->all[class] = length[spanbill_alone (p, class)];
    }
    for (uint32_t left = p->asks; left; left &= left - 1)
        spanbill_ask (p, length, bill, (uint32_t)__builtin_ctz (left));
}
