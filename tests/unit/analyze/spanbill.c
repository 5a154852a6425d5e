/* SPDX-License-Identifier: MIT
 *
 * spanbill.c - bills of random intervals, against one that looks at each ns
 */
#include "tests/unit/tap.h"

#include <string.h>

#include "analyze/scan/spanunion.h"

enum {
    TIME = 600,
    SPANS = 40,
    CLASSES = 5,
    ASKING = 3,
    ALSO = 1,
    BILLS = 2,
    MANY_LANES = 7,
    LANE_MAX = 9
};

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

/* Who has a ns; SPANBILL_NOBODY: nobody. */
static uint32_t owner (const struct span *span, uint64_t asks, uint64_t t)
{
    uint64_t on = 0, billed, helpers;

    for (int i = 0; i < SPANS; i++)
        if (span[i].start <= t && t < span[i].end)
            on |= (uint64_t)1 << span[i].class;
    billed = on & UINT32_MAX;
    helpers = on & ~(uint64_t)UINT32_MAX;
    if (!billed)
        return SPANBILL_NOBODY;
    return (uint32_t)__builtin_ctzll (
        asks >> __builtin_ctzll (billed) & 1 && helpers ? helpers : billed);
}

static void look_at_each (const struct span *span, struct spanbill *want)
{
    for (uint64_t t = 0; t < TIME; t++) {
        uint64_t on = 0;
        uint32_t who = owner (span, want->asks, t);

        for (int i = 0; i < SPANS; i++)
            if (span[i].start <= t && t < span[i].end)
                on |= (uint64_t)1 << span[i].class;
        for (uint32_t class = 0; class < SPANBILL_CLASSES; class ++)
            want->all[class] += want->unions && on >> class & 1;
        if (who < SPANBILL_NOBODY)
            want->own[who]++;
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
        spanlog_add (&log[2 * span[i].class + (uint32_t)(i & 1)], span[i].start,
                     span[i].end);
    spans_bills (member, 2 * SPANBILL_NOBODY, &length, 1,
                 &(struct span_bills){bill, BILLS, NULL});
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

/* Lanes that share the time: each has its own bill, and of an instant what its
 * weight says; its first class is how long it is away. */
static void shared_as_each_ns_says (void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        struct span span[MANY_LANES][SPANS];
        struct spanlog log[MANY_LANES][SPANBILL_NOBODY];
        struct span_member member[MANY_LANES * SPANBILL_NOBODY];
        struct spanbill bill[2 * MANY_LANES] = {0};
        double want[MANY_LANES][SPANBILL_NOBODY] = {{0}};
        struct span_weights weights = {0};
        uint64_t n = 0, length = 0;
        static const uint32_t sum;

        memset (log, 0, sizeof (log));
        spanweights_add (&weights, 0, 0);
        for (int k = 0; k < MANY_LANES; k++)
            make (span[k]);
        for (uint64_t t = 0; t < TIME; t++) {
            if (t == 0 || next (1 + (uint64_t)(round % 20)) == 0) {
                n = 1 + next (LANE_MAX);
                spanweights_add (&weights, t, n);
            }
            for (int k = 0; k < MANY_LANES; k++) {
                uint32_t who = owner (span[k], 1u << ASKING, t);

                if (who < SPANBILL_NOBODY)
                    want[k][who] += 1 / (double)n;
            }
        }
        spanweights_begin (&weights, TIME);
        for (uint32_t k = 0; k < MANY_LANES; k++) {
            for (uint32_t i = 0; i < SPANBILL_NOBODY; i++)
                member[k * SPANBILL_NOBODY + i] = (struct span_member){
                    .log = &log[k][i],
                    .sum = &sum,
                    .sums = 1,
                    .charge = {{k, i}, {MANY_LANES + k, i}},
                    .charges = 2};
            for (int i = 0; i < SPANS; i++)
                spanlog_add (&log[k][span[k][i].class], span[k][i].start,
                             span[k][i].end);
            bill[k].asks = bill[MANY_LANES + k].asks = 1u << ASKING;
            bill[MANY_LANES + k].weighted = 1;
        }
        spans_bills (
            member, MANY_LANES * SPANBILL_NOBODY, &length, 1,
            &(struct span_bills){bill, (size_t)2 * MANY_LANES, &weights});
        for (int k = 0; k < MANY_LANES; k++) {
            struct spanbill plain = {.asks = 1u << ASKING};

            look_at_each (span[k], &plain);
            assert_memory_equal (plain.own, bill[k].own, sizeof (plain.own));
            for (int i = 0; i < SPANBILL_NOBODY; i++) {
                double got = (double)bill[MANY_LANES + k].own[i] /
                             (1 << weights.fraction);

                assert_true (got > want[k][i] - 0.01 &&
                             got < want[k][i] + 0.01);
                spanlog_clear (&log[k][i]);
            }
        }
        spanweights_clear (&weights);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (as_each_ns_says),
        cmocka_unit_test (shared_as_each_ns_says),
    };

    return tap_run (tests);
}
