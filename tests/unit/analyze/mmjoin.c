/* SPDX-License-Identifier: MIT
 *
 * mmjoin.c - what layer mmap says of a process -> files, bins
 */
#include "tests/unit/analyze/mmmade.h"

#include "analyze/scan/mmlog.h"

static void test_nothing (void **state)
{
    assert_true (mmlog_empty (&log_));
    join ();
    assert_int_equal (totals.sum.bytes, 0);
    assert_null (totals.files);
}

static void test_bytes (void **state)
{
    log_.mapped_at = 99 * (uint64_t)MS;
    use (100, 50, 1);
    use (200, 1050, 2);
    use (300, 3050, 5);
    grown (201, "a", 1000, 1);
    missed (250, 500);
    grown (301, "a", 500, 1);
    grown (302, "b", 1000, 1);
    join ();
    assert_int_equal (totals.sum.bytes, 3050);
    assert_int_equal (totals.sum.other_bytes, 50);
    assert_int_equal (totals.sum.call_bytes, 500);
    assert_int_equal (totals.sum.fault_bytes, 2500);
    assert_int_equal (totals.sum.major, 4);
    assert_int_equal (file ("a")->bytes, 1500);
    assert_int_equal (file ("b")->bytes, 1000);
    assert_int_equal (file ("read")->bytes, 0);
    assert_int_equal (file ("read")->call_bytes, 500);
    assert_int_equal (file ("a")->touched, 1500);
}

static void test_child (void **state)
{
    use (500, 4096, 1);
    grown (500, "a", 4096, 0);
    join ();
    assert_int_equal (totals.sum.fault_bytes, 4096);
    assert_int_equal (file ("a")->bytes, 4096);
}

static void test_pending (void **state)
{
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (100, 1000, 0);
    use (200, 1000, 1);
    grown (250, "a", 4096, 0);
    use (300, 3000, 1);
    join ();
    assert_int_equal (file ("a")->bytes, 1000);
    assert_int_equal (totals.sum.fault_bytes, 1000);
    assert_int_equal (totals.sum.other_bytes, 2000);
}

/* Pages that came between the totals and the look of the same time: their bytes
 * are in the totals after it, when nothing grows any more. */
static void test_last (void **state)
{
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (200, 1000, 1);
    grown (200, "a", 3000, 1);
    use (300, 3000, 1);
    join ();
    assert_int_equal (file ("a")->bytes, 3000);
    assert_int_equal (totals.sum.fault_bytes, 3000);
    assert_int_equal (totals.sum.other_bytes, 0);
}

static void test_holes (void **state)
{
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 0, 7);
    grown (900, "a", 8192, 0);
    part (1, 100, 200, "c item", 3, 0, 90000);
    fault (1, 110, 150, "a");
    join ();
    assert_int_equal (totals.sum.major, 0);
    assert_int_equal (totals.sum.seen, 0);
    assert_int_equal (totals.sum.stall_ns, 0);
    assert_null (totals.ops);
    assert_int_equal (file ("a")->faults, 0);
    assert_int_equal (file ("a")->touched, 8192);
}

/* A fault that the kernel told, with its bytes. */
static void told (uint64_t from, uint64_t to, const char *file, uint64_t bytes)
{
    fault (1, from, to, file);
    ((struct mm_seen *)log_.faults.item)[log_.faults.count - 1].bytes = bytes;
}

/* What layer kernel tells wins over what was sampled, and is exact. */
static void test_kernel (void **state)
{
    log_.sources = MM_KERNEL;
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 9000, 9);
    grown (900, "a", 8000, 1);
    grown (900, "b", 1000, 1);
    part (1, 50, 400, "c item", 2, 9000, 300000);
    told (100, 150, "a", 3000);
    told (200, 210, "b", 4000);
    late (1, 300, 305, "b");
    join ();
    mmjoin_finish (&totals, 1);
    assert_int_equal (file ("a")->bytes, 3000);
    assert_int_equal (file ("b")->bytes, 4000);
    assert_false (file ("a")->about);
    assert_int_equal (totals.sum.bytes, 9000);
    assert_int_equal (totals.sum.fault_bytes, 7000);
    assert_int_equal (totals.sum.other_bytes, 2000);
    assert_int_equal (totals.sum.stall_ns, 65 * (uint64_t)MS);
    assert_int_equal (op ("c item")->stall_ns, 65 * (uint64_t)MS);
    assert_false (op ("c item")->estimated);
    assert_true (totals.sum.stall_known);
}

/* Where the recorder lost something, it is no more than an estimate. */
static void test_kernel_lost (void **state)
{
    log_.sources = MM_KERNEL;
    log_.lost.faults = 3;
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 9000, 9);
    part (1, 50, 400, "c item", 2, 9000, 300000);
    told (100, 150, "a", 3000);
    join ();
    assert_true (totals.process[0].estimated);
    assert_false (totals.process[0].exact);
    assert_true (op ("c item")->estimated);
}

static void test_bins (void **state)
{
    const struct mm_bin *b;
    uint64_t bytes = 0, faults = 0;

    log_.mapped_at = 1;
    use (1, 0, 0);
    use (777, 123457, 0);
    grown (777, "a", 100, 0);
    fault (1, 5, 333, "a");
    join ();
    b = totals.bins.item;
    for (size_t i = 0; i < totals.bins.count; i++) {
        assert_true (b[i].bin < MM_BINS);
        bytes += b[i].bytes;
        faults += b[i].faults;
    }
    assert_int_equal (bytes, 123457);
    assert_int_equal (faults, 1);
    assert_true (totals.bins.count > 70 && totals.bins.count <= 78);
}

static void test_pack (void **state)
{
    struct packer p = {0};
    struct unpacker u = {0};
    struct mm_log again = {.sources = 0};

    use (100, 50, 1);
    grown (201, "a", 1000, 1);
    part (1, 100, 400, "c inner", 1, 4096, 90000);
    fault (1, 110, 120, "a");
    watched (1, 100, 150);
    mmlog_size (&log_, 0, 77);
    mmlog_pack (&p, &log_);
    u.p = p.data;
    u.limit = p.data + p.used;
    assert_int_equal (mmlog_unpack (&u, &again), 0);
    assert_true (unpack_ended (&u));
    assert_int_equal (again.looks.count, 1);
    assert_int_equal (again.watched.count, 1);
    assert_memory_equal (again.parts.item, log_.parts.item,
                         sizeof (struct mm_part));
    assert_int_equal (((const uint64_t *)again.sizes.item)[0], 77);
    mmlog_clear (&again);
    ((struct mm_part *)log_.parts.item)->op = 1; /* nobody's */
    p.used = 0;
    mmlog_pack (&p, &log_);
    u = (struct unpacker){.p = p.data, .limit = p.data + p.used};
    assert_int_equal (mmlog_unpack (&u, &again), -1);
    mmlog_clear (&again);
    for (size_t cut = 0; cut < p.used; cut++) {
        u = (struct unpacker){.p = p.data, .limit = p.data + cut};
        assert_int_equal (mmlog_unpack (&u, &again), -1);
        mmlog_clear (&again);
    }
    packer_clear (&p);
}

/* Two processes of a node and two files: what the cache gained is the answer.
 */
static void two_processes (int own)
{
    mmjoin_begin (&totals, 2, 0, 1000 * (uint64_t)MS);
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (100, 600000, 1);
    grown (101, "a", 300000, own);
    grown (102, "b", 100000, own);
    mmjoin_process (&totals, 0, &log_);
    mmlog_clear (&log_);
    use (200, 400000, 1);
    grown (201, "b", 500000, own);
    mmjoin_process (&totals, 1, &log_);
    mmjoin_finish (&totals, 1);
}

static uint64_t bytes_of_bins (const char *path)
{
    const struct mm_bin *b = totals.bins.item;
    int64_t at = strmap_find (totals.files, path, strlen (path));
    uint64_t bytes = 0;

    for (size_t i = 0; i < totals.bins.count; i++)
        bytes += b[i].file == (size_t)at ? b[i].bytes : 0;
    return bytes;
}

static void test_cache (void **state)
{
    two_processes (1);
    /* a had 300,000 and b 500,000 of 1,000,000: not what the cache gained */
    assert_true (file ("b")->about);
    assert_int_equal (file ("a")->bytes + file ("b")->bytes, 1000000);
    assert_int_equal (bytes_of_bins ("a"), file ("a")->bytes);
    assert_int_equal (bytes_of_bins ("b"), file ("b")->bytes);
}

/* Nobody may look: what there is, is an estimate, and no more than there can
 * be of the file. */
static void test_not_owned (void **state)
{
    two_processes (0);
    assert_true (file ("a")->about);
    assert_int_equal (file ("a")->bytes, 450000);
    assert_int_equal (file ("b")->bytes, 550000);
    assert_int_equal (totals.sum.fault_bytes, 1000000);
    assert_int_equal (bytes_of_bins ("a"), 450000);
}

/* An index that may be looked at does not get the bytes of a corpus that may
 * not; what is no file's is not booked on one. */
static void test_bounded (void **state)
{
    struct mm_look *k;

    mmjoin_begin (&totals, 1, 0, 1000 * (uint64_t)MS);
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (100, 13300000, 9);
    grown (101, "index", 600000, 1);
    grown (101, "corpus", 90000, 0);
    k = log_.looks.item;
    k[1].mapped = 12700000;
    mmjoin_process (&totals, 0, &log_);
    mmjoin_finish (&totals, 1);
    assert_int_equal (file ("index")->bytes, 600000);
    assert_int_equal (file ("corpus")->bytes, 12700000);
    assert_false (file ("corpus")->about);
    mmjoin_clear (&totals);
    k[1].mapped = 2000000;
    mmjoin_begin (&totals, 1, 0, 1000 * (uint64_t)MS);
    mmjoin_process (&totals, 0, &log_);
    mmjoin_finish (&totals, 1);
    assert_int_equal (file ("corpus")->bytes, 2000000);
    assert_true (file ("corpus")->about);
    assert_int_equal (totals.sum.fault_bytes, 2600000);
    assert_int_equal (totals.process[0].other_bytes, 10700000);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown (test_nothing, clear),
        cmocka_unit_test_teardown (test_bytes, clear),
        cmocka_unit_test_teardown (test_child, clear),
        cmocka_unit_test_teardown (test_pending, clear),
        cmocka_unit_test_teardown (test_last, clear),
        cmocka_unit_test_teardown (test_holes, clear),
        cmocka_unit_test_teardown (test_kernel, clear),
        cmocka_unit_test_teardown (test_kernel_lost, clear),
        cmocka_unit_test_teardown (test_bins, clear),
        cmocka_unit_test_teardown (test_cache, clear),
        cmocka_unit_test_teardown (test_not_owned, clear),
        cmocka_unit_test_teardown (test_bounded, clear),
        cmocka_unit_test_teardown (test_pack, clear),
    };

    return tap_run (tests);
}
