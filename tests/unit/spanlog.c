/* SPDX-License-Identifier: MIT
 *
 * spanlog.c - packed times against plain sets, in memory and out of it
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/spanlog.h"

enum { LOGS = 4, ADDS = 5000 };

static uint64_t seed = 1;

static uint64_t next (uint64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
}

/* The same intervals into both; by their ends, or in any order. */
static void fill (struct spanlog *log, struct intervals *set, int ordered)
{
    uint64_t end = 1000;

    for (int i = 0; i < ADDS; i++) {
        uint64_t length = 1 + next (next (50) ? 20 : 20000), start;

        end = ordered ? end + next (40) : 1000 + next (200000);
        start = end > length ? end - length : 0;
        assert_int_equal (spanlog_add (log, start, end), 0);
        assert_int_equal (intervals_add (set, start, end), 0);
    }
}

static void agree (int ordered)
{
    struct spanlog log[LOGS];
    struct intervals set[LOGS] = {{0}}, all, a, b;
    const struct spanlog *logs[LOGS + 1];
    const struct intervals *sets[LOGS];
    uint64_t length;

    memset (log, 0, sizeof (log));
    for (int i = 0; i < LOGS; i++) {
        logs[i] = &log[i];
        sets[i] = &set[i];
        assert_true (spanlog_empty (&log[i]));
        fill (&log[i], &set[i], ordered);
        assert_false (spanlog_empty (&log[i]));
        assert_int_equal (spans_length (&logs[i], 1, &length), 0);
        assert_int_equal (length, intervals_length (&set[i]));
    }
    logs[LOGS] = NULL;
    assert_int_equal (intervals_union (&all, sets, LOGS), 0);
    assert_int_equal (spans_length (logs, LOGS + 1, &length), 0);
    assert_int_equal (length, intervals_length (&all));
    assert_int_equal (intervals_union (&a, sets, 2), 0);
    assert_int_equal (intervals_union (&b, sets + 2, 2), 0);
    assert_int_equal (spans_common (logs, 2, logs + 2, 2, &length), 0);
    assert_int_equal (length, intervals_common (&a, &b));
    intervals_clear (&all);
    intervals_clear (&a);
    intervals_clear (&b);
    for (int i = 0; i < LOGS; i++) {
        spanlog_clear (&log[i]);
        intervals_clear (&set[i]);
    }
}

static void nothing_is_nothing (void **state)
{
    struct spanlog log = {.packed_end = 0};
    const struct spanlog *logs[] = {&log};
    uint64_t length = 5;

    (void)state;
    assert_int_equal (spanlog_add (&log, 7, 7), 0);
    assert_int_equal (spanlog_add (&log, 9, 7), 0);
    assert_true (spanlog_empty (&log));
    assert_int_equal (spans_length (logs, 1, &length), 0);
    assert_int_equal (length, 0);
    assert_int_equal (spans_common (logs, 1, NULL, 0, &length), 0);
    assert_int_equal (length, 0);
    spanlog_clear (&log);
}

static void in_order (void **state)
{
    (void)state;
    agree (1);
}

static void in_any_order (void **state)
{
    (void)state;
    agree (0);
}

static void out_of_memory_into_the_file (void **state)
{
    struct spanlog log = {.packed_end = 0};
    const struct spanlog *logs[] = {&log};
    uint64_t length;

    (void)state;
    spanlog_limit (0);
    for (uint64_t i = 1; i <= 200000; i++)
        assert_int_equal (spanlog_add (&log, 10 * i, 10 * i + 3), 0);
    assert_int_equal (spans_length (logs, 1, &length), 0);
    assert_int_equal (length, 600000);
    assert_int_equal (spans_common (logs, 1, logs, 1, &length), 0);
    assert_int_equal (length, 600000);
    spanlog_clear (&log);
    agree (1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (nothing_is_nothing),
        cmocka_unit_test (in_order),
        cmocka_unit_test (in_any_order),
        cmocka_unit_test (out_of_memory_into_the_file),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
