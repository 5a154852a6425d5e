/* SPDX-License-Identifier: MIT
 *
 * spansort.c - sorted runs become one, as qsort does it
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "analyze/scan/spanunion.h"
#include "tests/unit/rng.h"

enum { NUMBERS = 5000, RUNS = 40, ROUNDS = 400 };

static int by_value (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Times that come evenly, in crowds, all the same, or anywhere. */
static uint64_t draw (uint64_t *seed, unsigned kind)
{
    switch (kind) {
    case 0:
        return rng_below (seed, 1 << 14);
    case 1:
        return rng_below (seed, 3) << 40 | rng_below (seed, 50);
    case 2:
        return 7;
    default:
        return rng_wide (seed);
    }
}

static void as_qsort (void **state)
{
    static uint64_t a[NUMBERS], b[NUMBERS], want[NUMBERS];
    static uint32_t bucket[SPANSORT_BUCKETS];
    uint64_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t run[RUNS + 1] = {0}, all;
        size_t runs = 1 + rng_below (&seed, RUNS);
        size_t most = i % 2 ? NUMBERS / runs : 4;
        struct spansort s = {a, b, run, bucket};

        for (size_t r = 0; r < runs; r++) {
            size_t n = rng_below (&seed, most + 1);

            for (size_t k = 0; k < n; k++)
                a[run[r] + k] = draw (&seed, i % 4);
            qsort (a + run[r], n, sizeof (*a), by_value);
            run[r + 1] = run[r] + n;
        }
        all = run[runs];
        memcpy (want, a, all * sizeof (*a));
        qsort (want, all, sizeof (*want), by_value);
        spansort_runs (&s, runs);
        assert_true (s.a == a || s.a == b);
        assert_true (s.b != s.a);
        assert_memory_equal (s.a, want, all * sizeof (*want));
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test (as_qsort)};

    return tap_run (tests);
}
