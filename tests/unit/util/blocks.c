/* SPDX-License-Identifier: MIT
 *
 * blocks.c - tests of lib/util/blocks.c
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/util/spool.h"
#include "tests/unit/tap.h"

#define FULL   "\xe2\x96\x88"
#define EIGHTH "\xe2\x96\x8f"
#define HALF   "\xe2\x96\x8c"

static void bars (void **state)
{
    char buf[BLOCKS_MAX];

    (void)state;
    assert_string_equal (blocks_bar (buf, 0, 10, 5), "");
    assert_string_equal (blocks_bar (buf, -1, 10, 5), "");
    assert_string_equal (blocks_bar (buf, NAN, 10, 5), "");
    assert_string_equal (blocks_bar (buf, 1, 0, 5), "");
    assert_string_equal (blocks_bar (buf, 1, NAN, 5), "");
    assert_string_equal (blocks_bar (buf, 1, 10, 0), "");
    assert_string_equal (blocks_bar (buf, 10, 10, 3), FULL FULL FULL);
    assert_string_equal (blocks_bar (buf, 99, 10, 2), FULL FULL);
    assert_string_equal (blocks_bar (buf, INFINITY, 10, 1), FULL);
    assert_string_equal (blocks_bar (buf, 1e-9, 10, 3), EIGHTH);
    assert_string_equal (blocks_bar (buf, 5, 10, 1), HALF);
    assert_int_equal (strlen (blocks_bar (buf, 1, 1, 100000)),
                      3 * BLOCKS_WIDTH_MAX);
}

/* More is never shown shorter. */
static void bars_grow (void **state)
{
    char buf[BLOCKS_MAX];
    size_t before = 0;

    (void)state;
    for (int i = 0; i <= 1000; i++) {
        size_t n = strlen (blocks_bar (buf, i, 1000, 20));

        assert_true (n >= before && n <= 60);
        before = n;
    }
}

static void rows (void **state)
{
    const double v[] = {0, 0.01, 4, 8, 100, NAN};
    double many[2 * BLOCKS_WIDTH_MAX];
    char buf[BLOCKS_MAX];

    (void)state;
    assert_string_equal (blocks_curve (buf, v, 6, 8),
                         " \xe2\x96\x81\xe2\x96\x84" FULL FULL " ");
    assert_string_equal (blocks_shades (buf, v, 6, 8),
                         " \xe2\x96\x91\xe2\x96\x92" FULL FULL " ");
    assert_string_equal (blocks_curve (buf, v, 0, 8), "");
    for (size_t i = 0; i < 2 * BLOCKS_WIDTH_MAX; i++)
        many[i] = 1;
    assert_int_equal (
        strlen (blocks_shades (buf, many, 2 * BLOCKS_WIDTH_MAX, 1)),
        3 * BLOCKS_WIDTH_MAX);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (bars),
        cmocka_unit_test (bars_grow),
        cmocka_unit_test (rows),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
