/* SPDX-License-Identifier: MIT
 *
 * leftover.c - test of spank/epilog/leftover.c: every job has its turn once
 */
#include "tests/unit/scratch.h"

#include <time.h>

#include "spank/epilog/node.h"

enum { DAY = 24 * 3600 };

static void kept_under_another_name (void **state)
{
    char host[64];

    scratch_file ("7.n1", "marker");
    assert_int_equal (leftover_keep (".", 7, "n1"), 0);
    assert_false (scratch_has ("7.n1"));
    assert_string_equal (scratch_text ("7.n1.left"), "marker");
    leftover_host ("n1", &(struct leftover){7, 0, 0}, host, sizeof (host));
    assert_string_equal (host, "n1.left");
    assert_int_equal (leftover_keep (".", 7, "n1"), -1); /* no marker */
    assert_int_equal (leftover_keep ("none", 7, "n1"), -1);
    assert_string_equal (scratch_text ("7.n1.left"), "marker");
}

/* A marker of that owner, kept so many seconds ago. */
static void left (const char *name, const char *owner, time_t ago)
{
    scratch_file (name, owner);
    scratch_time (name, time (NULL) - ago, 0);
}

static size_t turns (uint64_t chance, struct leftover *turn, size_t max)
{
    return leftover_turns (".", "n1", chance, turn, max);
}

static void one_job_of_each_owner (void **state)
{
    struct leftover turn[8];
    char name[32];
    int first = 0, oldest = 0, newest = 0;

    /* one user has the oldest and the newest, and most */
    for (int i = 0; i < 40; i++) {
        (void)snprintf (name, sizeof (name), "%d.n1.left", 100 + i);
        left (name, "1000 100 20000 /d\n", 1000 - 10 * i);
    }
    left ("7.n1.left2", "1001 100 20000 /d\n", 500);
    left ("8.n1.left", "1002 100 20000 /d\n", 501);
    for (uint64_t chance = 0; chance < 300; chance++) {
        int seen[3] = {0};

        assert_int_equal (turns (chance, turn, 8), 3);
        for (int i = 0; i < 3; i++) {
            assert_in_range (turn[i].owner, 1000, 1002);
            seen[turn[i].owner - 1000]++;
            if (turn[i].owner == 1001)
                assert_int_equal (turn[i].tries, 2);
            oldest += turn[i].job_id == 100;
            newest += turn[i].job_id == 139;
        }
        assert_true (seen[0] == 1 && seen[1] == 1 && seen[2] == 1);
        first += turn[0].owner == 1000;
        assert_int_equal (turns (chance, turn, 1), 1);
    }
    /* of 300: 100 and 150 are expected; 60 is 5 standard deviations off */
    assert_in_range (first, 60, 140);
    assert_in_range (oldest, 90, 210);
    assert_int_equal (oldest + newest, 300);
}

static void each_owner_has_an_equal_part (void **state)
{
    assert_int_equal (leftover_until (0, 3000, 1, 1000), 3000);
    assert_int_equal (leftover_until (0, 3000, 2, 1000), 1500);
    assert_int_equal (leftover_until (200, 3000, 1, 1000), 3000);
    assert_int_equal (leftover_until (0, 3000, 8, 1000), 1000);
    assert_int_equal (leftover_until (2500, 3000, 8, 1000), 3000);
    assert_int_equal (leftover_until (4000, 3000, 2, 1000), 3000);
    assert_int_equal (leftover_until (0, 3000, 0, 1000), 3000);
}

static void given_up_after_some_tries (void **state)
{
    struct leftover l = {21, 0, 0};

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
        scratch_file (names[i], "1 1 1 /d\n");
        scratch_time (names[i], time (NULL) - 9 * DAY, 0);
    }
    assert_int_equal (turns (1, &l, 1), 0);
    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++)
        assert_true (scratch_has (names[i]));
}

static void forgotten_after_a_week (void **state)
{
    struct leftover l;

    left ("31.n1.left", "1 1 1 /d\n", 8 * DAY);
    left ("32.n1.left", "1 1 1 /d\n", 6 * DAY);
    assert_int_equal (turns (1, &l, 1), 1);
    assert_int_equal (l.job_id, 32);
    assert_false (scratch_has ("31.n1.left"));
}

static void no_directory (void **state)
{
    struct leftover l;

    assert_int_equal (leftover_turns ("none", "n1", 1, &l, 1), 0);
    assert_int_equal (mkdir ("real", 0700), 0);
    scratch_file ("real/1.n1.left", "1 1 1 /d\n");
    assert_int_equal (symlink ("real", "link"), 0);
    assert_int_equal (leftover_turns ("link", "n1", 1, &l, 1), 0);
    assert_int_equal (leftover_keep ("link", 1, "n1"), -1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (kept_under_another_name),
        scratch_test (one_job_of_each_owner),
        scratch_test (each_owner_has_an_equal_part),
        scratch_test (given_up_after_some_tries),
        scratch_test (others_are_left_alone),
        scratch_test (forgotten_after_a_week),
        scratch_test (no_directory),
    };

    return tap_run (tests);
}
