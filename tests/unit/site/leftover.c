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
    leftover_host ("n1", &(struct leftover){7, 0}, host, sizeof (host));
    assert_string_equal (host, "n1.left");
    assert_int_equal (leftover_keep (".", 7, "n1"), -1); /* no marker */
    assert_int_equal (leftover_keep ("none", 7, "n1"), -1);
    assert_string_equal (scratch_text ("7.n1.left"), "marker");
}

static void the_oldest_first_each_once (void **state)
{
    time_t now = time (NULL);
    struct leftover l;

    scratch_file ("11.n1.left", "");
    scratch_file ("12.n1.left2", "");
    scratch_file ("13.n1.left", "");
    scratch_file ("14.n1.left", "");
    scratch_time ("11.n1.left", now - 10, 0);
    scratch_time ("12.n1.left2", now - 30, 0);
    scratch_time ("13.n1.left", now - 20, 500);
    scratch_time ("14.n1.left", now - 20, 400);
    assert_int_equal (leftover_next (".", "n1", 0, &l), 1);
    assert_int_equal (l.job_id, 12); /* it stays: could not be done */
    assert_int_equal (l.tries, 2);
    assert_int_equal (leftover_next (".", "n1", 1, &l), 1);
    assert_int_equal (l.job_id, 11);
    assert_int_equal (leftover_next (".", "n1", 0, &l), 1);
    assert_int_equal (l.job_id, 14);
    assert_int_equal (leftover_next (".", "n1", 0, &l), 1);
    assert_int_equal (l.job_id, 13);
    assert_int_equal (leftover_next (".", "n1", 0, &l), 0);
}

static void given_up_after_some_tries (void **state)
{
    struct leftover l = {21, 0};

    scratch_file ("21.n1.left", "marker");
    leftover_count (".", "n1", &l);
    assert_int_equal (l.tries, 1);
    assert_string_equal (scratch_text ("21.n1.left1"), "marker");
    leftover_uncount (".", "n1", &l);
    assert_string_equal (scratch_text ("21.n1.left"), "marker");
    for (int i = 0; i < LEFTOVER_TRIES; i++)
        leftover_count (".", "n1", &l);
    assert_false (scratch_has ("21.n1.left"));
    assert_false (scratch_has ("21.n1.left1"));
    assert_false (scratch_has ("21.n1.left2"));
    assert_false (scratch_has ("21.n1.left3"));
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
        "1.n1.left.tmp",
        "1.n1.left0",
        "1.n1.left3"};
    struct leftover l;

    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
        scratch_file (names[i], "");
        scratch_time (names[i], time (NULL) - 9 * DAY, 0);
    }
    assert_int_equal (leftover_next (".", "n1", 0, &l), 0);
    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++)
        assert_true (scratch_has (names[i]));
}

static void forgotten_after_a_week (void **state)
{
    struct leftover l;

    scratch_file ("31.n1.left", "");
    scratch_file ("32.n1.left", "");
    scratch_time ("31.n1.left", time (NULL) - 8 * DAY, 0);
    scratch_time ("32.n1.left", time (NULL) - 6 * DAY, 0);
    assert_int_equal (leftover_next (".", "n1", 0, &l), 1);
    assert_int_equal (l.job_id, 32);
    assert_false (scratch_has ("31.n1.left"));
    assert_int_equal (leftover_next (".", "n1", 0, &l), 0);
}

static void no_directory (void **state)
{
    struct leftover l;

    assert_int_equal (leftover_next ("none", "n1", 0, &l), 0);
    assert_int_equal (mkdir ("real", 0700), 0);
    scratch_file ("real/1.n1.left", "");
    assert_int_equal (symlink ("real", "link"), 0);
    assert_int_equal (leftover_next ("link", "n1", 0, &l), 0);
    assert_int_equal (leftover_keep ("link", 1, "n1"), -1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (kept_under_another_name),
        scratch_test (the_oldest_first_each_once),
        scratch_test (given_up_after_some_tries),
        scratch_test (others_are_left_alone),
        scratch_test (forgotten_after_a_week),
        scratch_test (no_directory),
    };

    return tap_run (tests);
}
