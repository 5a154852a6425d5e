/* SPDX-License-Identifier: MIT
 *
 * marks.c - windows of steps and epochs
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/scan/marks.h"

static void test_empty (void **state)
{
    struct marks m = {0};

    (void)state;
    marks_to_windows (&m);
    assert_null (windows_find (&m, 0));
    marks_clear (&m);
    marks_clear (&m);
}

static void test_neighbours_are_one (void **state)
{
    struct marks m = {0};

    (void)state;
    marks_add (&m, 3, 100, 110);
    marks_add (&m, 3, 120, 130);
    marks_add (&m, 3, 90, 140);
    assert_int_equal (m.count, 1);
    assert_int_equal (m.item[0].start, 90);
    assert_int_equal (m.item[0].end, 140);
    marks_clear (&m);
}

static void test_windows_reach_to_the_next (void **state)
{
    struct marks m = {0}, more = {0};

    (void)state;
    marks_add (&m, 2, 200, 210);
    marks_add (&more, 1, 100, 110);
    marks_add (&more, 2, 215, 230);
    marks_append (&m, &more);
    marks_to_windows (&m);
    assert_int_equal (m.count, 2);
    assert_null (windows_find (&m, 99));
    assert_int_equal (windows_find (&m, 100)->number, 1);
    assert_int_equal (windows_find (&m, 199)->number, 1);
    assert_int_equal (windows_find (&m, 200)->number, 2);
    assert_int_equal (windows_find (&m, 229)->number, 2);
    assert_null (windows_find (&m, 230));
    marks_clear (&m);
    marks_clear (&more);
}

static void test_without_numbers (void **state)
{
    struct marks m = {0};

    (void)state;
    marks_add (&m, -1, 50, 60);
    marks_add (&m, -1, 10, 20);
    marks_to_windows (&m);
    assert_int_equal (m.count, 2);
    assert_int_equal (windows_find (&m, 15)->number, 0);
    assert_int_equal (windows_find (&m, 55)->number, 1);
    marks_clear (&m);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_empty),
        cmocka_unit_test (test_neighbours_are_one),
        cmocka_unit_test (test_windows_reach_to_the_next),
        cmocka_unit_test (test_without_numbers),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
