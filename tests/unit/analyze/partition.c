/* SPDX-License-Identifier: MIT
 *
 * partition.c - things of some size, dealt to tasks
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/trace/parts.h"

enum { THINGS = 1000, SHARES = 7 };

static void test_no_partitions (void **state)
{
    uint64_t size[1] = {5};
    unsigned partition[1];

    (void)state;
    assert_int_equal (partitions_deal (partition, size, 1, 0), -1);
    assert_int_equal (partitions_deal (partition, size, 0, 3), 0);
}

static void test_large_first (void **state)
{
    uint64_t size[] = {1, 1, 1, 9, 1, 1, 8};
    unsigned partition[7];

    (void)state;
    assert_int_equal (partitions_deal (partition, size, 7, 2), 0);
    assert_int_equal (partition[3], 0); /* the largest */
    assert_int_equal (partition[6], 1); /* the next one elsewhere */
    assert_int_equal (partition[0], 1); /* which has less */
}

static void test_even (void **state)
{
    uint64_t size[THINGS], sum[SHARES] = {0}, most = 0, least = UINT64_MAX;
    unsigned partition[THINGS], again[THINGS];

    (void)state;
    for (unsigned i = 0; i < THINGS; i++)
        size[i] = (i * 7919u) % 1000;
    assert_int_equal (partitions_deal (partition, size, THINGS, SHARES), 0);
    assert_int_equal (partitions_deal (again, size, THINGS, SHARES), 0);
    for (unsigned i = 0; i < THINGS; i++) {
        assert_int_equal (partition[i], again[i]);
        assert_true (partition[i] < SHARES);
        sum[partition[i]] += size[i];
    }
    for (int i = 0; i < SHARES; i++) {
        most = sum[i] > most ? sum[i] : most;
        least = sum[i] < least ? sum[i] : least;
    }
    assert_true (most - least <= 1000);
}

static void test_more_partitions_than_things (void **state)
{
    uint64_t size[] = {3, 2};
    unsigned partition[2];

    (void)state;
    assert_int_equal (partitions_deal (partition, size, 2, 5), 0);
    assert_int_not_equal (partition[0], partition[1]);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_no_partitions),
        cmocka_unit_test (test_large_first),
        cmocka_unit_test (test_even),
        cmocka_unit_test (test_more_partitions_than_things),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
