/* SPDX-License-Identifier: MIT
 *
 * scale.c - tests of lib/chart/scale.c
 */
#include "config.h"

#include <math.h>

#include "lib/chart/scale.h"
#include "tests/unit/tap.h"

static void odd_domains (void **state)
{
    struct scale s = scale_linear (NAN, INFINITY, 0, 100);
    struct ticks t;

    (void)state;
    assert_true (s.d0 == 0 && s.d1 > 0);
    assert_true (scale_at (&s, NAN) == 0);
    s = scale_log (0, -3, 100, 0);
    assert_true (s.d0 == 1 && s.d1 == 10);
    assert_true (scale_at (&s, 0) == 100);
    assert_true (scale_at (&s, -5) == 100);
    s = scale_exact (5, 5, 0, 10);
    assert_true (s.d1 > s.d0);
    s = scale_linear (0, 0, 0, 10);
    scale_ticks (&s, 0, &t);
    assert_true (t.n >= 1);
}

static void linear_starts_at_zero (void **state)
{
    struct scale s = scale_linear (30, 43.1, 200, 0);

    (void)state;
    assert_true (s.d0 == 0);
    assert_true (s.d1 >= 43.1);
    assert_true (scale_at (&s, 0) == 200);
    assert_true (scale_at (&s, s.d1) == 0);
    assert_float_equal (scale_at (&s, s.d1 / 2), 100, 1e-6);
    assert_true (scale_at (&s, 1e9) == 0); /* clamped */
    s = scale_linear (-3, 5, 0, 1);
    assert_true (s.d0 <= -3 && s.d1 >= 5);
}

static void ticks_are_round_and_few (void **state)
{
    const double highest[] = {1e-9, 0.0031, 0.5,    1,   3.3,
                              99.9, 812,    1.23e7, 6e15};
    struct ticks t;

    (void)state;
    for (size_t i = 0; i < sizeof (highest) / sizeof (highest[0]); i++)
        for (size_t most = 2; most < 12; most++) {
            struct scale s = scale_linear (0, highest[i], 0, 100);
            double step;

            scale_ticks (&s, most, &t);
            assert_true (t.n >= 1 && t.n <= most);
            assert_true (t.at[0] == 0);
            if (t.n < 2)
                continue;
            step = t.at[1] - t.at[0];
            assert_float_equal (scale_round (step) / step, 1, 1e-6);
            for (size_t k = 1; k < t.n; k++) {
                assert_float_equal ((t.at[k] - t.at[k - 1]) / step, 1, 1e-6);
                assert_true (t.at[k] <= s.d1 * (1 + 1e-6));
            }
        }
}

static void log_covers_decades (void **state)
{
    struct scale s = scale_log (144, 41045, 250, 0);
    struct ticks t;

    (void)state;
    assert_float_equal (s.d0, 100, 1e-6);
    assert_float_equal (s.d1, 1e5, 1e-6);
    assert_float_equal (scale_at (&s, 1000), 250 * 2 / 3., 1e-6);
    scale_ticks (&s, 8, &t);
    assert_int_equal (t.n, 4);
    /* The smallest value is on a decade: its bar still has a length. */
    s = scale_log (100, 100, 250, 0);
    assert_true (scale_at (&s, 100) < 250);
    /* Twenty decades still have few ticks. */
    s = scale_log (1e-10, 1e10, 250, 0);
    scale_ticks (&s, 6, &t);
    assert_true (t.n >= 2 && t.n <= 6);
}

static void bands_do_not_touch (void **state)
{
    (void)state;
    for (size_t n = 1; n <= 60; n += 59) {
        struct scale s = scale_band (n, 0.2, 10, 610);
        double w = scale_band_width (&s);

        assert_float_equal (w, 600. / (double)n * 0.8, 1e-6);
        assert_true (scale_band_start (&s, 0) > 10);
        assert_true (scale_band_start (&s, n - 1) + w < 610);
        for (size_t i = 1; i < n; i++)
            assert_true (scale_band_start (&s, i) >
                         scale_band_start (&s, i - 1) + w);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (odd_domains),
        cmocka_unit_test (linear_starts_at_zero),
        cmocka_unit_test (ticks_are_round_and_few),
        cmocka_unit_test (log_covers_decades),
        cmocka_unit_test (bands_do_not_touch),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
