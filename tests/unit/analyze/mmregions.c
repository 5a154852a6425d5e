/* SPDX-License-Identifier: MIT
 *
 * mmregions.c - what layer mmap says of a process -> how long who was asleep
 */
#include "tests/unit/analyze/mmmade.h"

/* A process maps "a" at that time, ns, and has two pages of it by 900 ms, with
 * so many major faults. */
static void two_pages (uint64_t mapped_at, uint64_t majors)
{
    log_.mapped_at = mapped_at;
    use (mapped_at < MS ? 1 : mapped_at / MS, 0, 0);
    use (900, 8192, majors);
    grown (900, "a", 8192, 0);
}

static void test_regions (void **state)
{
    two_pages (1, 3);
    part (1, 100, 400, "c inner", 1, 4096, 90000);
    part (1, 0, 500, "c outer", 1, 4096, 90000);
    part (2, 0, 500, "c other", 1, 4096, 7000);
    fault (1, 110, 120, "a");
    fault (1, 410, 440, "a");
    fault (1, 600, 601, "a");
    watched (1, 0, 700);
    join ();
    assert_int_equal (op ("c inner")->stall_ns, 10 * (uint64_t)MS);
    assert_int_equal (op ("c outer")->stall_ns, 30 * (uint64_t)MS);
    assert_int_equal (op ("c inner")->estimated, 0);
    assert_int_equal (op ("c other")->stall_ns, 7 * (uint64_t)MS);
    assert_int_equal (op ("c other")->estimated, 1);
    assert_int_equal (op ("c inner")->bytes, 4096);
    assert_int_equal (file ("a")->faults, 3);
    assert_int_equal (file ("a")->stall_ns, 41 * (uint64_t)MS);
}

static void test_slept_before (void **state)
{
    two_pages (1, 2);
    part (1, 300, 310, "c item", 2, 8192, 5000);
    part (1, 0, 500, "c outer", 0, 0, 0);
    fault (1, 100, 301, "a");
    fault (1, 305, 308, "a");
    watched (1, 0, 500);
    join ();
    assert_int_equal (op ("c item")->stall_ns, 4 * (uint64_t)MS);
    assert_int_equal (strmap_count (totals.ops), 1); /* not of the outer one */
    assert_int_equal (file ("a")->stall_ns, 4 * (uint64_t)MS);
    assert_int_equal (totals.sum.stall_ns, 4 * (uint64_t)MS);
}

static void test_few_seen (void **state)
{
    const struct mm_bin *b;
    uint64_t stall = 0, faults = 0;

    two_pages (1, 9);
    part (1, 100, 200, "c item", 8, 8192, 20000);
    fault (1, 110, 113, "a");
    fault (1, 400, 405, "a");
    join ();
    assert_int_equal (op ("c item")->stall_ns, 20 * (uint64_t)MS);
    assert_int_equal (totals.sum.stall_ns, 25 * (uint64_t)MS);
    assert_true (totals.sum.estimated);
    b = totals.bins.item;
    for (size_t i = 0; i < totals.bins.count; i++) {
        stall += b[i].stall_ns;
        faults += b[i].faults;
    }
    assert_int_equal (stall, 25 * (uint64_t)MS);
    assert_int_equal (faults, 9);
}

static void test_late (void **state)
{
    two_pages (1, 1);
    part (1, 100, 400, "c item", 1, 8192, 250000);
    fault (1, 110, 120, "a");
    late (1, 130, 190, "a");
    watched (1, 90, 200);
    watched (1, 200, 450);
    join ();
    assert_int_equal (op ("c item")->stall_ns, 70 * (uint64_t)MS);
    assert_int_equal (op ("c item")->estimated, 0);
    assert_int_equal (file ("a")->faults, 1);
    assert_int_equal (file ("a")->stall_ns, 70 * (uint64_t)MS);
    assert_int_equal (totals.sum.seen, 1);
    assert_true (totals.sum.stall_known);
}

static void test_gap (void **state)
{
    two_pages (1, 2);
    part (1, 100, 200, "c short", 1, 4096, 90000);
    part (1, 300, 400, "c long", 1, 4096, 30000);
    fault (1, 110, 120, "a");
    watched (1, 0, 160);
    watched (1, 180, 300);
    join ();
    assert_int_equal (op ("c short")->stall_ns, 30 * (uint64_t)MS);
    assert_int_equal (op ("c short")->estimated, 1);
    assert_int_equal (op ("c long")->stall_ns, 30 * (uint64_t)MS);
    assert_int_equal (totals.sum.stall_ns, 60 * (uint64_t)MS);
    assert_int_equal (totals.sum.seen_ns, 10 * (uint64_t)MS);
}

static void test_queue (void **state)
{
    const struct mm_bin *b;
    uint64_t stall = 0;

    two_pages (1, 2);
    part (1, 100, 200, "c item", 2, 8192, 20000);
    fault (1, 110, 120, "a");
    fault (1, 130, 160, "a");
    watched (1, 0, 300);
    join ();
    assert_int_equal (op ("c item")->stall_ns, 20 * (uint64_t)MS);
    assert_int_equal (file ("a")->stall_ns, 20 * (uint64_t)MS);
    assert_int_equal (totals.sum.stall_ns, 20 * (uint64_t)MS);
    b = totals.bins.item;
    for (size_t i = 0; i < totals.bins.count; i++)
        stall += b[i].stall_ns;
    assert_int_equal (stall, 20 * (uint64_t)MS);
}

/* It waited for a child, for example. */
static void test_no_bytes (void **state)
{
    struct mm_use *u;

    log_.mapped_at = 100 * (uint64_t)MS;
    use (100, 0, 0);
    use (900, 8192, 0);
    u = log_.uses.item;
    u[1].wait_us = 31000;
    join ();
    assert_int_equal (totals.sum.stall_ns, 0);
    assert_false (totals.sum.estimated);
}

static void test_outside (void **state)
{
    two_pages (100 * (uint64_t)MS, 4);
    fault (1, 300, 320, "a");
    watched (1, 150, 900);
    join ();
    assert_false (totals.sum.stall_known);
    assert_false (totals.sum.waited_else);
    mmjoin_clear (&totals);
    watched (1, 100, 150);
    join ();
    assert_true (totals.sum.stall_known);
    assert_int_equal (totals.sum.stall_ns, 20 * (uint64_t)MS);
}

static void test_between_calls (void **state)
{
    struct mm_use *u;

    two_pages (100 * (uint64_t)MS, 4);
    u = log_.uses.item;
    u[0].wait_us = 1000;
    u[1].outside = 8192;
    u[1].wait_us = 31000;
    join ();
    assert_true (totals.sum.stall_known);
    assert_true (totals.sum.estimated);
    assert_int_equal (totals.sum.stall_ns, 30 * (uint64_t)MS);
    mmjoin_clear (&totals);
    u[1].outside = 4096; /* of a thread that was killed the rest is unknown */
    join ();
    assert_false (totals.sum.stall_known);
}

/* A thread that waits for its workers while two pages come waits for these. */
static void test_workers (void **state)
{
    struct mm_use *u;

    log_.mapped_at = 100 * (uint64_t)MS;
    use (100, 0, 0);
    use (9000, 8192, 2);
    u = log_.uses.item;
    u[1].outside = 8192;
    u[1].wait_us = 4700000;
    grown (900, "a", 8192, 0);
    fault (1, 300, 320, "a");
    join ();
    assert_false (totals.sum.stall_known);
    assert_false (totals.sum.estimated);
    assert_true (totals.sum.waited_else);
    assert_int_equal (totals.sum.stall_ns, 20 * (uint64_t)MS);
}

/* So does a worker in its loop, which waits for the next batch. */
static void test_loop (void **state)
{
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (90000, 8192, 1);
    grown (900, "a", 8192, 0);
    part (1, 100, 89000, "worker loop", 1, 8192, 55000000);
    fault (1, 300, 320, "a");
    join ();
    assert_false (totals.sum.stall_known);
    assert_true (totals.sum.waited_else);
    assert_int_equal (op ("worker loop")->stall_ns, 20 * (uint64_t)MS);
    assert_int_equal (totals.sum.stall_ns, 20 * (uint64_t)MS);
}

/* A launcher loads its libraries, and then waits for its children. */
static void test_libraries (void **state)
{
    struct mm_use *u;

    log_.mapped_at = 100 * (uint64_t)MS;
    use (100, 0, 0);
    use (900, 8192, 4);
    u = log_.uses.item;
    u[1].outside = 8192;
    u[1].wait_us = 700000;
    join ();
    assert_true (totals.sum.stall_known);
    assert_int_equal (totals.sum.other_bytes, 8192);
    assert_int_equal (totals.sum.stall_ns, 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown (test_regions, clear),
        cmocka_unit_test_teardown (test_slept_before, clear),
        cmocka_unit_test_teardown (test_few_seen, clear),
        cmocka_unit_test_teardown (test_libraries, clear),
        cmocka_unit_test_teardown (test_late, clear),
        cmocka_unit_test_teardown (test_gap, clear),
        cmocka_unit_test_teardown (test_queue, clear),
        cmocka_unit_test_teardown (test_no_bytes, clear),
        cmocka_unit_test_teardown (test_outside, clear),
        cmocka_unit_test_teardown (test_between_calls, clear),
        cmocka_unit_test_teardown (test_workers, clear),
        cmocka_unit_test_teardown (test_loop, clear),
    };

    return tap_run (tests);
}
