/* SPDX-License-Identifier: MIT
 *
 * startup.c - firsts, lasts and silences of a start
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/scan/startup.h"

static void test_nothing (void **state)
{
    struct startup s = {0}, more = {0};

    (void)state;
    startup_merge (&s, &more);
    assert_int_equal (s.train_first, 0);
    assert_int_equal (s.quiet_end, 0);
    assert_int_equal (startup_quiet_in (&s, 0, 1000), 0);
}

static void test_silence (void **state)
{
    struct startup s = {0};

    (void)state;
    startup_call (&s, 100, 110);
    startup_call (&s, 150, 160); /* 40 */
    startup_call (&s, 140, 290); /* overlaps, ends later */
    startup_call (&s, 390, 400); /* 100: the longest */
    startup_call (&s, 420, 430);
    assert_int_equal (s.quiet_start, 290);
    assert_int_equal (s.quiet_end, 390);
    assert_int_equal (startup_quiet_in (&s, 300, 350), 50);
    assert_int_equal (startup_quiet_in (&s, 0, 300), 10);
    assert_int_equal (startup_quiet_in (&s, 400, 500), 0);
    startup_train (&s, 440, 450, 1);
    startup_call (&s, 9000, 9010); /* after the first step nothing counts */
    assert_int_equal (s.quiet_end, 390);
    startup_barrier (&s, 77);
    assert_int_equal (s.barrier_ns, 0);
}

static void test_loader_is_no_step (void **state)
{
    struct startup s = {0};

    (void)state;
    startup_train (&s, 10, 20, 0);
    assert_int_equal (s.train_first, 10);
    assert_int_equal (s.step_first, 0);
    startup_train (&s, 30, 40, 1);
    assert_int_equal (s.train_first, 10);
    assert_int_equal (s.train_last, 40);
    assert_int_equal (s.step_first, 30);
}

static void test_merge (void **state)
{
    struct startup a = {0}, b = {0}, x = {0}, y = {0};

    (void)state;
    startup_built (&a, 100, 200, 5);
    startup_map (&a, 300, 310, 64);
    startup_call (&a, 1, 2);
    startup_call (&a, 52, 53);
    startup_built (&b, 50, 80, 7);
    startup_map (&b, 290, 295, 32);
    startup_call (&b, 10, 12);
    startup_call (&b, 62, 63);
    startup_merge (&x, &a);
    startup_merge (&x, &b);
    startup_merge (&y, &b);
    startup_merge (&y, &a);
    assert_memory_equal (&x, &y, sizeof (x)); /* in any order */
    assert_int_equal (x.built_first, 50);
    assert_int_equal (x.built_last, 200);
    assert_int_equal (x.built_bytes, 12);
    assert_int_equal (x.maps, 2);
    assert_int_equal (x.map_bytes, 96);
    assert_int_equal (x.map_ns, 15);
    assert_int_equal (x.map_first, 290);
    assert_int_equal (x.map_last, 310);
    assert_int_equal (x.quiet_start, 2); /* both are 50 long: the earlier */
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing),
        cmocka_unit_test (test_silence),
        cmocka_unit_test (test_loader_is_no_step),
        cmocka_unit_test (test_merge),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
