/* SPDX-License-Identifier: MIT
 *
 * spanbill.c - bills of random intervals, against one that looks at each ns
 */
#include "tests/unit/tap.h"

#include <string.h>

#include "analyze/scan/spanunion.h"

enum { TIME = 600, SPANS = 40, CLASSES = 5, ASKING = 3, ALSO = 1, BILLS = 2 };

static uint64_t seed = 11;

static uint64_t next (uint64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
}

struct span {
    uint32_t class;
    uint64_t start, end;
};

/* Who has each ns; SPANBILL_NOBODY: nobody. */
static void look_at_each (const struct span *span, struct spanbill *want)
{
    for (uint64_t t = 0; t < TIME; t++) {
        uint32_t on = 0, billed, helpers;

        for (int i = 0; i < SPANS; i++)
            if (span[i].start <= t && t < span[i].end)
                on |= 1u << span[i].class;
        for (uint32_t class = 0; class < SPANBILL_CLASSES; class ++)
            want->all[class] += want->unions && on >> class & 1;
        billed = on & 0xffff;
        helpers = on & 0xffff0000;
        if (!billed)
            continue;
        if (want->asks >> __builtin_ctz (billed) & 1 && helpers)
            want->own[__builtin_ctz (helpers)]++;
        else
            want->own[__builtin_ctz (billed)]++;
    }
}

static void make (struct span *span)
{
    uint64_t start = 0;

    for (int i = 0; i < SPANS; i++) {
        start += next (2 * TIME / SPANS);
        if (start > TIME)
            start = TIME;
        span[i].start = start;
        span[i].end = start + next (60);
        if (span[i].end > TIME)
            span[i].end = TIME;
        span[i].class = (uint32_t)next (CLASSES);
        if (next (3) == 0)
            span[i].class += SPANBILL_HELPER;
    }
}

/* Two logs of each class, both of which are in both bills. */
static void sweep (const struct span *span, struct spanbill *bill)
{
    struct spanlog log[2 * SPANBILL_NOBODY];
    struct span_member member[2 * SPANBILL_NOBODY];
    static const uint32_t sum;
    uint64_t length;

    memset (log, 0, sizeof (log));
    for (uint32_t i = 0; i < 2 * SPANBILL_NOBODY; i++)
        member[i] = (struct span_member){.log = &log[i],
                                         .sum = &sum,
                                         .sums = 1,
                                         .charge = {{0, i / 2}, {1, i / 2}},
                                         .charges = BILLS};
    for (int i = 0; i < SPANS; i++)
        assert_int_equal (
            spanlog_add (&log[2 * span[i].class + (uint32_t)(i & 1)],
                         span[i].start, span[i].end),
            0);
    assert_int_equal (
        spans_bills (member, 2 * SPANBILL_NOBODY, &length, 1, bill, BILLS), 0);
    for (uint32_t i = 0; i < 2 * SPANBILL_NOBODY; i++)
        spanlog_clear (&log[i]);
}

static void as_each_ns_says (void **state)
{
    struct span span[SPANS];

    (void)state;
    for (int round = 0; round < 500; round++) {
        struct spanbill want[BILLS] = {
            {.unions = 1},
            {.asks = 1u << ASKING | (round & 1 ? 1u << ALSO : 0)}};
        struct spanbill bill[BILLS] = {want[0], want[1]};

        make (span);
        if (round % 7 == 0) /* nobody helps */
            for (int i = 0; i < SPANS; i++)
                span[i].class %= SPANBILL_HELPER;
        for (int b = 0; b < BILLS; b++)
            look_at_each (span, &want[b]);
        sweep (span, bill);
        assert_memory_equal (bill, want, sizeof (want));
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (as_each_ns_says),
    };

    return tap_run (tests);
}
