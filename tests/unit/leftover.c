/* SPDX-License-Identifier: MIT
 *
 * leftover.c - test of epilog/leftover.c: every job has its turn once
 */
#include "tests/unit/scratch.h"

#include <time.h>

#include "epilog/leftover.h"

enum { DAY = 24 * 3600 };

static void kept_under_another_name (void **state)
{
    char host[64];

    scratch_file ("7.n1", "marker");
    assert_int_equal (leftover_keep (".", 7, "n1"), 0);
    assert_false (scratch_has ("7.n1"));
    assert_string_equal (scratch_text ("7.n1.left"), "marker");
    leftover_host ("n1", host, sizeof (host));
    assert_string_equal (host, "n1.left");
    assert_int_equal (leftover_keep (".", 7, "n1"), -1); /* no marker */
    assert_int_equal (leftover_keep ("none", 7, "n1"), -1);
    assert_string_equal (scratch_text ("7.n1.left"), "marker");
}

static void the_oldest_first_each_once (void **state)
{
    time_t now = time (NULL);
    uint32_t job = 0;

    scratch_file ("1.n1.left", "");
    scratch_file ("2.n1.left", "");
    scratch_file ("3.n1.left", "");
    scratch_time ("1.n1.left", now - 10, 0);
    scratch_time ("2.n1.left", now - 30, 0);
    scratch_time ("3.n1.left", now - 20, 0);
    assert_int_equal (leftover_next (".", "n1", &job), 1);
    assert_int_equal (job, 2); /* it stays: could not be done */
    assert_int_equal (leftover_next (".", "n1", &job), 1);
    assert_int_equal (job, 3);
    assert_int_equal (leftover_next (".", "n1", &job), 1);
    assert_int_equal (job, 1);
    assert_int_equal (leftover_next (".", "n1", &job), 0);
}

static void of_the_same_second (void **state)
{
    time_t now = time (NULL);
    uint32_t first = 0, second = 0, none;

    scratch_file ("1.n1.left", "");
    scratch_file ("2.n1.left", "");
    scratch_time ("1.n1.left", now, 500);
    scratch_time ("2.n1.left", now, 400);
    assert_int_equal (leftover_next (".", "n1", &first), 1);
    assert_int_equal (leftover_next (".", "n1", &second), 1);
    assert_int_equal (first, 2);
    assert_int_equal (second, 1);
    assert_int_equal (leftover_next (".", "n1", &none), 0);
}

static void others_are_left_alone (void **state)
{
    static const char *const names[] = {
        "1.n2.left",
        "1.n1",
        "n1.left",
        "-1.n1.left",
        "1.n1.leftover",
        "99999999999.n1.left",
        "0.n1.left",
        "1x.n1.left",
        "123456789012345678901234567890123.n1.left",
        ".n1.left",
        "1.n1.left.tmp"};
    uint32_t job;

    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
        scratch_file (names[i], "");
        scratch_time (names[i], time (NULL) - 9 * DAY, 0);
    }
    assert_int_equal (leftover_next (".", "n1", &job), 0);
    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++)
        assert_true (scratch_has (names[i]));
}

static void forgotten_after_a_week (void **state)
{
    uint32_t job;

    scratch_file ("1.n1.left", "");
    scratch_file ("2.n1.left", "");
    scratch_time ("1.n1.left", time (NULL) - 8 * DAY, 0);
    scratch_time ("2.n1.left", time (NULL) - 6 * DAY, 0);
    assert_int_equal (leftover_next (".", "n1", &job), 1);
    assert_int_equal (job, 2);
    assert_false (scratch_has ("1.n1.left"));
    assert_int_equal (leftover_next (".", "n1", &job), 0);
}

static void no_directory (void **state)
{
    uint32_t job;

    assert_int_equal (leftover_next ("none", "n1", &job), 0);
    assert_int_equal (mkdir ("real", 0700), 0);
    scratch_file ("real/1.n1.left", "");
    assert_int_equal (symlink ("real", "link"), 0);
    assert_int_equal (leftover_next ("link", "n1", &job), 0);
    assert_int_equal (leftover_keep ("link", 1, "n1"), -1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (kept_under_another_name),
        scratch_test (the_oldest_first_each_once),
        scratch_test (of_the_same_second),
        scratch_test (others_are_left_alone),
        scratch_test (forgotten_after_a_week),
        scratch_test (no_directory),
    };

    return tap_run (tests);
}
