/* SPDX-License-Identifier: MIT
 *
 * place.c - where a read is, seen from the one before
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/query/place.h"

static enum placed at (struct place *p, int64_t offset, uint64_t bytes)
{
    return place_move (p, CALL_pread, offset, bytes);
}

static void test_not_known (void **state)
{
    struct place p = {0};

    (void)state;
    assert_int_equal (at (&p, -1, 10), PLACED_NOT);
    assert_int_equal (place_move (&p, CALL_stat, 5, 0), PLACED_NOT);
    assert_int_equal (at (&p, 0, 10), PLACED_NOT); /* the first one */
    assert_int_equal (at (&p, -1, 10), PLACED_NOT);
    assert_int_equal (at (&p, 10, 10), PLACED_CONSECUTIVE);
}

static void test_all (void **state)
{
    struct place p = {0};

    (void)state;
    assert_int_equal (at (&p, 100, 10), PLACED_NOT);
    assert_int_equal (at (&p, 110, 10), PLACED_CONSECUTIVE);
    assert_int_equal (at (&p, 150, 10), PLACED_SEQUENTIAL);
    assert_int_equal (at (&p, 190, 10), PLACED_STRIDED);
    assert_int_equal (at (&p, 230, 10), PLACED_STRIDED);
    assert_int_equal (at (&p, 239, 10), PLACED_BACKWARD);
    assert_int_equal (at (&p, 0, 10), PLACED_BACKWARD);
    assert_int_equal (at (&p, 10, 0), PLACED_CONSECUTIVE);
    assert_int_equal (at (&p, 10, 0), PLACED_CONSECUTIVE);
}

/* Which of both it was is known to whoever counts switches. */
static void test_known (void **state)
{
    struct place p = {0};

    (void)state;
    (void)place_move (&p, CALL_pread, 0, 10);
    assert_int_equal (p.known, 1);
    (void)place_move (&p, CALL_pwrite, 10, 10);
    assert_int_equal (p.known, 2);
    (void)place_move (&p, CALL_pread, -1, 10);
    assert_int_equal (p.known, 2);
}

static void test_names (void **state)
{
    (void)state;
    assert_string_equal (placed_name (PLACED_NOT), "none");
    assert_string_equal (placed_name (PLACED_BACKWARD), "backward");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_not_known),
        cmocka_unit_test (test_all),
        cmocka_unit_test (test_known),
        cmocka_unit_test (test_names),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
