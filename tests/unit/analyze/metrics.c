/* SPDX-License-Identifier: MIT
 *
 * metrics.c - facts -> numbers, or the reason why there is none
 */
#include "tests/unit/tap.h"

#include "analyze/facts/metrics.h"
#include "analyze/facts/summary.h"
#include "lib/format/calls.h"

enum { MS = 1000000 }; /* ns */

static struct summary s;

static struct metric_value get (enum metric m)
{
    return metric_compute (&s, m);
}

static void assert_near (enum metric m, double want)
{
    struct metric_value v = get (m);

    assert_true (v.known);
    assert_true (v.value > want - 1e-9 && v.value < want + 1e-9);
}

static void assert_unknown (enum metric m, const char *why)
{
    struct metric_value v = get (m);

    assert_false (v.known);
    assert_non_null (strstr (v.note, why));
}

static void test_nothing_traced (void **state)
{
    memset (&s, 0, sizeof (s));
    for (int m = 0; m < METRIC_COUNT; m++)
        if (m != METRIC_job_time && m != METRIC_lost_events)
            assert_false (get ((enum metric)m).known);
    assert_unknown (METRIC_posix_events, "posix was not traced");
    assert_unknown (METRIC_loader_time, "no loader regions");
}

/* Traced, but nothing read: why, as well as can be told. */
static void test_no_reads (void **state)
{
    memset (&s, 0, sizeof (s));
    s.layers = LAYER_POSIX;
    assert_near (METRIC_read_count, 0);
    assert_unknown (METRIC_read_bandwidth, "no POSIX reads of data files");
    assert_null (strstr (get (METRIC_read_bandwidth).note, "mmap"));
    s.n.stdio_reads = 1;
    assert_unknown (METRIC_read_size, "came through stdio");
    s.n.maps = 1; /* shared memory of MPI, say */
    assert_unknown (METRIC_read_time, "came through stdio");
    s.n.data_maps = 1;
    assert_unknown (METRIC_read_time, "came through mmap");
}

static void test_reads (void **state)
{
    memset (&s, 0, sizeof (s));
    s.layers = LAYER_POSIX;
    s.n.read = (struct transfer){8, 64 << 20, 4000ull * MS};
    s.job_time[SET_READ] = 2000ull * MS;
    assert_near (METRIC_read_time, 4);
    assert_near (METRIC_read_time_union, 2);
    assert_near (METRIC_read_bandwidth, 32);
    assert_near (METRIC_read_bandwidth_thread, 16);
    assert_near (METRIC_read_size, 8192);
}

static void test_loader (void **state)
{
    memset (&s, 0, sizeof (s));
    s.start = 5000ull * MS;
    s.end = 15000ull * MS;
    s.over[SET_LOADER] = (struct over_ranks){3, 2500ull * MS, 6000ull * MS};
    s.job_time[SET_LOADER] = 2700ull * MS;
    assert_near (METRIC_loader_time, 2.5);
    assert_near (METRIC_loader_time_mean, 2);
    assert_near (METRIC_loader_time_job, 2.7);
    assert_near (METRIC_job_time, 10);
    assert_near (METRIC_loader_percent, 25);
}

/* Regions say how long a checkpoint took; without them, the writes do. */
static void test_checkpoint (void **state)
{
    memset (&s, 0, sizeof (s));
    s.layers = LAYER_POSIX;
    s.over[SET_CKPT_WRITE] = (struct over_ranks){1, 300 * MS, 300 * MS};
    assert_near (METRIC_checkpoint_time, 0); /* all of it asynchronous */
    s.over[SET_CHECKPOINT] = (struct over_ranks){1, 500 * MS, 500 * MS};
    assert_near (METRIC_checkpoint_time, 0.5);
    assert_near (METRIC_checkpoint_write_time, 0.3);
}

/* Counts are exact beyond what a double holds. */
static void test_large (void **state)
{
    memset (&s, 0, sizeof (s));
    s.layers = LAYER_POSIX;
    s.n.read.bytes = UINT64_MAX - 1;
    assert_int_equal (get (METRIC_read_bytes).whole, UINT64_MAX - 1);
}

/* Requests of io_urings are worth a word from one for 100 reads and writes; the
 * ring of an event loop is not. */
static void test_rings (void **state)
{
    (void)state;
    memset (&s, 0, sizeof (s));
    s.rings = 4;
    assert_false (summary_rings_matter (&s));
    s.requests = 1;
    assert_true (summary_rings_matter (&s));
    s.n.read.count = 100;
    s.n.other_read.count = 50;
    s.n.write.count = 49;
    assert_true (summary_rings_matter (&s));
    s.n.write.count = 50;
    assert_false (summary_rings_matter (&s));
    s.requests = 2;
    assert_true (summary_rings_matter (&s));
}

/* A profile has sums, but not the time of each event. */
static void test_profile (void **state)
{
    memset (&s, 0, sizeof (s));
    s.layers = LAYER_POSIX | LAYER_PROFILE;
    s.n.read.count = 4;
    s.n.read.ns = 2 * MS;
    s.job_time[SET_READ] = MS;
    s.io_time = MS;
    assert_near (METRIC_read_count, 4);
    assert_near (METRIC_read_time, 0.002);
    assert_unknown (METRIC_read_bandwidth, "profile: it needs the time");
    assert_unknown (METRIC_io_time, "profile: it needs the time");
    for (int m = 0; m < METRIC_COUNT; m++)
        if (strstr (metric_table[m].definition, "union"))
            assert_int_equal (metric_table[m].made_of, METRIC_OF_TIMES);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing_traced),
        cmocka_unit_test (test_rings),
        cmocka_unit_test (test_no_reads),
        cmocka_unit_test (test_reads),
        cmocka_unit_test (test_loader),
        cmocka_unit_test (test_checkpoint),
        cmocka_unit_test (test_large),
        cmocka_unit_test (test_profile),
    };

    return tap_run (tests);
}
