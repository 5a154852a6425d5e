/* SPDX-License-Identifier: MIT
 *
 * valuecount.c - each value is counted, whether in a slot or by a counter
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/scan/values.h"
#include "tests/unit/rng.h"

enum { MET = 400000, SMALL = 20000, FAR = 3000 };

static uint64_t met[MET];

static int order (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Small ones, all the same, negative ones, ones far apart, the largest. */
static uint64_t draw (uint64_t *seed)
{
    switch (rng_below (seed, 8)) {
    case 0:
        return VALUECOUNT_LEAST + 1000;
    case 1:
        return VALUECOUNT_LEAST - 1 - rng_below (seed, FAR);
    case 2:
        return VALUECOUNT_LEAST + (rng_below (seed, FAR) << 40);
    case 3:
        return UINT64_MAX - rng_below (seed, 3);
    default:
        return VALUECOUNT_LEAST + rng_below (seed, SMALL);
    }
}

/* The sorted list of all that was met is the judge. */
static void judge (const struct valuecount *c, size_t n)
{
    size_t values, at = 0;
    struct valuecount_slot *pair = valuecount_sorted (c, &values);

    assert_non_null (pair);
    qsort (met, n, sizeof (*met), order);
    for (size_t i = 0; i < values; i++) {
        uint64_t times = 0;

        for (; at < n && met[at] == pair[i].value; at++)
            times++;
        assert_int_equal (pair[i].times, times);
        assert_true (times > 0);
    }
    assert_int_equal (at, n);
    free (pair);
}

static void as_a_list (void **state)
{
    struct valuecount c = {0}, other = {0}, all = {0};
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < MET; i++) {
        met[i] = draw (&seed);
        valuecount_meet (i % 3 ? &c : &other, met[i]);
    }
    valuecount_settle (&c);
    valuecount_settle (&other);
    assert_true (c.lows >= SMALL); /* the small ones have counters, */
    assert_true (c.slots < 65536); /* and no slots */
    valuecount_merge (&all, &c);
    valuecount_merge (&all, &other);
    judge (&all, MET);
    valuecount_clear (&c);
    valuecount_clear (&other);
    valuecount_clear (&all);
    valuecount_clear (&all);
}

/* Values far from each other have no counters: these would take the memory. */
static void sparse (void **state)
{
    struct valuecount c = {0};

    (void)state;
    for (size_t i = 0; i < 5000; i++) {
        met[i] = VALUECOUNT_LEAST + i * 1000;
        valuecount_meet (&c, met[i]);
    }
    valuecount_settle (&c);
    assert_true (c.lows <= 64);
    judge (&c, 5000);
    valuecount_clear (&c);
}

/* What a damaged file says may be more than fits. */
static void too_many (void **state)
{
    struct valuecount c = {0};
    size_t values;
    struct valuecount_slot *pair;

    (void)state;
    for (size_t i = 0; i < 2000; i++)
        valuecount_add (&c, VALUECOUNT_LEAST + i, 1);
    valuecount_settle (&c);
    assert_true (c.lows >= 1000);
    for (int i = 0; i < 2; i++)
        valuecount_add (&c, VALUECOUNT_LEAST + 7, UINT64_MAX - 1);
    assert_non_null (pair = valuecount_sorted (&c, &values));
    assert_int_equal (values, 2000);
    assert_true (pair[7].value == VALUECOUNT_LEAST + 7);
    assert_true (pair[7].times == UINT64_MAX);
    free (pair);
    valuecount_clear (&c);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (as_a_list),
        cmocka_unit_test (sparse),
        cmocka_unit_test (too_many),
    };

    return tap_run (tests);
}
