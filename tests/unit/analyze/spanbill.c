/* SPDX-License-Identifier: MIT
 *
 * spanbill.c - bills of random intervals, against one that looks at each ns
 */
#include "tests/unit/tap.h"

#include <string.h>

#include "analyze/query/spans/spanbill.h"

enum { TIME = 600, SPANS = 40, CLASSES = 5, ASKING = 3 };

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
        for (uint32_t class = 0; class < SPANBILL_NOBODY; class ++)
            want->all[class] += on >> class & 1;
        billed = on & 0xffff;
        helpers = on & 0xffff0000;
        if (!billed)
            continue;
        if (__builtin_ctz (billed) == ASKING && helpers)
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

/* What is in [lo, hi). */
static void
sweep (const struct span *span, uint64_t lo, uint64_t hi, struct spanbill *sum)
{
    static struct spanbill_sweep s;

    memset (&s, 0, sizeof (s));
    spanbill_begin (&s, 1u << ASKING);
    for (int i = 0; i < SPANS; i++) {
        uint64_t start = span[i].start < lo ? lo : span[i].start;
        uint64_t end = span[i].end > hi ? hi : span[i].end;

        if (start < end)
            spanbill_put (&s, span[i].class, start, end);
    }
    spanbill_advance (&s, UINT64_MAX);
    spanbill_add (sum, &s.bill);
}

static void as_each_ns_says (void **state)
{
    struct span span[SPANS];

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct spanbill want = {.asks = 0}, whole = want, parts = want;
        uint64_t cut = next (TIME);

        make (span);
        look_at_each (span, &want);
        sweep (span, 0, TIME, &whole);
        sweep (span, 0, cut, &parts);
        sweep (span, cut, TIME, &parts);
        assert_memory_equal (&whole, &want, sizeof (want));
        assert_memory_equal (&parts, &want, sizeof (want));
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (as_each_ns_says),
    };

    return tap_run (tests);
}
