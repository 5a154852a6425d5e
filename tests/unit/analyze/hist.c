/* SPDX-License-Identifier: MIT
 *
 * hist.c - quantiles against sorted values
 */
#include "tests/unit/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/hist.h"

enum { VALUES = 20000 };

static struct hist a, b, both;
static uint64_t value[VALUES];

static int by_value (const void *x, const void *y)
{
    uint64_t p = *(const uint64_t *)x, q = *(const uint64_t *)y;

    return (p > q) - (p < q);
}

static void empty_is_zero (void **state)
{
    static struct hist h;

    (void)state;
    assert_int_equal (hist_quantile (&h, 0.5), 0);
    hist_merge (&a, &h);
    assert_int_equal (a.count, 0);
}

static void extremes_fit (void **state)
{
    static struct hist h;

    (void)state;
    hist_add (&h, 0);
    hist_add (&h, UINT64_MAX);
    assert_int_equal (h.count, 2);
    assert_int_equal (hist_quantile (&h, 0), 0);
    assert_true (hist_quantile (&h, 1) > UINT64_MAX / 64 * 63);
}

static void small_values_are_exact (void **state)
{
    (void)state;
    for (uint64_t v = 0; v < 128; v++) {
        memset (&both, 0, sizeof (both));
        hist_add (&both, v);
        hist_add (&both, 1000000);
        hist_add (&both, 1000000);
        assert_int_equal (hist_quantile (&both, 0.33), v);
    }
}

/* Within 1/64 of the value of that rank, for values over many scales; two
 * halves merged are the same as the whole. */
static void quantiles_are_near (void **state)
{
    const double q[] = {0.001, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1};
    uint64_t seed = 7;

    (void)state;
    memset (&a, 0, sizeof (a));
    memset (&b, 0, sizeof (b));
    memset (&both, 0, sizeof (both));
    for (int i = 0; i < VALUES; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value[i] = (seed >> 20) >> (seed >> 60) * 2;
        hist_add (i % 3 ? &a : &b, value[i]);
        hist_add (&both, value[i]);
    }
    hist_merge (&a, &b);
    assert_memory_equal (&a, &both, sizeof (a));
    qsort (value, VALUES, sizeof (value[0]), by_value);
    for (size_t i = 0; i < sizeof (q) / sizeof (q[0]); i++) {
        double want = (double)value[(int)ceil (q[i] * VALUES) - 1];
        double got = (double)hist_quantile (&a, q[i]);

        assert_true (fabs (got - want) <= want / 64);
    }
}

/* The one of few parts has what the whole one has, however it was filled. */
static void thin_is_the_same (void **state)
{
    static struct hist full;
    struct thinhist x = {0}, y = {0}, all = {0};

    (void)state;
    for (int i = 0; i < VALUES; i++)
        thinhist_add (i % 3 ? &x : &y, value[i]);
    thinhist_merge (&x, &y);
    thinhist_to (&x, &full);
    assert_memory_equal (&full, &both, sizeof (full));
    thinhist_from (&all, &both);
    assert_int_equal (all.parts, x.parts);
    thinhist_to (&all, &full);
    assert_memory_equal (&full, &both, sizeof (full));
    thinhist_free (&x);
    thinhist_free (&y);
    thinhist_free (&all);
    thinhist_add (&x, 1000);
    assert_int_equal (x.parts, 1);
    thinhist_free (&x);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (empty_is_zero),
        cmocka_unit_test (extremes_fit),
        cmocka_unit_test (small_values_are_exact),
        cmocka_unit_test (quantiles_are_near),
        cmocka_unit_test (thin_is_the_same),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
