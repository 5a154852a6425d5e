/* SPDX-License-Identifier: MIT
 *
 * effects.c - tests of analyze/report/study/effects.c: pairs against numbers by
 * hand
 */
#include "config.h"

#include <math.h>

#include "analyze/report/study/effects.h"
#include "tests/unit/tap.h"

static void nothing (void **state)
{
    struct effect e;

    (void)state;
    effect_begin (&e);
    effect_end (&e);
    assert_int_equal (e.pairs, 0);
    assert_true (isnan (e.mean) && isnan (e.low) && isnan (e.high));
    effect_begin (&e);
    effect_pair (&e, 0, 1);
    effect_pair (&e, 1, NAN);
    effect_pair (&e, -1, 1);
    effect_end (&e);
    assert_int_equal (e.pairs, 0);
    assert_int_equal (e.without, 3);
}

static void one_pair (void **state)
{
    struct effect e;

    (void)state;
    effect_begin (&e);
    effect_pair (&e, 2, 3);
    effect_end (&e);
    assert_int_equal (e.pairs, 1);
    assert_true (fabs (e.mean - 1.5) < 1e-12);
    assert_true (e.lo == 1.5 && e.hi == 1.5);
    assert_true (isnan (e.low) && isnan (e.high));
}

/* Ratios 2, 2, 8: in powers of two 1, 1, 3, whose mean is 5/3 and standard
 * deviation 2/sqrt(3); t of two degrees of freedom is 4.302653. */
static void three_pairs (void **state)
{
    struct effect e;
    double half = 4.302653 * (2 / sqrt (3)) / sqrt (3);

    (void)state;
    effect_begin (&e);
    effect_pair (&e, 1, 2);
    effect_pair (&e, 5, 10);
    effect_pair (&e, 0.5, 4);
    effect_end (&e);
    assert_int_equal (e.pairs, 3);
    assert_true (fabs (e.mean - exp2 (5. / 3)) < 1e-9);
    assert_true (fabs (e.low - exp2 (5. / 3 - half)) < 1e-5);
    assert_true (fabs (e.high - exp2 (5. / 3 + half)) < 1e-4);
    assert_true (e.lo == 2 && e.hi == 8);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (nothing),
        cmocka_unit_test (one_pair),
        cmocka_unit_test (three_pairs),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
