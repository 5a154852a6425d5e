/* SPDX-License-Identifier: MIT
 *
 * share.c - things of some size, dealt to tasks
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/trace/share.h"

enum { THINGS = 1000, SHARES = 7 };

static void test_no_shares (void **state)
{
    uint64_t size[1] = {5};
    unsigned share[1];

    (void)state;
    assert_int_equal (shares_deal (share, size, 1, 0), -1);
    assert_int_equal (shares_deal (share, size, 0, 3), 0);
}

static void test_large_first (void **state)
{
    uint64_t size[] = {1, 1, 1, 9, 1, 1, 8};
    unsigned share[7];

    (void)state;
    assert_int_equal (shares_deal (share, size, 7, 2), 0);
    assert_int_equal (share[3], 0); /* the largest */
    assert_int_equal (share[6], 1); /* the next one elsewhere */
    assert_int_equal (share[0], 1); /* which has less */
}

static void test_even (void **state)
{
    uint64_t size[THINGS], sum[SHARES] = {0}, most = 0, least = UINT64_MAX;
    unsigned share[THINGS], again[THINGS];

    (void)state;
    for (unsigned i = 0; i < THINGS; i++)
        size[i] = (i * 7919u) % 1000;
    assert_int_equal (shares_deal (share, size, THINGS, SHARES), 0);
    assert_int_equal (shares_deal (again, size, THINGS, SHARES), 0);
    for (unsigned i = 0; i < THINGS; i++) {
        assert_int_equal (share[i], again[i]);
        assert_true (share[i] < SHARES);
        sum[share[i]] += size[i];
    }
    for (int i = 0; i < SHARES; i++) {
        most = sum[i] > most ? sum[i] : most;
        least = sum[i] < least ? sum[i] : least;
    }
    assert_true (most - least <= 1000);
}

static void test_more_shares_than_things (void **state)
{
    uint64_t size[] = {3, 2};
    unsigned share[2];

    (void)state;
    assert_int_equal (shares_deal (share, size, 2, 5), 0);
    assert_int_not_equal (share[0], share[1]);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_no_shares),
        cmocka_unit_test (test_large_first),
        cmocka_unit_test (test_even),
        cmocka_unit_test (test_more_shares_than_things),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
