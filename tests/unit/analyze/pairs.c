/* SPDX-License-Identifier: MIT
 *
 * pairs.c - numbers get ordinals in the order in which they are first seen
 */
#include "tests/unit/tap.h"

#include "analyze/scan/marks.h"
#include "tests/unit/rng.h"

enum { NUMBERS = 3000, ASKED = 100000 };

/* A list that is searched is the judge. Some numbers share their slot in a
 * small table, some differ in one bit. */
static void as_a_list (void **state)
{
    static uint64_t number[NUMBERS], known[NUMBERS];
    struct pairs p = {0};
    uint64_t seed = 1;
    uint32_t count = 0;

    (void)state;
    for (size_t i = 0; i < NUMBERS; i++)
        number[i] = i % 3 == 0   ? (uint64_t)i << 32
                    : i % 3 == 1 ? i << 58 | i
                                 : rng_wide (&seed);
    for (size_t i = 0; i < ASKED; i++) {
        uint64_t x = number[rng_below (&seed, i < 100 ? 5 : NUMBERS)];
        int64_t want = 0, got;

        while (want < count && known[want] != x)
            want++;
        got = pairs_ordinal (&p, x);
        assert_int_equal (got, want);
        if (want == count)
            known[count++] = x;
        assert_int_equal (p.count, count);
        assert_true (2 * (size_t)count <= p.slots);
    }
    assert_true (count > 2000);
    pairs_clear (&p);
    assert_int_equal (p.count, 0);
    assert_int_equal (pairs_ordinal (&p, 0), 0); /* 0 is a number, too */
    assert_int_equal (pairs_ordinal (&p, UINT64_MAX), 1);
    assert_int_equal (pairs_ordinal (&p, 0), 0);
    pairs_clear (&p);
    pairs_clear (&p);
}

int main (void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test (as_a_list)};

    return tap_run (tests);
}
