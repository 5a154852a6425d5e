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

#include "analyze/scan/place.h"

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

static uint64_t taken[2][2]; /* calls and the sum of what they skip */

static void
take_stride (void *cookie, uint32_t name, int is_write, uint64_t stride)
{
    assert_ptr_equal (cookie, taken);
    assert_in_range (name, 1, 9);
    taken[is_write][0]++;
    taken[is_write][1] += stride;
}

/* Three splits of a thread; in the second one file 5 is new, and 9 is only
 * written, which says nothing of its reads. */
static void test_strides (void **state)
{
    struct strides one = {.continues = 0}, two = {.continues = 1}, three = two;

    (void)state;
    assert_int_equal (strides_of (0, 100), 0);
    assert_int_equal (strides_of (11, 9), 0);
    assert_int_equal (strides_of (11, 10), 0);
    assert_int_equal (strides_of (11, 15), 5);
    assert_int_equal (strides_add (&one, 9), 0);
    assert_int_equal (strides_add (&one, 2), 1);
    one.item[0].end[0] = 101;
    one.item[1].end[1] = 51;
    assert_int_equal (strides_add (&two, 5), 0);
    assert_int_equal (strides_add (&two, 9), 1);
    two.item[0].first[0] = 1;
    two.item[0].end[0] = 21;
    two.item[1].first[1] = 1001;
    two.item[1].end[1] = 1011;
    strides_join (&one, &two, take_stride, taken);
    assert_int_equal (taken[0][0] + taken[1][0], 2);
    assert_int_equal (taken[0][1] + taken[1][1], 0);
    for (uint32_t name = 9; name > 0; name--)
        assert_int_equal (strides_add (&three, name), 9 - name);
    three.item[0].first[0] = 104;  /* 9: 3 */
    three.item[0].first[1] = 1015; /* 4 */
    three.item[4].first[0] = 28;   /* 5: 7 */
    three.item[7].first[1] = 50;   /* 2: before its end */
    strides_join (&one, &three, take_stride, taken);
    assert_int_equal (taken[0][0], 3);
    assert_int_equal (taken[0][1], 3 + 7);
    assert_int_equal (taken[1][0], 3);
    assert_int_equal (taken[1][1], 4);
    assert_int_equal (three.count, 0);
    strides_clear (&one);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_not_known), cmocka_unit_test (test_all),
        cmocka_unit_test (test_known),     cmocka_unit_test (test_names),
        cmocka_unit_test (test_strides),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
