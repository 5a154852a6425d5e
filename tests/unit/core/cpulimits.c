/* SPDX-License-Identifier: MIT
 *
 * cpulimits.c - files of cgroups -> limits and throttling
 */
#include "tests/unit/scratch.h"

#include "lib/settings/cpulimits.h"

static struct cpulimits l;

static void make (const char *path)
{
    assert_int_equal (mkdir (path, 0700), 0);
}

static const struct cpulimits *look (const char *list)
{
    memset (&l, 0, sizeof (l));
    scratch_file ("list", list);
    cpulimits_cgroups (&l, "list", "root");
    return &l;
}

static void version2 (const char *max, const char *stat)
{
    scratch_file ("root/job/step/cpu.max", max);
    scratch_file ("root/job/step/cpu.stat", stat);
}

static void test_version2 (void **state)
{
    uint64_t group;

    make ("root");
    make ("root/job");
    make ("root/job/step");
    version2 ("250000 100000\n", "usage_usec 9\nnr_periods 8\nnr_throttled 3\n"
                                 "throttled_usec 1500000\n");
    look ("0::/job/step\n");
    assert_int_equal (l.limit, 2500);
    assert_true (l.counts);
    assert_int_equal (l.periods, 3);
    assert_int_equal (l.throttled, 1500000);

    version2 ("max 100000\n", "nr_throttled 0\nthrottled_usec 0\n");
    look ("0::/job/step\n");
    assert_int_equal (l.limit, 0);
    assert_true (l.counts); /* none is not the same as not known */
    assert_int_equal (l.throttled, 0);

    scratch_file ("root/job/cpu.max", "33333 100000\n");
    scratch_file ("root/job/cpu.stat", "nr_throttled 7\nthrottled_usec 70\n");
    look ("0::/job/step\n");
    assert_int_equal (l.limit, 333); /* a limit of the parent */
    assert_int_equal (l.periods, 7);
    group = l.group;
    look ("0::/job/step/gone\n");
    assert_int_equal (l.limit, 333);
    assert_true (group && l.group == group);
    scratch_file ("root/job/step/cpu.max", "33300 100000\n");
    look ("0::/job/step\n");
    assert_int_equal (l.limit, 333); /* the same limit, of another group */
    assert_true (l.group != group);

    version2 ("1 1000000\n", "usage_usec 9\n");
    look ("0::/job/step\n");
    assert_int_equal (l.limit, 1); /* never 0 */
    assert_false (l.counts);
}

static void test_version1 (void **state)
{
    make ("root");
    make ("root/cpu");
    make ("root/cpu/a");
    scratch_file ("root/cpu.max", "100000 100000\n"); /* not of this list */
    scratch_file ("root/cpu/a/cpu.cfs_quota_us", "400000\n");
    scratch_file ("root/cpu/a/cpu.cfs_period_us", "100000\n");
    scratch_file ("root/cpu/a/cpu.stat",
                  "nr_periods 0\nnr_throttled 5\nthrottled_time 2000000\n");
    scratch_file ("root/cpu/cpu.cfs_quota_us", "-1\n");
    scratch_file ("root/cpu/cpu.cfs_period_us", "100000\n");
    look ("3:cpuset:/\n2:cpuacct,cpu:/a\n0::/\n");
    assert_int_equal (l.limit, 4000);
    assert_true (l.counts);
    assert_int_equal (l.periods, 5);
    assert_int_equal (l.throttled, 2000); /* us of ns */

    look ("2:cpu:/\n");
    assert_int_equal (l.limit, 0);
    assert_false (l.counts);
    look ("2:cpu:/../../a\n"); /* out of the mount */
    assert_int_equal (l.limit, 0);
}

static void test_nothing (void **state)
{
    static const char *const lists[] = {
        "", "\n", "0:", "0::\n", "x\n:::", "0::/a\n"};

    for (size_t i = 0; i < sizeof (lists) / sizeof (lists[0]); i++) {
        look (lists[i]);
        assert_int_equal (l.limit, 0);
        assert_false (l.counts);
    }
    make ("root");
    scratch_file ("root/cpu.max", "0 0\n");
    scratch_file ("root/cpu.stat", "nr_throttled -1\nthrottled_usec x\n");
    look ("0::/\n");
    assert_int_equal (l.limit, 0);
    assert_false (l.counts);
}

static void test_growth (void **state)
{
    const struct cpulimits start = {.counts = 1, .periods = 2, .throttled = 50};
    struct cpulimits end = {.counts = 1, .periods = 5, .throttled = 80};

    assert_true (cpulimits_growth (&end, &start));
    assert_int_equal (end.periods, 3);
    assert_int_equal (end.throttled, 30);
    assert_false (cpulimits_growth (&end, &start)); /* it cannot be */
    end = (struct cpulimits){
        .counts = 1, .group = 2, .periods = 5, .throttled = 80};
    assert_false (cpulimits_growth (&end, &start)); /* another cgroup */
    end = (struct cpulimits){.counts = 0};
    assert_false (cpulimits_growth (&end, &start));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (test_version2),
        scratch_test (test_version1),
        scratch_test (test_nothing),
        scratch_test (test_growth),
    };

    return tap_run (tests);
}
