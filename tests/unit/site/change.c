/* SPDX-License-Identifier: MIT
 *
 * change.c - test of cli/site/change.c: when did a series change?
 */
#include "tests/unit/tap.h"

#include <math.h>

#include "cli/site/estimate.h"

/* Between 0.9 and 1.1, the same each time. */
static double noise (unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return 0.9 + 0.2 * (double)((*state >> 16) & 0x7fff) / 0x7fff;
}

static void a_step_is_found (void **state)
{
    unsigned seed = 7;
    double x[60];
    struct change c;

    for (int i = 0; i < 60; i++)
        x[i] = (i < 40 ? 100 : 130) * noise (&seed);
    c = change_find (x, 60);
    assert_int_equal (c.at, 40);
    assert_true (c.p < 1e-6);
    assert_true (fabs (c.after / c.before - 1.3) < 0.05);
}

/* Of 200 series without a change at most 2 in 100 may look like one. */
static void noise_is_none (void **state)
{
    unsigned seed = 1;
    int found = 0;

    for (int s = 0; s < 200; s++) {
        double x[40];

        for (int i = 0; i < 40; i++)
            x[i] = 50 * noise (&seed);
        found += change_find (x, 40).at != 0;
    }
    assert_true (found <= 4);
}

static void few_or_equal (void **state)
{
    double same[10], step[12];

    for (int i = 0; i < 10; i++)
        same[i] = 3;
    for (int i = 0; i < 12; i++)
        step[i] = i < 5 ? 1 : 2;
    assert_int_equal (change_find (same, 10).at, 0);
    assert_int_equal (change_find (same, 0).at, 0);
    assert_int_equal (change_find (step, 5).at, 0);
    assert_int_equal (change_find (step, 12).at, 5); /* without any noise */
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (a_step_is_found),
        cmocka_unit_test (noise_is_none),
        cmocka_unit_test (few_or_equal),
    };

    return tap_run (tests);
}
