/* SPDX-License-Identifier: MIT
 *
 * spanlog.c - packed times against plain sets, in memory and out of it
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/scan/spanlog.h"
#include "analyze/scan/spanunion.h"
#include "lib/util/spool.h"

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
        spanlog_add (log, start, end);
        intervals_add (set, start, end);
    }
}

static void add_all (struct intervals *to, const struct intervals *from)
{
    for (size_t i = 0; i < from->count; i++)
        intervals_add (to, from->item[i].start, from->item[i].end);
}

static void agree (int ordered)
{
    struct spanlog log[LOGS];
    struct intervals set[LOGS] = {{0}}, all = {0}, a = {0}, b = {0};
    const struct spanlog *logs[LOGS + 1];
    uint64_t length;

    memset (log, 0, sizeof (log));
    for (int i = 0; i < LOGS; i++) {
        logs[i] = &log[i];
        assert_true (spanlog_empty (&log[i]));
        fill (&log[i], &set[i], ordered);
        assert_false (spanlog_empty (&log[i]));
        spans_length (&logs[i], 1, &length);
        assert_int_equal (length, intervals_length (&set[i]));
    }
    logs[LOGS] = NULL;
    for (int i = 0; i < LOGS; i++) {
        add_all (&all, &set[i]);
        add_all (i < 2 ? &a : &b, &set[i]);
    }
    spans_length (logs, LOGS + 1, &length);
    assert_int_equal (length, intervals_length (&all));
    spans_common (logs, 2, logs + 2, 2, &length);
    assert_int_equal (length, intervals_length (&a) + intervals_length (&b) -
                                  intervals_length (&all));
    intervals_clear (&all);
    intervals_clear (&a);
    intervals_clear (&b);
    for (int i = 0; i < LOGS; i++) {
        spanlog_clear (&log[i]);
        intervals_clear (&set[i]);
    }
}

/* Pieces that are joined are what one log would be. */
static void join (int ordered, int adds)
{
    struct spanlog all, part;
    struct intervals set = {0};
    const struct spanlog *logs[] = {&all};
    uint64_t length, now = 1000;

    memset (&all, 0, sizeof (all));
    for (int slice = 0; slice < 6; slice++) {
        memset (&part, 0, sizeof (part));
        for (int i = 0; i < adds; i++) {
            uint64_t n = next (next (300) ? 50 : 100000), start;

            now += 1 + next (60);
            start = ordered ? now - n / 2 % 30 : now > n ? now - n : 1;
            spanlog_add (&part, start, now);
            intervals_add (&set, start, now);
        }
        spanlog_join (&all, &part);
        assert_true (spanlog_empty (&part));
        spans_length (logs, 1, &length);
        assert_int_equal (length, intervals_length (&set));
    }
    spanlog_clear (&all);
    intervals_clear (&set);
}

static void slices (void **state)
{
    (void)state;
    for (int adds = 0; adds < 70; adds += 23)
        join (1, adds);
    for (int ordered = 0; ordered < 2; ordered++) {
        join (ordered, 300);
        join (ordered, 1000);
        join (ordered, 30000);
    }
}

static void nothing_is_nothing (void **state)
{
    struct spanlog log = {.packed_end = 0};
    const struct spanlog *logs[] = {&log};
    uint64_t length = 5;

    (void)state;
    spanlog_add (&log, 7, 7);
    spanlog_add (&log, 9, 7);
    assert_true (spanlog_empty (&log));
    spans_length (logs, 1, &length);
    assert_int_equal (length, 0);
    spans_common (logs, 1, NULL, 0, &length);
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
    spool_limit (0);
    for (uint64_t i = 1; i <= 200000; i++)
        spanlog_add (&log, 10 * i, 10 * i + 3);
    spans_length (logs, 1, &length);
    assert_int_equal (length, 600000);
    spans_common (logs, 1, logs, 1, &length);
    assert_int_equal (length, 600000);
    spanlog_clear (&log);
    agree (1);
}

/* -1: refused; else the length of what a file with this gap and length gives.
 */
static int64_t unpacked (uint64_t gap, uint64_t length)
{
    struct packer p = {0};
    struct unpacker u = {0};
    struct spanlog log = {.packed_end = 0};
    const struct spanlog *logs[] = {&log};
    uint64_t sum = 0;
    int rc;

    pack_uint (&p, gap);
    pack_uint (&p, length);
    for (int i = 0; i < 4; i++)
        pack_uint (&p, 0); /* the end of both lists */
    u.p = p.data;
    u.limit = p.data + p.used;
    rc = spanlog_unpack (&u, &log);
    if (rc == 0)
        spans_length (logs, 1, &sum);
    else
        assert_true (u.bad);
    spanlog_clear (&log);
    packer_clear (&p);
    return rc < 0 ? -1 : (int64_t)sum;
}

/* Another's file: what is after 2116 is refused. */
static void unbelievable_times (void **state)
{
    (void)state;
    assert_int_equal (unpacked (1, 3), 3);
    assert_int_equal (unpacked (1, (uint64_t)1 << 60), (int64_t)1 << 60);
    assert_int_equal (unpacked ((uint64_t)1 << 61, (uint64_t)1 << 40),
                      (int64_t)1 << 40);
    assert_int_equal (unpacked (1, (uint64_t)1 << 62), -1);
    assert_int_equal (unpacked (1, UINT64_MAX - 1), -1);
    assert_int_equal (unpacked (UINT64_MAX, 1), -1);
    assert_int_equal (unpacked (UINT64_MAX - 4, 4), -1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (nothing_is_nothing),
        cmocka_unit_test (in_order),
        cmocka_unit_test (in_any_order),
        cmocka_unit_test (slices),
        cmocka_unit_test (out_of_memory_into_the_file),
        cmocka_unit_test (slices), /* out of memory */
        cmocka_unit_test (unbelievable_times),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
