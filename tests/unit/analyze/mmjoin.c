/* SPDX-License-Identifier: MIT
 *
 * mmjoin.c - what layer mmap says of a process -> files, regions, bins
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <string.h>

#include "analyze/derive/mmjoin.h"
#include "analyze/query/totals/mmpack.h"

enum { MS = 1000000 };

static struct mm_log log_;
static struct mm_totals totals;

static uint32_t name (struct strmap **map, const char *text)
{
    return mmlog_ordinal (map, text, strlen (text));
}

static void use (uint64_t ms, uint64_t read, uint64_t major)
{
    struct mm_use *u = mmlist_add (&log_.uses, sizeof (*u));

    *u = (struct mm_use){ms * MS, read, major, 0, 0};
}

static void grown (uint64_t ms, const char *file, uint64_t bytes, int cached)
{
    struct mm_look *k = mmlist_add (&log_.looks, sizeof (*k));

    *k = (struct mm_look){.t = ms * MS,
                          .mapped = 1000000,
                          .touched = bytes,
                          .cached = bytes,
                          .loaded = cached ? bytes : 0,
                          .file = name (&log_.files, file),
                          .cached_known = cached};
}

static void missed (uint64_t ms, uint64_t bytes)
{
    struct mm_miss *m = mmlist_add (&log_.misses, sizeof (*m));

    *m = (struct mm_miss){ms * MS, bytes, name (&log_.files, "read"), 0};
}

static void fault (uint32_t tid, uint64_t from, uint64_t to, const char *file)
{
    struct mm_seen *f = mmlist_add (&log_.faults, sizeof (*f));

    *f = (struct mm_seen){from * MS, to * MS, tid, name (&log_.files, file), 0};
}

static void watched (uint32_t tid, uint64_t from, uint64_t to)
{
    struct mm_watch *w = mmlist_add (&log_.watched, sizeof (*w));

    *w = (struct mm_watch){from * MS, to * MS, tid};
}

/* A minor one that waited. */
static void late (uint32_t tid, uint64_t from, uint64_t to, const char *file)
{
    fault (tid, from, to, file);
    ((struct mm_seen *)log_.faults.item)[log_.faults.count - 1].minor = 1;
}

static void part (uint32_t tid,
                  uint64_t from,
                  uint64_t to,
                  const char *op,
                  uint64_t major,
                  uint64_t read,
                  uint64_t wait_us)
{
    struct mm_part *p = mmlist_add (&log_.parts, sizeof (*p));

    *p = (struct mm_part){.start = from * MS,
                          .end = to * MS,
                          .major = major,
                          .read = read,
                          .wait_us = wait_us,
                          .op = name (&log_.ops, op),
                          .tid = tid};
}

static const struct mm_file *file (const char *path)
{
    int64_t at = strmap_find (totals.files, path, strlen (path));

    assert_true (at >= 0);
    return strmap_value (totals.files, (size_t)at);
}

static const struct mm_op *op (const char *text)
{
    int64_t at = strmap_find (totals.ops, text, strlen (text));

    assert_true (at >= 0);
    return strmap_value (totals.ops, (size_t)at);
}

static void join (void)
{
    assert_int_equal (mmjoin_begin (&totals, 1, 0, 1000 * (uint64_t)MS), 0);
    assert_int_equal (mmjoin_process (&totals, 0, &log_), 0);
}

static int clear (void **state)
{
    mmlog_clear (&log_);
    mmjoin_clear (&totals);
    return 0;
}

static void test_nothing (void **state)
{
    assert_true (mmlog_empty (&log_));
    join ();
    assert_int_equal (totals.sum.bytes, 0);
    assert_null (totals.files);
}

/* What grew says whose the bytes are; what calls had is theirs; what came
 * before the first mapping is nobody's. */
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

/* A child of fork came with its mappings. */
static void test_child (void **state)
{
    use (500, 4096, 1);
    grown (500, "a", 4096, 0);
    join ();
    assert_int_equal (totals.sum.fault_bytes, 4096);
    assert_int_equal (file ("a")->bytes, 4096);
}

/* Bytes that nothing explains yet wait for what does; if nothing does, they
 * are not a file's. */
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

/* A fault is of the innermost region of its thread. */
static void test_regions (void **state)
{
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 8192, 3);
    grown (900, "a", 8192, 0);
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

/* A thread that slept for something else before it began a region, and faults
 * soon after, was not asleep for the fault: it ran in between. */
static void test_slept_before (void **state)
{
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 8192, 2);
    grown (900, "a", 8192, 0);
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

/* Too few of a region's faults were seen: it says itself how long it waited.
 * The process has the sum of its regions, in bins as well. */
static void test_few_seen (void **state)
{
    const struct mm_bin *b;
    uint64_t stall = 0, faults = 0;

    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 8192, 9);
    grown (900, "a", 8192, 0);
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

/* Faults that brought nothing from storage are those of holes. */
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

/* Waiting for pages that are on their way is stall, but no major fault. What
 * the region slept for other reasons is not. */
static void test_late (void **state)
{
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 8192, 1);
    grown (900, "a", 8192, 0);
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

/* While a thread was not watched it may have slept, for as long as that at
 * most, and no longer than it did not run. */
static void test_gap (void **state)
{
    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 8192, 2);
    grown (900, "a", 8192, 0);
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

/* A woken thread may have to wait for a CPU: the region knows that. */
static void test_queue (void **state)
{
    const struct mm_bin *b;
    uint64_t stall = 0;

    log_.mapped_at = 1;
    use (1, 0, 0);
    use (900, 8192, 2);
    grown (900, "a", 8192, 0);
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

/* Outside of regions what was not watched is not known. */
static void test_outside (void **state)
{
    log_.mapped_at = 100 * (uint64_t)MS;
    use (100, 0, 0);
    use (900, 8192, 4);
    grown (900, "a", 8192, 0);
    fault (1, 300, 320, "a");
    watched (1, 150, 900);
    join ();
    assert_false (totals.sum.stall_known);
    mmjoin_clear (&totals);
    watched (1, 100, 150);
    join ();
    assert_true (totals.sum.stall_known);
    assert_int_equal (totals.sum.stall_ns, 20 * (uint64_t)MS);
}

/* Without perf, threads that were looked at between calls say how long they
 * did not run. */
static void test_between_calls (void **state)
{
    struct mm_use *u;

    log_.mapped_at = 100 * (uint64_t)MS;
    use (100, 0, 0);
    use (900, 8192, 4);
    u = log_.uses.item;
    u[0].wait_us = 1000;
    u[1].outside = 8192;
    u[1].wait_us = 31000;
    grown (900, "a", 8192, 0);
    join ();
    assert_true (totals.sum.stall_known);
    assert_true (totals.sum.estimated);
    assert_int_equal (totals.sum.stall_ns, 30 * (uint64_t)MS);
    mmjoin_clear (&totals);
    u[1].outside = 4096; /* of a thread that was killed the rest is unknown */
    join ();
    assert_false (totals.sum.stall_known);
}

/* Sums over bins are the sums over files. */
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

/* Through a partial result and back; damage is refused. */
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
    assert_int_equal (mmlog_size (&log_, 0, 77), 0);
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

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown (test_nothing, clear),
        cmocka_unit_test_teardown (test_bytes, clear),
        cmocka_unit_test_teardown (test_child, clear),
        cmocka_unit_test_teardown (test_pending, clear),
        cmocka_unit_test_teardown (test_regions, clear),
        cmocka_unit_test_teardown (test_slept_before, clear),
        cmocka_unit_test_teardown (test_few_seen, clear),
        cmocka_unit_test_teardown (test_holes, clear),
        cmocka_unit_test_teardown (test_late, clear),
        cmocka_unit_test_teardown (test_gap, clear),
        cmocka_unit_test_teardown (test_queue, clear),
        cmocka_unit_test_teardown (test_outside, clear),
        cmocka_unit_test_teardown (test_between_calls, clear),
        cmocka_unit_test_teardown (test_bins, clear),
        cmocka_unit_test_teardown (test_pack, clear),
    };

    return tap_run (tests);
}
